package main

import (
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// watchSignals returns a descriptor that becomes readable when a child died.
// The signals with which others end programs are taken and dropped: a session
// ends when its agent does, or when the daemon says so. They are handled, not
// ignored, as an ignored signal would stay ignored in the agent.
func watchSignals() (int, error) {
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
			if s == syscall.SIGCHLD {
				_, _ = unix.Write(w, one) // full: the loop will look anyway
			}
		}
	}()
	return r, nil
}
