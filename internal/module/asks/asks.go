package asks

import (
	"context"
	"encoding/json"

	"vyre"
	"vyre/internal/engine"
	"vyre/internal/registry"
	"vyre/internal/store/sqlite"
)

// Engine decides asks. internal/engine implements it.
type Engine interface {
	Answer(ctx context.Context, in engine.AnswerInput) (vyre.Ask, error)
	AnswerGroup(ctx context.Context, in engine.GroupInput) ([]engine.GroupAnswer, error)
}

// Store reads asks. internal/store/sqlite implements it.
type Store interface {
	Asks(ctx context.Context, q sqlite.AskQuery) ([]vyre.Ask, string, error)
	Ask(ctx context.Context, id vyre.AskID) (vyre.Ask, error)
}

// Module holds what the tools need.
type Module struct {
	Engine Engine
	Store  Store
}

// Register declares the tools and the events of asks.
func (m *Module) Register(r *registry.Registry) {
	registry.Define(r, vyre.Tool{
		Name: "threads.asks", Effect: vyre.EffectRead, Reach: vyre.ReachOwn,
		Summary: "List what agents ask, the open ones by default. A thread sees its own alone.",
	}, m.list)
	registry.Define(r, vyre.Tool{
		Name: "threads.answer", Effect: vyre.EffectWrite, Reach: vyre.ReachPerson, Decides: true,
		Summary: "Answer what an agent asks. The first answer stands; it reaches the agent exactly once.",
	}, m.answer)
	registry.Describe(r, "threads.answer", m.describe)
	registry.Define(r, vyre.Tool{
		Name: "threads.answer_group", Effect: vyre.EffectWrite, Reach: vyre.ReachPerson, Decides: true,
		Summary: "Answer several asks about the same act (the same alike) by one act. If one of them is not what was shown, nothing is decided.",
	}, m.answerGroup)
	registry.Describe(r, "threads.answer_group", m.describeGroup)
	registry.DefineEvent[vyre.AskRaised](r, "A question waits for a person.")
	registry.DefineEvent[vyre.AskAnsweredData](r, "An answer reached the session.")
	registry.DefineEvent[vyre.AskCancelledData](r, "A question can't be answered any more.")
}

// ListIn is the input of threads.asks.
type ListIn struct {
	Ask    vyre.AskID    `json:"ask,omitempty" jsonschema:"only this one, whatever its state"`
	Thread vyre.ThreadID `json:"thread,omitempty" jsonschema:"only this thread's"`
	State  vyre.AskState `json:"state,omitempty" jsonschema:"default: open and answering"`
	Limit  int           `json:"limit,omitempty" jsonschema:"at most 200; default 50"`
	Next   string        `json:"next,omitempty" jsonschema:"the next of an earlier answer"`
}

// ListOut is the output of threads.asks.
type ListOut struct {
	Asks []vyre.Ask `json:"asks"`
	Next string     `json:"next"`
}

func (m *Module) list(ctx context.Context, c vyre.Caller, in ListIn) (ListOut, error) {
	if in.Limit < 0 || in.Limit > 200 {
		return ListOut{}, vyre.Invalid("limit", "1 to 200")
	}
	if in.Limit == 0 {
		in.Limit = 50
	}
	if own := c.Thread(); own != "" {
		if in.Thread != "" && in.Thread != own {
			return ListOut{}, vyre.Errorf(vyre.CodeDenied, "a thread sees its own asks alone")
		}
		in.Thread = own
	}
	if in.Ask != "" {
		return m.one(ctx, in)
	}
	list, next, err := m.Store.Asks(ctx, sqlite.AskQuery{Thread: in.Thread, State: in.State, Limit: in.Limit, Next: in.Next})
	if list == nil {
		list = []vyre.Ask{}
	}
	return ListOut{list, next}, err
}

// one answers for a single ask, which must be the named thread's if one is named.
func (m *Module) one(ctx context.Context, in ListIn) (ListOut, error) {
	a, err := m.Store.Ask(ctx, in.Ask)
	if err != nil {
		return ListOut{}, err
	}
	if in.Thread != "" && a.Thread != in.Thread || in.State != "" && a.State != in.State {
		return ListOut{Asks: []vyre.Ask{}}, nil
	}
	return ListOut{Asks: []vyre.Ask{a}}, nil
}

// AnswerIn is the input of threads.answer.
type AnswerIn struct {
	Ask       vyre.AskID        `json:"ask" jsonschema:"the ask"`
	Decision  vyre.Decision     `json:"decision" jsonschema:"allow or deny"`
	Option    string            `json:"option,omitempty" jsonschema:"the id of one of the ask's options"`
	Scope     vyre.Scope        `json:"scope,omitempty" jsonschema:"how far an allow reaches; default once"`
	Message   string            `json:"message,omitempty" jsonschema:"a note for the agent, with a denial"`
	Input     json.RawMessage   `json:"input,omitempty" jsonschema:"replaces the call's input, with an allow"`
	Answers   map[string]string `json:"answers,omitempty" jsonschema:"a question's answers, keyed by the full question text"`
	Mode      vyre.Mode         `json:"mode,omitempty" jsonschema:"the mode to go on in, with a plan's approval"`
	Interrupt bool              `json:"interrupt,omitempty" jsonschema:"a denial that also ends the turn"`
	Digest    string            `json:"digest,omitempty" jsonschema:"the digest of what was shown; a changed ask is refused"`
}

const maxNote = 64 << 10

func (m *Module) answer(ctx context.Context, c vyre.Caller, in AnswerIn) (vyre.Ask, error) {
	if len(in.Message) > maxNote {
		return vyre.Ask{}, vyre.Invalid("message", "at most %d bytes", maxNote)
	}
	if in.Input != nil {
		var obj map[string]json.RawMessage
		if json.Unmarshal(in.Input, &obj) != nil || obj == nil {
			return vyre.Ask{}, vyre.Invalid("input", "a call's input is an object")
		}
		if in.Decision != vyre.Allow {
			return vyre.Ask{}, vyre.Invalid("input", "only an allow may change the input")
		}
	}
	return m.Engine.Answer(ctx, engine.AnswerInput{
		Ask: in.Ask, Decision: in.Decision, Option: in.Option, Scope: in.Scope, Message: in.Message, Input: in.Input,
		Answers: in.Answers, Mode: in.Mode, Interrupt: in.Interrupt, Digest: in.Digest, By: c,
	})
}
