package vault

import (
	"context"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"vyre"
)

// Bounds of requests: an agent may ask, not shout.
const (
	maxWhy     = 500 // bytes
	maxOpen    = 5   // open requests of a thread
	defaultFor = 45 * time.Second
	longestFor = 50 * time.Second
)

// RequestIn is the input of vault.request.
type RequestIn struct {
	Thread vyre.ThreadID `json:"thread" jsonschema:"the thread"`
	Name   string        `json:"name" jsonschema:"the item that is needed, 1 to 64 of a-z, 0-9, _ and -"`
	Why    string        `json:"why" jsonschema:"what it is for, in a sentence for the person"`
	WaitS  *int          `json:"wait_s,omitempty" jsonschema:"how long to wait for the decision, 0 to 50 seconds, 45 by default"`
}

// ThreadRef implements registry.ThreadReferrer.
func (in RequestIn) ThreadRef() vyre.ThreadID { return in.Thread }

// RequestOut says how the request stands.
type RequestOut struct {
	Request string                 `json:"request,omitempty"`
	State   vyre.VaultRequestState `json:"state" jsonschema:"open (call again to learn more), granted or declined"`
	Use     string                 `json:"use,omitempty"` // how a granted item is used
}

func (m *Module) request(ctx context.Context, c vyre.Caller, in RequestIn) (RequestOut, error) {
	if c.IsPerson() {
		return RequestOut{}, vyre.Errorf(vyre.CodeDenied, "only a session asks for an item").
			WithHint("vyre vault put NAME stores one, vyre vault grant NAME lets somebody have it.")
	}
	wait, err := in.check()
	if err != nil {
		return RequestOut{}, err
	}
	th, err := m.Store.Thread(ctx, in.Thread)
	if err != nil {
		return RequestOut{}, err
	}
	q, err := m.raise(ctx, th, in)
	if err != nil || q.State != vyre.VaultAsked {
		return outcome(in.Name, q), err
	}
	if q, err = m.await(ctx, q, wait); err != nil {
		return RequestOut{}, err
	}
	return outcome(in.Name, q), nil
}

func (in *RequestIn) check() (time.Duration, error) {
	if !vyre.ValidID(in.Name) {
		return 0, vyre.Invalid("name", "must be 1 to 64 of a-z, 0-9, _ and -")
	}
	if in.Why = strings.TrimSpace(in.Why); in.Why == "" || len(in.Why) > maxWhy || !utf8.ValidString(in.Why) {
		return 0, vyre.Invalid("why", "must be a sentence of at most %d bytes", maxWhy)
	}
	if in.WaitS == nil {
		return defaultFor, nil
	}
	d := time.Duration(*in.WaitS) * time.Second
	if d < 0 || d > longestFor {
		return 0, vyre.Invalid("wait_s", "must be 0 to %d", int(longestFor.Seconds()))
	}
	return d, nil
}

func outcome(name string, q vyre.VaultRequest) RequestOut {
	out := RequestOut{Request: q.ID, State: q.State}
	if q.State == vyre.VaultGranted {
		out.Use = "vyre vault exec " + name + " -- COMMAND"
	}
	return out
}

