package main

import (
	"golang.org/x/sys/unix"

	"vyre/internal/fail"
	"vyre/internal/shim/proto"
)

// spool appends the agent's output to segments. Bytes that the disk would not
// take wait in rest; until it is empty nothing more is read from the agent.
type spool struct {
	dir            string
	segment, bound uint64
	fd             int
	start          uint64 // of the open segment
	end            uint64 // after the last byte on disk
	committed      uint64 // what lies before does not wait for the daemon
	oldest         uint64 // start of the oldest segment there is
	released       uint64
	rest           []byte // points into buf
	buf            []byte
}

const readSize = 64 << 10

func (s *spool) open(dir string, segment, bound uint64) error {
	s.dir, s.segment, s.bound = dir+"/"+proto.SpoolDir, segment, bound
	s.buf = make([]byte, readSize)
	return s.openSegment(0)
}

func (s *spool) openSegment(start uint64) error {
	fd, err := ignoringEINTR(func() (int, error) {
		return unix.Open(s.path(start), unix.O_WRONLY|unix.O_CREAT|unix.O_APPEND|unix.O_CLOEXEC, 0o600)
	})
	if err != nil {
		return err
	}
	closeFD(&s.fd)
	s.fd, s.start = fd, start
	return nil
}

func (s *spool) path(start uint64) string { return s.dir + "/" + proto.SegmentName(int64(start)) }

// room is how many bytes may be read from the agent now.
func (s *spool) room(bounded bool) int {
	if len(s.rest) > 0 {
		return 0
	}
	if !bounded {
		return readSize
	}
	waiting := s.end - s.committed
	if waiting >= s.bound {
		return 0
	}
	return int(min(readSize, s.bound-waiting))
}

// write puts what waits in rest on disk, as far as the disk takes it.
func (s *spool) write() error {
	fail.Point("vyre-shim.spool")
	for len(s.rest) > 0 {
		if s.end-s.start >= s.segment {
			if err := s.openSegment(s.end); err != nil {
				return err
			}
		}
		part := s.rest
		if room := s.segment - (s.end - s.start); uint64(len(part)) > room {
			part = part[:room]
		}
		n, err := ignoringEINTR(func() (int, error) { return unix.Write(s.fd, part) })
		if n > 0 {
			s.end += uint64(n)
			s.rest = s.rest[n:]
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// commit takes output before offset out of the bound.
func (s *spool) commit(offset uint64) {
	if offset > s.committed && offset <= s.end {
		s.committed = offset
	}
}

// release forgets output before offset: whole segments are removed.
func (s *spool) release(offset uint64) {
	if offset <= s.released || offset > s.end {
		return
	}
	s.released = offset
	s.commit(offset)
	for s.oldest+s.segment <= offset && s.oldest < s.start {
		_ = unix.Unlink(s.path(s.oldest))
		s.oldest += s.segment
	}
}
