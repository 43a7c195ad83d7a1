package passkey

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"vyre"
	"vyre/internal/registry"
)

// Bounds on acts that wait.
const (
	// actLife is how long an act waits for its touch: a person has to read it, perhaps
	// on another device. Each challenge for it works for two minutes.
	actLife = 10 * time.Minute
	maxActs = 32
)

// Act states.
const (
	ActWaiting = "waiting" // for a touch
	ActRunning = "running" // it was touched
	ActDone    = "done"    // and has an outcome
	ActExpired = "expired"
)

// Act is a call that waits for a touch, or did.
type Act struct {
	ID      string
	Tool    string
	Input   json.RawMessage // as it came
	Shown   registry.Shown
	By      vyre.Caller
	State   string
	Created time.Time
	Expires time.Time
	Output  json.RawMessage // once it is done
	Err     error           // once it is done, or nil
	Sites   []string        // where it can be touched: origins that have a passkey
	Ticket  string          // a secret of who raised it, to wait for the outcome
}

// act is an Act with what only this package sees. Everything is guarded by
// acts.mu but the first line, which doesn't change.
type act struct {
	id, hash string
	Act

	nonce   []byte // of the challenge that is out, nil for none
	site    string // that it is for
	at      time.Time
	changed chan struct{} // closed at the next change
}

// acts are those of a home, the oldest first.
type acts struct {
	mu   sync.Mutex
	list []*act
}

// sweep drops what is over for long and notes what has expired.
func (a *acts) sweep(now time.Time) {
	a.list = slices.DeleteFunc(a.list, func(x *act) bool {
		if x.State == ActWaiting && !now.Before(x.Expires) {
			x.move(ActExpired)
		}
		return x.State != ActRunning && (now.Sub(x.Expires) >= actLife || now.Before(x.Created.Add(-actLife)))
	})
}

func (x *act) move(state string) {
	x.State = state
	close(x.changed)
	x.changed = make(chan struct{})
}

// raise keeps a call that needs a touch. The same call of the same caller is the
// same act as long as it waits, so that trying again raises no second one.
func (k *Keys) raise(call registry.Act, s registry.Shown) (Act, error) {
	hash, now := string(call.Hash(s)), k.c.Now()
	k.acts.mu.Lock()
	defer k.acts.mu.Unlock()
	k.acts.sweep(now)
	open := 0
	for _, x := range k.acts.list {
		if x.State != ActWaiting {
			continue
		}
		if open++; x.hash == hash && x.By.String() == call.Caller.String() && x.By.Session == call.Caller.Session {
			x.Expires = now.Add(actLife)
			return x.Act, nil
		}
	}
	if open >= maxActs {
		return Act{}, vyre.Errorf(vyre.CodeBusy, "too many acts wait for a touch").
			WithHint("Look at them on the page; each goes by itself after ten minutes.")
	}
	x := &act{id: vyre.NewID(), hash: hash, changed: make(chan struct{})}
	x.Act = Act{
		ID: x.id, Tool: call.Tool.Name, Input: call.Input, Shown: s, By: call.Caller, State: ActWaiting,
		Created: now, Expires: now.Add(actLife), Ticket: vyre.NewSecret(),
	}
	k.acts.list = append(k.acts.list, x)
	return x.Act, nil
}

// find returns an act. The lock must be held.
func (a *acts) find(id string) (*act, error) {
	for _, x := range a.list {
		if x.id == id {
			return x, nil
		}
	}
	return nil, vyre.NotFound("act", id).WithHint("An act waits for ten minutes, and not over a restart: begin it again.")
}

// by finds an act by its ticket. The lock must be held.
func (a *acts) by(ticket string) (*act, error) {
	for _, x := range a.list {
		if subtle.ConstantTimeCompare([]byte(x.Ticket), []byte(ticket)) == 1 {
			return x, nil
		}
	}
	return nil, vyre.Errorf(vyre.CodeNotFound, "no act waits under this ticket").
		WithHint("An act waits for ten minutes, and not over a restart: begin it again.")
}

