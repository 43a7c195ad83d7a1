package redact

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Live is a Redactor whose secrets come and go while it is used.
type Live struct {
	now atomic.Pointer[Redactor]

	mu      sync.Mutex
	secrets []Secret // guarded by mu, sorted by name
}

// NewLive returns a Live that has no secret.
func NewLive() *Live {
	l := &Live{}
	l.now.Store(New(nil))
	return l
}

// Add adds a value of an item; what it has already stays. It is copied. When it
// returns every later call replaces it.
func (l *Live) Add(name string, value []byte) { l.AddAll([]Secret{{name, value}}) }

// AddAll is Add for many at once.
func (l *Live) AddAll(list []Secret) {
	l.mu.Lock()
	defer l.mu.Unlock()
	changed := false
	for _, s := range list {
		has := func(x Secret) bool { return x.Name == s.Name && bytes.Equal(x.Value, s.Value) }
		if len(s.Value) > 0 && !slices.ContainsFunc(l.secrets, has) {
			l.secrets, changed = append(l.secrets, Secret{s.Name, bytes.Clone(s.Value)}), true
		}
	}
	if changed {
		slices.SortStableFunc(l.secrets, func(a, b Secret) int { return strings.Compare(a.Name, b.Name) })
		l.now.Store(New(l.secrets))
	}
}

// Now returns the Redactor of this moment.
func (l *Live) Now() *Redactor { return l.now.Load() }

// Bytes is Redactor.Bytes.
func (l *Live) Bytes(b []byte) []byte { return l.Now().Bytes(b) }

// String is Redactor.String.
func (l *Live) String(s string) string { return l.Now().String(s) }

// JSON is Redactor.JSON.
func (l *Live) JSON(b []byte) []byte { return l.Now().JSON(b) }

// Stream begins a text.
func (l *Live) Stream() *LiveStream { return &LiveStream{live: l} }

// LiveStream is a Stream that goes on with the secrets of the moment. It belongs to
// one goroutine.
type LiveStream struct {
	live *Live
	r    *Redactor
	s    *Stream
}

// Write is Stream.Write.
func (s *LiveStream) Write(p []byte) []byte {
	if r := s.live.Now(); r != s.r {
		var held []byte
		if s.s != nil {
			held = bytes.Clone(s.s.Held())
		}
		s.r, s.s = r, r.Stream()
		p = append(held, p...)
	}
	return s.s.Write(p)
}

// Flush is Stream.Flush; the stream begins anew after.
func (s *LiveStream) Flush() []byte {
	if s.s == nil {
		return nil
	}
	out := s.Write(nil) // by the secrets of now
	out = append(bytes.Clone(out), s.s.Flush()...)
	s.r, s.s = nil, nil
	return out
}

// Held is Stream.Held.
func (s *LiveStream) Held() []byte {
	if s.s == nil {
		return nil
	}
	return s.s.Held()
}
