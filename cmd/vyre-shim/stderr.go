package main

import (
	"golang.org/x/sys/unix"

	"vyre/internal/shim/proto"
)

// lastWords keeps the end of the agent's stderr in two files: the newer one is
// filled, then takes the older one's place. What the disk does not take is
// dropped: words for people must never hold the agent up.
type lastWords struct {
	dir  string
	fd   int
	size int
}

func (w *lastWords) write(b []byte) {
	for len(b) > 0 {
		if w.fd == 0 && !w.open() {
			return
		}
		part := b[:min(len(b), proto.StderrKeep-w.size)]
		n, err := ignoringEINTR(func() (int, error) { return unix.Write(w.fd, part) })
		if err != nil || n <= 0 {
			return
		}
		w.size += n
		b = b[n:]
		if w.size >= proto.StderrKeep {
			w.turn()
		}
	}
}

func (w *lastWords) open() bool {
	fd, err := unix.Open(w.dir+"/"+proto.StderrFile, unix.O_WRONLY|unix.O_CREAT|unix.O_TRUNC|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return false
	}
	w.fd, w.size = fd, 0
	return true
}

func (w *lastWords) turn() {
	closeFD(&w.fd)
	_ = unix.Rename(w.dir+"/"+proto.StderrFile, w.dir+"/"+proto.StderrOld)
}
