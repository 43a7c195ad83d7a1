package main

import (
	"time"

	"golang.org/x/sys/unix"
)

// The places in the poll set.
const (
	slotWake = iota
	slotListener
	slotControl
	slotStdin
	slotStdout
	slotStderr
	slotNewcomer
	slots = slotNewcomer + maxNewcomers
)

// pollSet is what the loop waits for, made anew each time: who is not waited
// for has descriptor -1, so that a hang-up there can't wake us for ever.
type pollSet struct {
	fds [slots]unix.PollFd
}

func (s *pollSet) fill(l *loop) {
	for i := range s.fds {
		s.fds[i] = unix.PollFd{Fd: -1}
	}
	s.want(slotWake, l.wake, unix.POLLIN)
	s.want(slotListener, l.listener, unix.POLLIN)
	if p := l.ctl; p != nil {
		s.want(slotControl, p.fd, p.events())
	}
	for i, p := range l.newcomers {
		if p != nil {
			s.want(slotNewcomer+i, p.fd, unix.POLLIN)
		}
	}
	if l.frame.active() {
		s.want(slotStdin, l.agent.stdin, unix.POLLOUT)
	}
	if l.mayRead() {
		s.want(slotStdout, l.agent.stdout, unix.POLLIN)
	}
	s.want(slotStderr, l.agent.stderr, unix.POLLIN)
}

func (s *pollSet) want(slot, fd int, events int16) {
	if fd > 0 {
		s.fds[slot] = unix.PollFd{Fd: int32(fd), Events: events}
	}
}

func (s *pollSet) ready(slot int) bool    { return s.fds[slot].Revents != 0 }
func (s *pollSet) revents(slot int) int16 { return s.fds[slot].Revents }

// poll waits; negative means for ever. False only when polling itself is
// impossible, which no state of ours can cause.
func (s *pollSet) poll(d time.Duration) bool {
	ms := -1
	if d >= 0 {
		ms = int((d + time.Millisecond - 1) / time.Millisecond)
	}
	_, err := unix.Poll(s.fds[:], ms)
	if err == unix.EINTR {
		for i := range s.fds {
			s.fds[i].Revents = 0
		}
		return true
	}
	return err == nil || err == unix.EAGAIN || err == unix.ENOMEM
}
