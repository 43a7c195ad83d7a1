package slots

import (
	"context"

	"vyre"
	"vyre/internal/registry"
)

// Engine keeps the slots. internal/engine implements it.
type Engine interface {
	Slots() []vyre.Slot
	TakeSlot(ctx context.Context, thread vyre.ThreadID, wait bool) (vyre.Slot, error)
	ReleaseSlot(ctx context.Context, id string, of vyre.ThreadID) (vyre.Slot, error)
}

// Module holds what the tool needs.
type Module struct{ Engine Engine }

// Act is what to do about slots.
type Act string

// The acts.
const (
	ActList    Act = "list"
	ActTake    Act = "take"
	ActRelease Act = "release"
)

// Enum lists the acts.
func (Act) Enum() []string { return []string{string(ActList), string(ActTake), string(ActRelease)} }

// In is the input of sessions.slots.
type In struct {
	Act    Act           `json:"act,omitempty" jsonschema:"list, take (a teammate's place) or release; default list"`
	Thread vyre.ThreadID `json:"thread,omitempty" jsonschema:"take: for which thread; list: of which thread alone"`
	Slot   string        `json:"slot,omitempty" jsonschema:"release: which place, as list or take named it"`
	Wait   bool          `json:"wait,omitempty" jsonschema:"take: wait in the line until a place is free; else refused at once with the position"`
}

// Out is the output of sessions.slots.
type Out struct {
	Slots []vyre.Slot `json:"slots"`
}

// Register declares the tool and its event.
func (m *Module) Register(r *registry.Registry) {
	registry.Define(r, vyre.Tool{
		Name: "sessions.slots", Effect: vyre.EffectWrite, Reach: vyre.ReachOwn,
		Summary: "List the places for parallel work and the line for them, or take or give back a teammate's. A thread sees and moves its own.",
	}, m.slots)
	registry.DefineEvent[vyre.SlotsChanged](r, "A place for parallel work was asked for, given or given back, or moved up in the line.")
}

func (m *Module) slots(ctx context.Context, c vyre.Caller, in In) (Out, error) {
	own := c.Thread()
	if own != "" {
		if in.Thread != "" && in.Thread != own {
			return Out{}, vyre.Errorf(vyre.CodeDenied, "a thread may see and take places for itself only").WithDetail("field", "thread")
		}
		in.Thread = own
	}
	if in.Act != ActRelease && in.Slot != "" {
		return Out{}, vyre.Invalid("slot", "only release names a place")
	}
	if in.Act != ActTake && in.Wait {
		return Out{}, vyre.Invalid("wait", "only take can wait")
	}
	switch in.Act {
	case ActTake:
		if in.Thread == "" {
			return Out{}, vyre.Invalid("thread", "which thread works as a teammate?")
		}
		s, err := m.Engine.TakeSlot(ctx, in.Thread, in.Wait)
		return one(s, err)
	case ActRelease:
		if in.Slot == "" {
			return Out{}, vyre.Invalid("slot", "which place? sessions.slots lists them")
		}
		s, err := m.Engine.ReleaseSlot(ctx, in.Slot, own)
		return one(s, err)
	case ActList, "":
	}
	out := Out{Slots: []vyre.Slot{}}
	for _, s := range m.Engine.Slots() {
		if in.Thread == "" || s.Thread == in.Thread {
			out.Slots = append(out.Slots, s)
		}
	}
	return out, nil
}

func one(s vyre.Slot, err error) (Out, error) {
	if err != nil {
		return Out{}, err
	}
	return Out{Slots: []vyre.Slot{s}}, nil
}
