package gate

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"vyre"
)

// Request puts an act before a person. a holds what was asked for: kind, target,
// options, payload, summary, key and whether it is idempotent. The same caller's key
// again gives the first act, if it is the same act, and is a conflict otherwise.
// Errors: invalid, naming the field; limit; conflict; those of the sender and the store.
func (g *Gate) Request(ctx context.Context, c vyre.Caller, a vyre.GateAct, life time.Duration) (vyre.GateAct, error) {
	a.ID, a.State = vyre.GateID(vyre.NewID()), vyre.GateWaiting
	a.Caller, a.Thread, a.Created = c.String(), c.Thread(), vyre.At(g.Now())
	sender, err := g.check(ctx, c, a, life)
	if err != nil {
		return a, err
	}
	if err := sender.Prepare(ctx, &a); err != nil {
		return a, err
	}
	if err := g.clean(a); err != nil { // what was filled in, too
		return a, err
	}
	if a.Key != "" {
		if first, there, err := g.Store.GateByKey(ctx, a.Caller, a.Key); err != nil || there {
			return same(first, a, err)
		}
	}
	if err := g.room(ctx, a.Caller); err != nil {
		return a, err
	}
	boot, ms := g.Machine()
	a.Boot, a.Deadline, a.Expires, a.Hash = boot, ms+life.Milliseconds(), vyre.At(g.Now().Add(life)), a.Sum()
	commit := vyre.Commit{
		Durable: true, Gate: []vyre.GateWrite{{Act: a}},
		Events: []vyre.Event{vyre.NewEvent(a.Thread, "", vyre.GateRequested{
			Act: a.ID, Kind: a.Kind, Target: sender.Label(a), Summary: a.Summary, Hash: a.Hash, Bytes: len(a.Payload), By: a.Caller, Expires: a.Expires,
		})},
	}
	err = g.Store.Commit(ctx, &commit)
	if vyre.CodeOf(err) == vyre.CodeConflict && a.Key != "" { // the same request came twice at once
		first, there, rerr := g.Store.GateByKey(ctx, a.Caller, a.Key)
		if rerr == nil && there {
			return same(first, a, nil)
		}
	}
	g.nudge() // it expires some day
	return a, err
}

func (g *Gate) check(ctx context.Context, c vyre.Caller, a vyre.GateAct, life time.Duration) (Sender, error) {
	sender, ok := g.Senders[a.Kind]
	switch {
	case !ok:
		return nil, vyre.Invalid("kind", "http or git.push")
	case len(a.Payload) > MaxPayload:
		return nil, vyre.Invalid("payload", "at most %d bytes", MaxPayload)
	case a.Summary == "" || len(a.Summary) > 500:
		return nil, vyre.Invalid("summary", "1 to 500 bytes: what it does, for the person who decides")
	case a.Key != "" && !vyre.ValidID(a.Key):
		return nil, vyre.Invalid("key", "1 to 64 of a-z, 0-9, _ and -")
	case life < time.Second || life > MaxTime:
		return nil, vyre.Invalid("expires", "1s to %s", MaxTime)
	}
	if boot, _ := g.Machine(); boot == "" {
		return nil, vyre.Errorf(vyre.CodeUnavailable, "this machine does not say when it started, so nothing can be let wait")
	}
	if err := g.clean(a); err != nil {
		return nil, err
	}
	if err := g.alive(ctx, a); err != nil {
		return nil, err
	}
	return sender, g.near(ctx, c, a)
}

