package passkey

import (
	"sync"
	"time"
)

// Bounds on what is under way.
const (
	// challengeLife is how long a challenge works.
	challengeLife = 2 * time.Minute
	maxPending    = 64
)

// pending keeps what a challenge was made for until it is taken, once.
type pending[T any] struct {
	mu   sync.Mutex
	now  func() time.Time
	list []waiting[T] // the oldest first; guarded by mu
}

type waiting[T any] struct {
	key string
	at  time.Time
	v   T
}

func (p *pending[T]) clock(now func() time.Time) { p.now = now }

// put keeps v under a key. Beyond the bound the oldest goes: who floods this hits
// those that are slow, and only for a moment.
func (p *pending[T]) put(key string, v T) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.list) >= maxPending {
		p.list = p.list[1:]
	}
	p.list = append(p.list, waiting[T]{key, p.now(), v})
}

// take removes and returns what is kept under a key. It is there for two minutes
// and to nobody twice.
func (p *pending[T]) take(key string) (v T, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, w := range p.list {
		if w.key != key {
			continue
		}
		p.list = append(p.list[:i:i], p.list[i+1:]...)
		return w.v, fresh(w.at, p.now())
	}
	return v, false
}

// fresh reports whether a challenge of a time works: a clock that was put back
// makes none live longer.
func fresh(made, now time.Time) bool {
	age := now.Sub(made)
	return age >= 0 && age < challengeLife
}
