package redact

// Stream replaces secrets in a text that comes in pieces, also those that lie over
// several pieces. It belongs to one goroutine.
type Stream struct {
	scan *scan
	held []byte // the text from base on, not given out yet
	base int
}

// Stream begins a text.
func (r *Redactor) Stream() *Stream {
	s := &Stream{}
	if r.auto != nil {
		s.scan = newScan(r)
	}
	return s
}

// Write takes a piece and returns what is decided by now: all but an end that may
// be the start of a secret.
func (s *Stream) Write(p []byte) []byte {
	if s.scan == nil {
		return p
	}
	s.held = append(s.held, p...)
	s.scan.write(p)
	return s.give(s.scan.settled())
}

// Flush ends the text and returns the rest of it.
func (s *Stream) Flush() []byte {
	if s.scan == nil {
		return nil
	}
	s.scan.end()
	return s.give(s.scan.read)
}

// Held returns what was not given out yet, as it came.
func (s *Stream) Held() []byte { return s.held }

// give returns the text up to a place, which it moves to the start of a find that
// lies over it.
func (s *Stream) give(to int) []byte {
	hits := s.scan.hits
	for i, h := range hits {
		if h.to > to {
			hits, to = hits[:i], min(to, h.from)
			break
		}
	}
	if to <= s.base {
		return nil
	}
	out := s.scan.r.replace(s.held[:to-s.base], s.base, hits)
	s.held = append(s.held[:0], s.held[to-s.base:]...)
	s.base = to
	s.scan.drop(to)
	return out
}
