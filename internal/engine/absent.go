package engine

import (
	"context"
	"io"

	"vyre"
	"vyre/agent"
)

// absent is the process of a session that belongs to another home: a store that
// was copied names it. There is nothing of it here to read, and nothing of it may
// be ended or removed there.
type absent struct{ done chan struct{} }

func newAbsent() Process {
	a := absent{make(chan struct{})}
	close(a.done)
	return a
}

func (absent) Go(context.Context) (int, error)            { return 0, errAbsent() }
func (absent) Confined() (held, open []string)            { return nil, nil }
func (absent) Send(context.Context, uint64, []byte) error { return errAbsent() }
func (absent) Accepted(context.Context) (uint64, error)   { return 0, errAbsent() }
func (absent) SetOffset(int64)                            {}
func (absent) Read(context.Context, int) ([]Line, error)  { return nil, io.EOF }
func (absent) Committed(int64)                            {}
func (absent) Release(int64)                              {}
func (absent) Tree(context.Context) ([]Member, error)     { return nil, nil }
func (absent) Signal(context.Context, string) error       { return errAbsent() }
func (absent) Stop(context.Context) error                 { return nil }
func (a absent) Done() <-chan struct{}                    { return a.done }
func (absent) Exit() agent.Exited                         { return agent.Exited{Code: -1, Signal: "elsewhere"} }
func (absent) Detach()                                    {}

func errAbsent() error {
	return vyre.Errorf(vyre.CodeConflict, "this session belongs to another home")
}

// find takes over the process of a recorded session, if it is this home's.
func (e *Engine) find(ctx context.Context, s vyre.Session) (vyre.Session, Process, error) {
	if e.cfg.Ours(s) {
		proc, err := e.cfg.Launcher.Adopt(ctx, s)
		return s, proc, err
	}
	s.Dir = e.cfg.SessionDir(s.ID) // the copied folder, if any: that one is ours
	return s, newAbsent(), nil
}