// raise returns the thread's open request for the item, making it where there is none.
// A declined one is told for a while before the person can be asked again.
func (m *Module) raise(ctx context.Context, th vyre.Thread, in RequestIn) (vyre.VaultRequest, error) {
	m.shared.changing.Lock()
	defer m.shared.changing.Unlock()
	if ok, err := m.granted(ctx, in.Name, th); err != nil || ok {
		return vyre.VaultRequest{State: vyre.VaultGranted}, err
	}
	now := vyre.At(m.Now())
	earlier, err := m.Store.VaultRequests(ctx, in.Thread, in.Name, true)
	if err != nil {
		return vyre.VaultRequest{}, err
	}
	if len(earlier) > 0 && (earlier[0].State == vyre.VaultAsked ||
		earlier[0].State == vyre.VaultDeclined && now-earlier[0].At < declinedFor) {
		return earlier[0], nil
	}
	open, err := m.Store.VaultRequests(ctx, in.Thread, "", false)
	if err != nil {
		return vyre.VaultRequest{}, err
	}
	if len(open) >= maxOpen {
		return vyre.VaultRequest{}, vyre.Errorf(vyre.CodeBusy, "this thread has %d requests open already", len(open)).
			WithHint("Wait until the person decided them.")
	}
	q := vyre.VaultRequest{ID: vyre.NewID(), Thread: in.Thread, Name: in.Name, Why: in.Why, State: vyre.VaultAsked, Created: now}
	return q, m.Store.Commit(ctx, &vyre.Commit{
		Durable: true, Requests: []vyre.VaultRequest{q},
		Events: []vyre.Event{vyre.NewEvent(in.Thread, "", vyre.VaultRequested{Request: q.ID, Name: q.Name, Why: q.Why})},
	})
}

// declinedFor is how long no means no, in milliseconds.
const declinedFor = vyre.Time(10 * 60 * 1000)

// await returns the request once it is decided or the wait is over.
func (m *Module) await(ctx context.Context, q vyre.VaultRequest, d time.Duration) (vyre.VaultRequest, error) {
	decided, done := m.shared.waiting.join(q.ID)
	defer done()
	timer := time.NewTimer(d)
	defer timer.Stop()
	now, err := m.Store.VaultRequest(ctx, q.ID) // it may have been decided before we joined
	if err != nil || now.State != vyre.VaultAsked {
		return now, err
	}
	select {
	case <-decided:
	case <-timer.C:
	case <-ctx.Done():
		return q, context.Cause(ctx)
	}
	return m.Store.VaultRequest(ctx, q.ID)
}

// DeclineIn is the input of vault.decline.
type DeclineIn struct {
	Request string `json:"request" jsonschema:"its id"`
}

func (m *Module) decline(ctx context.Context, c vyre.Caller, in DeclineIn) (vyre.VaultRequest, error) {
	m.shared.changing.Lock()
	defer m.shared.changing.Unlock()
	q, err := m.Store.VaultRequest(ctx, in.Request)
	if err != nil {
		return vyre.VaultRequest{}, err
	}
	if q.State != vyre.VaultAsked {
		return vyre.VaultRequest{}, vyre.Errorf(vyre.CodeConflict, "already %s, by %s at %s", q.State, q.By, q.At)
	}
	commit := &vyre.Commit{Durable: true}
	decide(commit, q, vyre.VaultDeclined, c, vyre.At(m.Now()))
	if err := m.Store.Commit(ctx, commit); err != nil {
		return vyre.VaultRequest{}, err
	}
	m.shared.waiting.wake(q.ID)
	return commit.Requests[0], nil
}

// decide adds a decision to a commit.
func decide(commit *vyre.Commit, q vyre.VaultRequest, as vyre.VaultRequestState, c vyre.Caller, at vyre.Time) {
	q.State, q.By, q.At = as, c.String(), at
	commit.Requests = append(commit.Requests, q)
	commit.Events = append(commit.Events, vyre.NewEvent(q.Thread, "", vyre.VaultDecided{Request: q.ID, Name: q.Name, State: as, By: q.By}))
}

// waiting are the calls that wait for a decision, by request.
type waiting struct {
	mu  sync.Mutex
	all map[string]*waiters
}

type waiters struct {
	decided chan struct{}
	n       int
}

func (w *waiting) join(id string) (decided <-chan struct{}, done func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.all == nil {
		w.all = map[string]*waiters{}
	}
	x := w.all[id]
	if x == nil {
		x = &waiters{decided: make(chan struct{})}
		w.all[id] = x
	}
	x.n++
	return x.decided, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if x.n--; x.n == 0 && w.all[id] == x {
			delete(w.all, id)
		}
	}
}

func (w *waiting) wake(ids ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, id := range ids {
		if x := w.all[id]; x != nil {
			close(x.decided)
			delete(w.all, id)
		}
	}
}
