package gate

import (
	"context"

	"vyre"
)

// Approve is a person's yes to exactly the bytes that hash is of. The same yes again
// gives how it stands now. Errors: not_found; conflict when the hash is of something
// else, it was decided otherwise, its time is over or who asked has ended.
func (g *Gate) Approve(ctx context.Context, c vyre.Caller, id vyre.GateID, hash string) (vyre.GateAct, error) {
	return g.decide(ctx, id, func(a vyre.GateAct) (vyre.GateAct, error) {
		switch {
		case hash != a.Hash:
			return a, vyre.Errorf(vyre.CodeConflict, "this hash is not of this act: look at it again").WithDetail("hash", a.Hash)
		case approved(a):
			return a, nil
		case a.State != vyre.GateWaiting:
			return a, decided(a)
		case a.Sum() != a.Hash:
			return a, vyre.Errorf(vyre.CodeConflict, "the act was changed since it was asked for: it can't be approved")
		}
		if why, yes := g.over(a); yes {
			if a, err := g.expire(ctx, a, why); err != nil {
				return a, err
			}
			return a, vyre.Errorf(vyre.CodeConflict, "%s: it can't be approved any more", why)
		}
		if err := g.alive(ctx, a); err != nil {
			return a, err
		}
		_, ms := g.Machine()
		return g.move(ctx, a, vyre.GateApprove, func(a *vyre.GateAct) {
			g.by(a, c, "")
			a.NotSooner = ms + g.Undo.Milliseconds()
		}, vyre.GateDecided{Act: a.ID, Hash: a.Hash, By: c.String(), Proof: c.Proof, Level: c.Level})
	})
}

// Deny is a person's no, with words for who asked. Errors: not_found, conflict.
func (g *Gate) Deny(ctx context.Context, c vyre.Caller, id vyre.GateID, note string) (vyre.GateAct, error) {
	return g.decide(ctx, id, func(a vyre.GateAct) (vyre.GateAct, error) {
		switch a.State {
		case vyre.GateDenied:
			return a, nil
		case vyre.GateWaiting:
			return g.move(ctx, a, vyre.GateDeny, func(a *vyre.GateAct) { g.by(a, c, note) },
				vyre.GateRefused{Act: a.ID, By: c.String(), Proof: c.Proof, Level: c.Level})
		default:
			return a, decided(a)
		}
	})
}

// Cancel takes an act back before its first attempt: by a person, or who asked for it.
// Errors: not_found (also for another's), conflict once the attempt has begun.
func (g *Gate) Cancel(ctx context.Context, c vyre.Caller, id vyre.GateID) (vyre.GateAct, error) {
	return g.decide(ctx, id, func(a vyre.GateAct) (vyre.GateAct, error) {
		if !Sees(c, a) {
			return vyre.GateAct{}, vyre.NotFound("act at the gate", string(id))
		}
		switch a.State {
		case vyre.GateCancelled:
			return a, nil
		case vyre.GateWaiting, vyre.GateApproved:
			return g.move(ctx, a, vyre.GateCancel, func(a *vyre.GateAct) { g.by(a, c, "") }, vyre.GateTakenBack{Act: a.ID, By: c.String()})
		default:
			return a, decided(a)
		}
	})
}

// Settle is a person's word on an act whose outcome was unknown. Errors: not_found,
// conflict.
func (g *Gate) Settle(ctx context.Context, c vyre.Caller, id vyre.GateID, sent bool, note string) (vyre.GateAct, error) {
	return g.decide(ctx, id, func(a vyre.GateAct) (vyre.GateAct, error) {
		want, m := vyre.GateFailed, vyre.GateFail
		var data vyre.EventData = vyre.GateUndone{Act: a.ID, Why: "a person found out", By: c.String()}
		if sent {
			want, m = vyre.GateSent, vyre.GateDone
			data = vyre.GateDelivered{Act: a.ID, Status: a.Status, Attempts: a.Attempts, By: c.String()}
		}
		if a.State == want {
			return a, nil
		}
		if a.State != vyre.GateUnknown {
			return a, decided(a)
		}
		return g.move(ctx, a, m, func(a *vyre.GateAct) {
			a.Note, a.Outcome = note, a.Outcome+"; "+c.String()+" found out that it was "+string(want)
		}, data)
	})
}

// decide reads an act and moves it; if somebody moved it in between, once more, so that
// who comes second is told how it stands.
func (g *Gate) decide(ctx context.Context, id vyre.GateID, f func(vyre.GateAct) (vyre.GateAct, error)) (vyre.GateAct, error) {
	for try := 0; ; try++ {
		a, err := g.Store.GateAct(ctx, id)
		if err != nil {
			return a, err
		}
		out, err := f(a)
		if vyre.CodeOf(err) == vyre.CodeConflict && try < 3 {
			if now, rerr := g.Store.GateAct(ctx, id); rerr == nil && now.State != a.State {
				continue
			}
		}
		if err == nil {
			g.nudge()
		}
		return out, err
	}
}

// Sees reports whether a caller may know of an act: a person of all, others of theirs.
func Sees(c vyre.Caller, a vyre.GateAct) bool { return c.IsPerson() || c.String() == a.Caller }

func (g *Gate) by(a *vyre.GateAct, c vyre.Caller, note string) {
	a.Decided, a.By, a.Proof, a.Level, a.Note = vyre.At(g.Now()), c.String(), c.Proof, c.Level, note
}

// approved reports whether a person's yes was what was decided.
func approved(a vyre.GateAct) bool {
	switch a.State {
	case vyre.GateApproved, vyre.GateSending, vyre.GateSent, vyre.GateFailed, vyre.GateUnknown:
		return true
	default:
		return false
	}
}

// decided is the conflict that says what was decided, by whom and when.
func decided(a vyre.GateAct) error {
	e := vyre.Errorf(vyre.CodeConflict, "this act is %s already", a.State).WithDetail("state", string(a.State))
	if a.By != "" {
		e = e.WithDetail("by", a.By).WithDetail("at", a.Decided.String())
	}
	return e
}

// Warnings says what a person should know of an act before a yes.
func (g *Gate) Warnings(a vyre.GateAct) []string {
	if s := g.Senders[a.Kind]; s != nil {
		return append([]string{}, s.Warn(a)...)
	}
	return []string{}
}
