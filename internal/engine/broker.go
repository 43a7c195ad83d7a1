package engine

import (
	"context"

	"vyre"
	"vyre/agent"
)

// Broker gives sessions a key of their own in the place of their credential, and an
// address where it counts. The daemon wires it; its methods may be called from any
// goroutine.
type Broker interface {
	// Open makes an address for a session that begins and puts it, and the session's
	// key, into opts in the place of the credential. Without one to stand for, or where
	// it is not wanted, addr is "" and opts stay.
	Open(ctx context.Context, t vyre.Thread, p agent.Provider, opts *agent.Options) (addr, hash string, err error)
	// Adopt serves the address of a session that an earlier daemon left. Errors:
	// unavailable where something else has it.
	Adopt(t vyre.Thread, p agent.Provider, s vyre.Session) error
	// Close ends an address. Safe to repeat.
	Close(addr string)
}

// broker has a session that begins get its key, as the thread's credential of now.
func (o *owner) broker(ctx context.Context, t vyre.Thread, p agent.Provider, r *run, opts *agent.Options) (err error) {
	if o.e.cfg.Broker != nil {
		r.session.Broker, r.session.BrokerKey, err = o.e.cfg.Broker.Open(ctx, t, p, opts)
	}
	return err
}

// unbroker ends the address of a session that is over.
func (e *Engine) unbroker(addr string) {
	if e.cfg.Broker != nil && addr != "" {
		e.cfg.Broker.Close(addr)
	}
}

// brokerAgain serves an adopted session's address again. Where something else has it
// the agent can't reach its model any more; the thread says what to do.
func (o *owner) brokerAgain(ctx context.Context, p agent.Provider, s vyre.Session) {
	if s.Broker == "" || o.e.cfg.Broker == nil {
		return
	}
	t := o.book.thread
	t.Auth = o.inUse()
	err := o.e.cfg.Broker.Adopt(t, p, s)
	if err == nil {
		return
	}
	o.log.Error("the broker's address of a session can't be had again", "address", s.Broker, "error", err)
	c := o.record()
	c.durable()
	o.item(c, agent.Item{
		Key: "broker:" + vyre.NewID(), Kind: vyre.ItemNotice, Status: vyre.ItemCompleted, Title: "The agent can't reach its model",
		Text: vyre.AsError(err).Message + ": something else listens there. Stop the thread and resume it; it gets another one.",
	})
	o.insist(ctx, c)
}
