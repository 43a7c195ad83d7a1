package vault

import (
	"context"

	"vyre"
)

// TakeIn is the input of vault.take.
type TakeIn struct {
	Thread vyre.ThreadID `json:"thread" jsonschema:"the thread whose session asks"`
	Name   string        `json:"name" jsonschema:"the item's name"`
}

// ThreadRef implements registry.ThreadReferrer.
func (in TakeIn) ThreadRef() vyre.ThreadID { return in.Thread }

// Taken is an item's value.
type Taken struct {
	Name    string `json:"name"`
	Version int    `json:"version"`
	Value   string `json:"value"`
}

// take gives a granted item to a process inside the session. A person gets none: values
// go in and come out for commands alone.
func (m *Module) take(ctx context.Context, c vyre.Caller, in TakeIn) (Taken, error) {
	if c.Kind != vyre.CallerThread || c.Thread() != in.Thread {
		return Taken{}, vyre.Errorf(vyre.CodeDenied, "a value is only given to a command of the session that it was granted to").
			WithHint("vyre vault exec NAME -- COMMAND, inside that session.")
	}
	th, err := m.Store.Thread(ctx, in.Thread)
	if err != nil {
		return Taken{}, err
	}
	ok, err := m.granted(ctx, in.Name, th)
	if err != nil {
		return Taken{}, err
	}
	if !ok { // also for what is not there: names are the person's to know
		return Taken{}, vyre.Errorf(vyre.CodeDenied, "the item %q is not granted to this thread", in.Name).
			WithHint("Ask for it with vault.request.")
	}
	sealed, version, err := m.Store.VaultGet(ctx, in.Name)
	if err != nil {
		return Taken{}, err
	}
	value, err := m.Sealer.Open(in.Name, version, sealed)
	if err != nil {
		return Taken{}, err
	}
	defer clear(value)
	err = m.Store.Commit(ctx, &vyre.Commit{
		Durable: true, Taken: &vyre.VaultUse{Name: in.Name, At: vyre.At(m.Now())},
		Events: []vyre.Event{vyre.NewEvent(in.Thread, "", vyre.VaultUsedData{Name: in.Name, Version: version, By: c.String()})},
	})
	if err != nil {
		return Taken{}, err // what is not written down does not happen
	}
	return Taken{in.Name, version, string(value)}, nil
}
