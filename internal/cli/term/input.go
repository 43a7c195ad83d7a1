package term

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/sys/unix"
)

// maxLine bounds one typed or piped line, in bytes.
const maxLine = 1 << 20

// Input is what a person types, or what is piped in instead. It reads only
// while somebody wants something, so nothing is swallowed beforehand. One
// reader at a time.
type Input struct {
	f    *os.File
	tty  bool
	rest []byte // read, and not handed out yet (never at a terminal)
	eof  bool
}

// NewInput reads from f, which may be nil: then there is nothing to read.
func NewInput(f *os.File) *Input {
	return &Input{f: f, tty: IsTerminal(f), eof: f == nil}
}

// TTY reports whether a person sits there.
func (in *Input) TTY() bool { return in.tty }

// Line returns the next line without its end. It returns io.EOF at the end of
// input, and the context's cause when that ends first.
func (in *Input) Line(ctx context.Context) (string, error) {
	for {
		if line, ok := in.cut(); ok {
			return line, nil
		}
		chunk, err := in.read(ctx)
		if errors.Is(err, io.EOF) && len(in.rest) > 0 {
			continue // the last line has no end; cut takes it
		}
		if err != nil {
			return "", err
		}
		if in.tty { // a terminal hands over one whole line
			in.rest = nil
			return strings.TrimRight(string(chunk), "\r\n"), nil
		}
		if in.rest = append(in.rest, chunk...); len(in.rest) > maxLine {
			return "", errors.New("the line is too long")
		}
	}
}

// cut takes a whole line out of what was read; at the end also a last one
// without an end.
func (in *Input) cut() (string, bool) {
	line, rest, ok := bytes.Cut(in.rest, []byte("\n"))
	if !ok && (!in.eof || len(in.rest) == 0) {
		return "", false
	}
	in.rest = rest
	return strings.TrimRight(string(line), "\r"), true
}

// Keys makes the terminal hand over single keys and drops what was typed so
// far. Call undo before anything else is read.
func (in *Input) Keys() (undo func(), err error) { return change(in.f, singleKeys) }

// Settle waits for d and then drops what was typed meanwhile: a key that was on
// its way when a question appeared is no answer to it.
func (in *Input) Settle(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		flushTyped(int(in.f.Fd()))
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Key returns the next single key, after Keys. Pasted text and the sequences of
// arrow and function keys are passed over: they are nobody's answer.
func (in *Input) Key(ctx context.Context) (rune, error) {
	for {
		chunk, err := in.read(ctx)
		if err != nil {
			return 0, err
		}
		if r, n := utf8.DecodeRune(chunk); n == len(chunk) && r != utf8.RuneError {
			return r, nil
		}
	}
}

// Secret returns one line that is not shown while it is typed.
func (in *Input) Secret(ctx context.Context) (string, error) {
	undo, err := change(in.f, unechoed)
	if err != nil {
		return "", err
	}
	defer undo()
	return in.Line(ctx)
}

// All returns everything that is left.
func (in *Input) All(ctx context.Context, limit int) ([]byte, error) {
	for {
		chunk, err := in.read(ctx)
		if errors.Is(err, io.EOF) {
			all := in.rest
			in.rest = nil
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		if in.rest = append(in.rest, chunk...); len(in.rest) > limit {
			return nil, errors.New("the input is too long")
		}
	}
}

// read waits until there is something, or the context ends. It does not use a
// goroutine that would sit in read(2) and eat what the next reader should get.
func (in *Input) read(ctx context.Context) ([]byte, error) {
	if in.eof {
		return nil, io.EOF
	}
	wakeR, wakeW, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer wakeR.Close()
	stop := context.AfterFunc(ctx, func() { _ = wakeW.Close() })
	defer func() {
		if stop() {
			_ = wakeW.Close()
		}
	}()
	fd := int(in.f.Fd())
	if err := waitReadable(ctx, fd, int(wakeR.Fd())); err != nil {
		return nil, err
	}
	buf := make([]byte, 64<<10)
	n, err := unix.Read(fd, buf)
	for errors.Is(err, unix.EINTR) || errors.Is(err, unix.EAGAIN) {
		n, err = unix.Read(fd, buf)
	}
	switch {
	case errors.Is(err, unix.EIO): // the terminal is gone
		n = 0
	case err != nil:
		return nil, err
	}
	if n == 0 {
		in.eof = !in.tty // a terminal's Ctrl-D ends one reading, not all of them
		return nil, io.EOF
	}
	return buf[:n], nil
}

// waitReadable returns when fd can be read, or the cause when wake was closed.
func waitReadable(ctx context.Context, fd, wake int) error {
	for {
		fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}, {Fd: int32(wake), Events: unix.POLLIN}}
		_, err := unix.Poll(fds, -1)
		if err != nil && !errors.Is(err, unix.EINTR) {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err == nil && fds[0].Revents != 0 {
			return nil
		}
	}
}
