//go:build unix

package agent

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// process is an agent that this process started: stdio are socketpairs, it
// leads a group of its own.
type process struct {
	cmd   *exec.Cmd
	in    *os.File // our end of its stdin
	out   *os.File // our end of its stdout
	err   *os.File // our end of its stderr
	errs  lastWords
	wg    sync.WaitGroup
	done  chan struct{}    // closed when it was waited for
	state *os.ProcessState // after done
}

// The rungs of the ladder that ends an agent: what it is given to leave by
// itself, and after SIGTERM, which lets it end the commands that it runs.
const (
	graceEOF  = 2 * time.Second
	graceTERM = 5 * time.Second
)

// spawn starts the command. The caller must call stop.
func spawn(c Command) (*process, error) {
	cmd := &exec.Cmd{
		Path: c.Path, Args: append([]string{c.Path}, c.Args...), Env: c.Env, Dir: c.Dir,
		SysProcAttr: &syscall.SysProcAttr{Setpgid: true},
	}
	ours, its, err := descriptors(c.OneShot)
	defer closeAll(its) // the child has its own by then
	if err == nil {
		cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = its[0], its[1], its[2], its[3:]
		err = cmd.Start()
	}
	if err != nil {
		closeAll(ours)
		return nil, err
	}
	p := &process{cmd: cmd, in: ours[0], out: ours[1], err: ours[2], done: make(chan struct{})}
	p.wg.Go(func() { _, _ = io.Copy(&p.errs, leftover{p.err}) })
	p.wg.Go(func() {
		_ = cmd.Wait()
		p.state = cmd.ProcessState
		close(p.done)
		_ = p.out.SetReadDeadline(time.Now().Add(lingering))
		_ = p.err.SetReadDeadline(time.Now().Add(lingering))
	})
	return p, nil
}

// descriptors makes the child's descriptors 0, 1, 2 and those of the secrets,
// and our ends of the first three. What was made is returned with an error too.
func descriptors(secrets [][]byte) (ours, its []*os.File, err error) {
	for range 3 {
		o, i, err := socketpair()
		if err != nil {
			return ours, its, err
		}
		ours, its = append(ours, o), append(its, i)
	}
	for _, s := range secrets {
		r, err := oneShot(s)
		if err != nil {
			return ours, its, err
		}
		its = append(its, r)
	}
	return ours, its, nil
}

func closeAll(fs []*os.File) {
	for _, f := range fs {
		_ = f.Close()
	}
}

// oneShot is a pipe that holds a secret and whose writing end is closed: one
// read empties it for ever. A secret is far smaller than a pipe.
func oneShot(secret []byte) (*os.File, error) {
	if len(secret) > 4096 {
		return nil, errors.New("a credential is at most 4096 bytes")
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	_, err = w.Write(secret)
	if cerr := w.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		_ = r.Close()
		return nil, err
	}
	return r, nil
}

// socketpair returns our end, that a blocked read is woken from by Close, and
// the child's.
func socketpair() (ours, its *os.File, err error) {
	syscall.ForkLock.RLock() // no fork between the two calls may inherit them
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(fds[0])
		syscall.CloseOnExec(fds[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	if err := syscall.SetNonblock(fds[0], true); err != nil {
		_ = syscall.Close(fds[0])
		_ = syscall.Close(fds[1])
		return nil, nil, os.NewSyscallError("setnonblock", err)
	}
	return os.NewFile(uintptr(fds[0]), "agent"), os.NewFile(uintptr(fds[1]), "agent"), nil
}

// stop ends the agent and returns when it is gone: end of input, SIGTERM, then
// SIGKILL to its group.
func (p *process) stop() {
	_ = p.in.Close()
	if !p.gone(graceEOF) {
		_ = p.cmd.Process.Signal(syscall.SIGTERM)
		p.gone(graceTERM)
	}
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) // whoever of its group is left
	<-p.done
	_ = p.out.Close()
	_ = p.err.Close()
	p.wg.Wait()
}

// lingering is how long a silent stream of a dead agent is read on: what the
// agent left running may hold the other end for ever.
const lingering = 200 * time.Millisecond

// leftover reads a stream to its end, or until its agent is gone and nothing
// came for a while.
type leftover struct {
	f *os.File
}

func (l leftover) Read(b []byte) (int, error) {
	n, err := l.f.Read(b)
	if n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
		return n, err
	}
	// The time may have passed while nobody read: what is there counts.
	if err := l.f.SetReadDeadline(time.Now().Add(lingering)); err != nil {
		return 0, err
	}
	if n, err = l.f.Read(b); errors.Is(err, os.ErrDeadlineExceeded) {
		return n, io.EOF
	}
	return n, err
}

func (p *process) gone(within time.Duration) bool {
	t := time.NewTimer(within)
	defer t.Stop()
	select {
	case <-p.done:
		return true
	case <-t.C:
		return false
	}
}

// exited says how it ended, after done.
func (p *process) exited() Exited {
	e := Exited{Code: p.state.ExitCode(), Stderr: p.errs.String()}
	if ws, ok := p.state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		e.Signal = ws.Signal().String()
	}
	return e
}

// String says in a line how the agent ended, with its last words.
func (e Exited) String() string {
	how := fmt.Sprintf("exit %d", e.Code)
	if e.Signal != "" {
		how = "signal " + e.Signal
	}
	if s := strings.TrimSpace(e.Stderr); s != "" {
		how += ": " + s
	}
	return how
}

// lastWords keeps the end of what an agent wrote to stderr.
type lastWords struct {
	mu sync.Mutex
	b  []byte // guarded by mu
}

func (l *lastWords) Write(p []byte) (int, error) {
	const keep = 4 << 10
	l.mu.Lock()
	defer l.mu.Unlock()
	l.b = append(l.b, p...)
	if len(l.b) > keep {
		l.b = append([]byte(nil), l.b[len(l.b)-keep:]...)
	}
	return len(p), nil
}

func (l *lastWords) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.ToValidUTF8(string(l.b), "\uFFFD")
}
