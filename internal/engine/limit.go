package engine

import (
	"time"

	"vyre"
	"vyre/agent"
)

// noteLimit keeps when a limit that was reached resets: the turn that fails at it
// may end in a later commit. A limit alone parks nothing, as the agent may get its
// answer all the same.
func (o *owner) noteLimit(t *tx, ev agent.Limit) {
	th := &o.book.thread
	if th.Parked != "" || th.Fallback != "" {
		return
	}
	until := vyre.Time(0)
	if ev.Status == "rejected" {
		until = ev.ResetsAt
	}
	if until != th.ParkedUntil {
		th.ParkedUntil, t.thread = until, true
	}
}

// atLimit decides what becomes of a turn that failed at the provider's limit, as
// part of the change that ends it. Where the agent did nothing that anybody could
// see, its messages wait in the queue again; else they stay with the turn, which
// failed, as doing half of it twice is worse than telling. Then the thread goes on
// with another credential, or is parked until the limit resets. It returns what
// the turn says.
func (o *owner) atLimit(t *tx, why string) string {
	t.durable()
	th := &o.book.thread
	if th.ParkedUntil == 0 { // nobody said when it resets: an API key's limit
		t.event(vyre.ThreadLimit{Status: "rejected"})
	}
	until := o.resets()
	if o.untouched() {
		if n := o.sayAgain(t); n > 0 {
			why += " (what was said waits in the queue)"
		}
	}
	t.thread = true
	th.ParkedUntil = until
	if kind := o.fallback(); kind != "" {
		th.Fallback = kind
		t.event(vyre.ThreadParked{Until: until, Fallback: kind})
		o.run.stale = "the limit is reached; it goes on with the credential " + kind
		return why
	}
	th.Parked = vyre.ParkedLimit
	t.event(vyre.ThreadParked{Why: vyre.ParkedLimit, Until: until})
	return why
}

// Bounds of a parking. Without a time from the provider it is tried again after a
// while that doubles; the longest window of a limit that is known is a week.
const (
	firstPark   = 5 * time.Minute
	lastPark    = time.Hour
	longestPark = 8 * 24 * time.Hour
)

// resets is when the limit that was just reached is over, as far as known.
func (o *owner) resets() vyre.Time {
	now := o.e.cfg.Now()
	if at := o.book.thread.ParkedUntil; at > vyre.At(now) && at < vyre.At(now.Add(longestPark)) {
		return at
	}
	wait := firstPark
	for _, m := range o.book.sent {
		for range m.Tries {
			wait = min(2*wait, lastPark)
		}
	}
	return vyre.At(now.Add(wait))
}

// untouched reports whether the running turn left nothing but its question and its
// failure.
func (o *owner) untouched() bool {
	for _, it := range o.book.items {
		if it.Turn != o.book.turn.ID {
			continue
		}
		switch it.Kind {
		case vyre.ItemUser, vyre.ItemError, vyre.ItemNotice, vyre.ItemRaw:
		case vyre.ItemText, vyre.ItemReasoning, vyre.ItemTool, vyre.ItemPlan, vyre.ItemCompaction, vyre.ItemSubagent:
			return false
		}
	}
	return true
}

// sayAgain puts the running turn's messages back in front of the queue. The agent
// has them in its history and would take the same id for said already, so each
// goes by another name there the next time.
func (o *owner) sayAgain(t *tx) int {
	var back []vyre.Message
	for _, m := range o.book.sent {
		if o.inTurn(m.ID) {
			m.Tries++
			back = append(back, m)
		}
	}
	o.requeue(t, back)
	return len(back)
}

// fallback is the credential to go on with at the limit of the one in use, or "".
func (o *owner) fallback() string {
	th := &o.book.thread
	if th.Fallback != "" || o.e.cfg.Credentials == nil {
		return ""
	}
	kind, err := o.e.cfg.Credentials.Fallback(o.e.ctx, th.Provider, th.Auth)
	if err != nil {
		o.log.Warn("another credential could not be looked for", "error", err)
		return ""
	}
	return kind
}