// near holds a thread to repositories in its own folder, and others to none: words about
// the commits of any folder on this machine would be theirs to read otherwise.
func (g *Gate) near(ctx context.Context, c vyre.Caller, a vyre.GateAct) error {
	if a.Options.Repo == "" || c.IsPerson() {
		return nil
	}
	if a.Thread != "" {
		t, err := g.Store.Thread(ctx, a.Thread)
		if err != nil {
			return err
		}
		repo, rerr := filepath.EvalSymlinks(a.Options.Repo)
		cwd, cerr := filepath.EvalSymlinks(t.CWD)
		if rel, err := filepath.Rel(cwd, repo); rerr == nil && cerr == nil && err == nil && filepath.IsLocal(rel) {
			return nil
		}
	}
	return vyre.Invalid("options.repo", "the thread's own folder, or one below it")
}

// clean refuses an act that has a value of the vault in it: what goes out is stored
// to the byte, and no value is.
func (g *Gate) clean(a vyre.GateAct) error {
	secrets := g.Secrets()
	parts := []struct {
		field string
		text  []byte
	}{{"payload", a.Payload}, {"target", []byte(a.Target)}, {"summary", []byte(a.Summary)}, {"options.repo", []byte(a.Options.Repo)}, {"options.ref", []byte(a.Options.Ref)}}
	for name, value := range a.Options.Headers {
		parts = append(parts, struct {
			field string
			text  []byte
		}{"options.headers." + name, []byte(name + ": " + value)})
	}
	for _, p := range parts {
		if secrets.Has(p.text) {
			return vyre.Invalid(p.field, "it holds a value of the vault").WithHint("Name the vault item in options.secret: its value is put in when the act is done.")
		}
	}
	return nil
}

// same answers a request whose key was used.
func same(first, now vyre.GateAct, err error) (vyre.GateAct, error) {
	if err != nil {
		return now, err
	}
	now.ID = first.ID
	if now.Sum() != first.Hash {
		return first, vyre.Errorf(vyre.CodeConflict, "this key was used for another act").WithDetail("act", string(first.ID))
	}
	return first, nil
}

// room bounds how many acts one caller may have and ask for: each wants a person's eye.
func (g *Gate) room(ctx context.Context, caller string) error {
	live, err := g.Store.GateLive(ctx)
	if err != nil {
		return err
	}
	n := 0
	for _, a := range live {
		if a.Caller == caller {
			n++
		}
	}
	if n >= MaxWaiting {
		return vyre.Errorf(vyre.CodeLimit, "%d acts of yours wait already", n).WithHint("Take some back with gate.cancel, or wait for the person.")
	}
	since := g.Now().Add(-time.Hour)
	g.mu.Lock()
	defer g.mu.Unlock()
	for c, times := range g.asked { // what is old is forgotten, also of callers that are gone
		for len(times) > 0 && times[0].Before(since) {
			times = times[1:]
		}
		if g.asked[c] = times; len(times) == 0 {
			delete(g.asked, c)
		}
	}
	if len(g.asked[caller]) >= PerHour {
		return vyre.Errorf(vyre.CodeLimit, "at most %d acts may be asked for in an hour", PerHour).WithDetail("retry_at", vyre.At(g.asked[caller][0].Add(time.Hour)).String())
	}
	g.asked[caller] = append(g.asked[caller], g.Now())
	return nil
}

// alive says whether who asked is still there. A thread that sleeps is; one that is
// deleted or archived, that its person stopped or that broke out is not.
func (g *Gate) alive(ctx context.Context, a vyre.GateAct) error {
	if a.Thread == "" {
		return nil
	}
	t, err := g.Store.Thread(ctx, a.Thread)
	if e, ok := errors.AsType[*vyre.Error](err); ok && e.Code == vyre.CodeNotFound {
		return vyre.Errorf(vyre.CodeConflict, "the thread that asked for it is gone")
	}
	if err != nil {
		return err
	}
	if t.Archived || t.State == vyre.StateStopped && (t.Reason == vyre.StopPerson || t.Reason == vyre.StopBreach) {
		return vyre.Errorf(vyre.CodeConflict, "the session that asked for it has ended").
			WithHint("Have it asked for again once the thread goes on.").WithDetail("thread", string(a.Thread))
	}
	return nil
}