// Act returns an act with where it can be touched. Errors: not_found.
func (k *Keys) Act(ctx context.Context, id string) (Act, error) {
	k.acts.mu.Lock()
	k.acts.sweep(k.c.Now())
	x, err := k.acts.find(id)
	if err != nil {
		k.acts.mu.Unlock()
		return Act{}, err
	}
	out := x.public()
	k.acts.mu.Unlock()
	out.Sites, err = k.touchable(ctx)
	return out, err
}

// Acts lists those that wait, the oldest first.
func (k *Keys) Acts() []Act {
	k.acts.mu.Lock()
	defer k.acts.mu.Unlock()
	k.acts.sweep(k.c.Now())
	var out []Act
	for _, x := range k.acts.list {
		if x.State == ActWaiting {
			out = append(out, x.public())
		}
	}
	return out
}

// public leaves out what only who raised it may see.
func (x *act) public() Act {
	out := x.Act
	out.Ticket, out.Output = "", nil
	return out
}

// Wait returns an act once it is over, or as it stands when ctx ends or it expires.
// The ticket went to who raised it, and to nobody else: the outcome may be theirs
// alone. Errors: not_found.
func (k *Keys) Wait(ctx context.Context, ticket string) (Act, error) {
	for {
		k.acts.mu.Lock()
		k.acts.sweep(k.c.Now())
		x, err := k.acts.by(ticket)
		if err != nil {
			k.acts.mu.Unlock()
			return Act{}, err
		}
		now, changed := x.Act, x.changed
		k.acts.mu.Unlock()
		if now.State == ActDone || now.State == ActExpired {
			return now, nil
		}
		t := time.NewTimer(max(time.Millisecond, now.Expires.Sub(k.c.Now())))
		over := t.C
		if now.State == ActRunning {
			over = nil // it ends when its call does
		}
		select {
		case <-changed:
		case <-over:
		case <-ctx.Done():
			t.Stop()
			return now, nil
		}
		t.Stop()
	}
}

// Challenge returns what the browser needs to touch a passkey of a site for an act.
// The challenge takes the place of an earlier one. Errors: not_found; conflict for
// an act that was touched or has expired; invalid for a site that is not ours;
// presence_required for one that has no passkey.
func (k *Keys) Challenge(ctx context.Context, id, site string) (json.RawMessage, error) {
	if err := k.site(site); err != nil {
		return nil, err
	}
	who, err := k.person(ctx, hostOf(site))
	if err != nil {
		return nil, err
	}
	if len(who.keys) == 0 {
		sites, err := k.touchable(ctx)
		if err != nil {
			return nil, err
		}
		return nil, vyre.Errorf(vyre.CodePresenceRequired, "no passkey was enrolled on this address").
			WithHint("Open the act on an address that has one, or enrol this device by pairing.").WithDetail("sites", sites)
	}
	nonce := make([]byte, 32)
	_, _ = rand.Read(nonce)
	k.acts.mu.Lock()
	defer k.acts.mu.Unlock()
	k.acts.sweep(k.c.Now())
	x, err := k.acts.find(id)
	if err != nil {
		return nil, err
	}
	if x.State != ActWaiting {
		return nil, over(x.State)
	}
	x.nonce, x.site, x.at = nonce, site, k.c.Now()
	return request(site, bind(nonce, x.hash), who)
}

func over(state string) *vyre.Error {
	if state == ActExpired {
		return vyre.Errorf(vyre.CodeConflict, "this act waited too long for its touch").WithHint("Begin it again.").WithDetail("state", state)
	}
	return vyre.Errorf(vyre.CodeConflict, "this act was touched already").WithHint("An act runs once.").WithDetail("state", state)
}

// touchable lists the origins that have a passkey.
func (k *Keys) touchable(ctx context.Context) ([]string, error) {
	list, err := k.List(ctx)
	out := []string{}
	for _, origin := range k.c.Sites() {
		if slices.ContainsFunc(list, func(p vyre.Passkey) bool { return p.Site == hostOf(origin) }) {
			out = append(out, origin)
		}
	}
	return out, err
}
