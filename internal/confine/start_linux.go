package confine

import (
	"errors"
	"os"
	"slices"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// startTime bounds how long a stage takes to become the agent.
const startTime = 10 * time.Second

// Start runs a command shut in as the plan says, and returns once it runs. self is
// the path of a program that calls Stage. The files become the command's
// descriptors from 0 on; it gets a session of its own (setsid), and the caller is
// its parent. Its environment never reaches the stage's own runtime. An error is an
// *Error, and nothing is left then.
func Start(self string, p Plan, c Command, files []uintptr) (int, Held, error) {
	if p.Parts == 0 {
		pid, err := syscall.ForkExec(c.Path, c.Args, &syscall.ProcAttr{
			Dir: c.Dir, Env: c.Env, Files: files, Sys: &syscall.SysProcAttr{Setsid: true},
		})
		if err != nil {
			err = &Error{Text: err.Error()}
		}
		return pid, Held{}, err
	}
	pid, held, err := stage(self, p, c, files)
	if p.Fallback && p.Parts.Has(Mount) && errors.Is(err, errNamespace) {
		p.Parts &^= Mount
		pid, held, err = stage(self, p, c, files)
	}
	if err != nil {
		return 0, Held{}, err
	}
	return pid, held, nil
}

// errNamespace is the kernel's refusal of the namespaces themselves.
var errNamespace = &Error{Text: "this machine grants no namespace now", Confined: true}

func stage(self string, p Plan, c Command, files []uintptr) (int, Held, error) {
	o := order{plan: p, cmd: c, uid: uint32(os.Geteuid()), gid: uint32(os.Getegid())}
	attr := &syscall.SysProcAttr{Setsid: true}
	if p.Parts.Has(Mount) {
		attr.Cloneflags = unix.CLONE_NEWNS
		if o.userns = !canMount(); o.userns {
			attr.Cloneflags |= unix.CLONE_NEWUSER
			attr.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_SETPCAP}
		}
	}
	told, err := orderFile(o)
	if err != nil {
		return 0, Held{}, fault("its orders", err)
	}
	defer unix.Close(told)
	var status [2]int
	if err := unix.Pipe2(status[:], unix.O_CLOEXEC); err != nil {
		return 0, Held{}, fault("a pipe", err)
	}
	defer unix.Close(status[0])
	pid, err := syscall.ForkExec(self, []string{StageName, strconv.Itoa(len(files))}, &syscall.ProcAttr{
		Dir: "/", Env: []string{"GOMAXPROCS=1", "GOGC=off"},
		Files: append(slices.Clip(files), uintptr(told), uintptr(status[1])), Sys: attr,
	})
	_ = unix.Close(status[1])
	if err != nil {
		if attr.Cloneflags != 0 && noNamespace(err) {
			return 0, Held{}, errNamespace
		}
		return 0, Held{}, fault("the stage", err)
	}
	held, err := hear(status[0], p.Parts)
	if err != nil {
		end(pid)
		return 0, Held{}, err
	}
	return pid, held, nil
}

// noNamespace tells a namespace that is refused (by a rule of this machine, a
// container, or a bound that is reached) from other failures to start.
func noNamespace(err error) bool {
	return errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EUSERS) || errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS)
}

// canMount reports whether this process may mount without a user namespace.
func canMount() bool {
	have, err := capabilities()
	return err == nil && have&(1<<unix.CAP_SYS_ADMIN) != 0
}

// orderFile holds the orders without a name on any disk.
func orderFile(o order) (int, error) {
	fd, err := unix.MemfdCreate("vyre-confine", unix.MFD_CLOEXEC)
	if err != nil {
		return 0, err
	}
	b := o.append(nil)
	for len(b) > 0 {
		n, err := unix.Write(fd, b)
		if err != nil && err != unix.EINTR {
			_ = unix.Close(fd)
			return 0, err
		}
		b = b[max(n, 0):]
	}
	_, err = unix.Seek(fd, 0, 0)
	return fd, err
}

// hear reads what the stage says until its exec closes the pipe.
func hear(fd int, parts Parts) (Held, error) {
	var said []byte
	until := time.Now().Add(startTime)
	buf := make([]byte, 4096)
	for {
		set := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		n, err := unix.Poll(set, int(time.Until(until).Milliseconds())+1)
		if err == unix.EINTR {
			continue
		}
		if err != nil || n == 0 {
			return Held{}, &Error{Text: "it took too long", Confined: true}
		}
		n, err = unix.Read(fd, buf)
		if err == unix.EINTR {
			continue
		}
		if err != nil || n == 0 {
			return verdict(said, parts)
		}
		said = append(said, buf[:n]...)
	}
}

// verdict reads the stage's words: a kind each and a NUL at the end.
func verdict(said []byte, parts Parts) (Held, error) {
	held := Held{Parts: parts}
	done := false
	for len(said) > 0 {
		kind, text := said[0], said[1:]
		i := 0
		for i < len(text) && text[i] != 0 {
			i++
		}
		word := string(text[:i])
		said = text[min(i+1, len(text)):]
		switch kind {
		case sayOpen:
			held.Open = append(held.Open, word)
		case sayReady:
			done = true
		case sayProgram:
			return Held{}, &Error{Text: word}
		case sayNamespace:
			return Held{}, errNamespace
		default:
			return Held{}, &Error{Text: word, Confined: true}
		}
	}
	if !done {
		return Held{}, &Error{Text: "the stage died", Confined: true}
	}
	return held, nil
}

// end buries a stage that did not become the agent. It is our child and not waited
// for yet, so its pid can't be another's.
func end(pid int) {
	_ = unix.Kill(pid, unix.SIGKILL)
	for {
		if _, err := unix.Wait4(pid, nil, 0, nil); err != unix.EINTR {
			return
		}
	}
}

func fault(what string, err error) error {
	return &Error{Text: what + ": " + err.Error(), Confined: true}
}
