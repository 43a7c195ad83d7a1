package confine

import (
	"errors"
	"os"
	"runtime"
	"strconv"

	"golang.org/x/sys/unix"
)

// What a stage says over its pipe, before a text and a NUL.
const (
	sayOpen      = 'o' // a side folder that could not be covered
	sayReady     = 'r' // all of the plan holds; exec is next
	sayConfine   = 'c' // the confinement failed
	sayNamespace = 'n' // the namespaces are worth nothing here
	sayProgram   = 'p' // exec failed
)

// Stage is the life of a program that IsStage: it confines itself and becomes the
// command. It returns an exit code when that failed, after its starter was told.
func Stage(args []string) int {
	// Every rule below is one of this thread; execve hands them to the new program.
	runtime.LockOSThread()
	if len(args) != 2 {
		return 2
	}
	n, err := strconv.Atoi(args[1])
	if err != nil || n < 0 || n > 64 {
		return 2
	}
	told, say := n, voice(n+1)
	keepFrom(n)
	o, err := readOrder(told)
	_ = unix.Close(told)
	if err != nil {
		say.word(sayConfine, "its orders: "+err.Error())
		return 1
	}
	if err := o.confine(say); err != nil {
		return 1
	}
	if !say.word(sayReady, "") {
		return 1 // nobody is there who would be the agent's parent
	}
	err = unix.Exec(o.cmd.Path, o.cmd.Args, o.cmd.Env)
	say.word(sayProgram, err.Error())
	return 1
}

// keepFrom keeps all descriptors from n on from the command.
func keepFrom(n int) {
	if unix.CloseRange(uint(n), 1<<32-1, unix.CLOSE_RANGE_CLOEXEC) == nil {
		return
	}
	for fd := n; fd < 1024; fd++ { // before Linux 5.11
		unix.CloseOnExec(fd)
	}
}

// confine does the plan's parts in the only order that works: mounts need a
// capability, the filters need that none can be gained, and the last filter
// forbids what the steps before it do.
func (o order) confine(say voice) error {
	p := o.plan
	fail := func(what string, err error) error {
		kind := byte(sayConfine)
		if errors.Is(err, errWorthless) {
			kind = sayNamespace
		}
		say.word(kind, what+": "+err.Error())
		return err
	}
	// Where memory is short, the kernel takes a session before it takes the daemon.
	_ = writeFile("/proc/self/oom_score_adj", "200")
	if p.Parts.Has(Mount) {
		if err := o.mounts(say); err != nil {
			return fail("mounts", err)
		}
	}
	if o.cmd.Dir != "" {
		// Only now: a folder that was entered before the mounts is what lies under them.
		if err := unix.Chdir(o.cmd.Dir); err != nil {
			say.word(sayProgram, err.Error())
			return err
		}
	}
	if p.Parts.Has(Caps) {
		if err := dropCapabilities(); err != nil {
			return fail("capabilities", err)
		}
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fail("no new privileges", err)
	}
	if p.Parts&(Files|Scope) != 0 {
		if err := restrict(p.Parts, p.Debug); err != nil {
			return fail("Landlock", err)
		}
	}
	if p.Parts.Has(Calls) {
		if err := filterCalls(p.Debug); err != nil {
			return fail("seccomp", err)
		}
	}
	return nil
}

// voice is the writing end of the pipe to whoever started the stage.
type voice int

// word reports whether it was heard.
func (v voice) word(kind byte, text string) bool {
	b := append([]byte{kind}, text...)
	b = append(b, 0)
	for len(b) > 0 {
		n, err := unix.Write(int(v), b)
		if err != nil && err != unix.EINTR {
			return false
		}
		b = b[max(n, 0):]
	}
	return true
}

// maxOrder bounds what is read; a command line and an environment are 2 MiB at most
// on Linux.
const maxOrder = 8 << 20

func readOrder(fd int) (order, error) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return order{}, err
	}
	if st.Size <= 0 || st.Size > maxOrder {
		return order{}, errMalformed
	}
	b := make([]byte, st.Size)
	for read := 0; read < len(b); {
		n, err := unix.Read(fd, b[read:])
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return order{}, err
		}
		if n == 0 {
			return order{}, errMalformed
		}
		read += n
	}
	return parseOrder(b)
}

// writeFile writes to a file that exists, in one call as files under /proc want it.
func writeFile(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}
