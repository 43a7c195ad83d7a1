package main

import (
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
)

// watchSignals returns a descriptor that becomes readable when a child died or
// TERM came; asked then says which. TERM is what a person or the machine's own
// shutdown ends programs with, so it ends the session in order. The others with
// which programs are ended are taken and dropped: what a terminal sends to
// everything it started must not end a session. They are handled, not ignored, as
// an ignored signal would stay ignored in the agent.
func watchSignals(asked *atomic.Bool) (int, error) {
	r, w, err := pipe()
	if err != nil {
		return 0, err
	}
	c := make(chan os.Signal, 8)
	signal.Notify(c, syscall.SIGCHLD, syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM,
		syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGALRM, syscall.SIGTSTP)
	go func() { // lives as long as the process
		one := []byte{1}
		for s := range c {
			if s == syscall.SIGTERM {
				asked.Store(true)
			}
			if s == syscall.SIGCHLD || s == syscall.SIGTERM {
				_, _ = unix.Write(w, one) // full: the loop will look anyway
			}
		}
	}()
	return r, nil
}
