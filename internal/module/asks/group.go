package asks

import (
	"context"
	"slices"
	"strconv"

	"vyre"
	"vyre/internal/engine"
	"vyre/internal/registry"
)

// GroupIn is the input of threads.answer_group.
type GroupIn struct {
	Asks     []engine.GroupAsk `json:"asks" jsonschema:"the asks, each with the digest of what was shown, at most 100"`
	Decision vyre.Decision     `json:"decision" jsonschema:"allow or deny, for all of them"`
	Option   string            `json:"option,omitempty" jsonschema:"the id of an option that each of them offers"`
	Scope    vyre.Scope        `json:"scope,omitempty" jsonschema:"how far an allow reaches; default once"`
	Message  string            `json:"message,omitempty" jsonschema:"a note for the agents, with a denial"`
}

// GroupOut is the output of threads.answer_group, in the order of the input.
type GroupOut struct {
	Answers []GroupAnswer `json:"answers"`
}

// GroupAnswer is what became of one ask. Error is set where it was decided or withdrawn
// in between, and then nothing of this call was decided about it.
type GroupAnswer struct {
	Ask   vyre.AskID    `json:"ask"`
	State vyre.AskState `json:"state,omitempty"`
	Error *vyre.Error   `json:"error,omitempty"`
}

const maxGroup = 100

func (m *Module) answerGroup(ctx context.Context, c vyre.Caller, in GroupIn) (GroupOut, error) {
	switch {
	case len(in.Asks) == 0 || len(in.Asks) > maxGroup:
		return GroupOut{}, vyre.Invalid("asks", "1 to %d", maxGroup)
	case len(in.Message) > maxNote:
		return GroupOut{}, vyre.Invalid("message", "at most %d bytes", maxNote)
	}
	seen := map[vyre.AskID]bool{}
	if slices.ContainsFunc(in.Asks, func(x engine.GroupAsk) bool { twice := seen[x.Ask]; seen[x.Ask] = true; return twice }) {
		return GroupOut{}, vyre.Invalid("asks", "one of them is named twice")
	}
	list, err := m.Engine.AnswerGroup(ctx, engine.GroupInput{
		Asks: in.Asks, Decision: in.Decision, Option: in.Option, Scope: in.Scope, Message: in.Message, By: c,
	})
	var out GroupOut
	for i, a := range list {
		x := GroupAnswer{Ask: in.Asks[i].Ask, State: a.Ask.State}
		if a.Err != nil {
			x.State, x.Error = "", vyre.AsError(a.Err)
		}
		out.Answers = append(out.Answers, x)
	}
	return out, err
}

// describeGroup shows every ask of a group as it would be shown alone.
func (m *Module) describeGroup(ctx context.Context, in GroupIn) (registry.Shown, error) {
	out := registry.Shown{Title: string(in.Decision) + ": " + strconv.Itoa(len(in.Asks)) + " questions about the same act"}
	for _, x := range in.Asks {
		one, err := m.describe(ctx, AnswerIn{
			Ask: x.Ask, Digest: x.Digest, Decision: in.Decision, Option: in.Option, Scope: in.Scope, Message: in.Message,
		})
		if err != nil {
			return registry.Shown{}, err
		}
		if out.Text != "" {
			out.Text += "\n\n"
		}
		out.Text += one.Text
		out.Digest += one.Digest
	}
	return out, nil
}
