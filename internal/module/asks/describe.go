package asks

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"vyre"
	"vyre/internal/registry"
)

// describe shows an answer before a touch: the verdict, and all of what it is about.
// Its digest is the ask's, so that a touch holds for the text that was read.
func (m *Module) describe(ctx context.Context, in AnswerIn) (registry.Shown, error) {
	a, err := m.Store.Ask(ctx, in.Ask)
	if err != nil {
		return registry.Shown{}, err
	}
	if in.Digest != "" && in.Digest != a.Digest {
		return registry.Shown{}, vyre.Errorf(vyre.CodeConflict, "the question is not the one that was shown").
			WithHint("Load it again and read it.").WithDetail("digest", a.Digest)
	}
	verdict := string(in.Decision)
	if in.Scope != "" && in.Scope != vyre.ScopeOnce {
		verdict += ", for the " + string(in.Scope)
	}
	var b strings.Builder
	b.WriteString(a.Display)
	if in.Option != "" {
		for _, o := range a.Options {
			if o.ID == in.Option {
				fmt.Fprintf(&b, "\n\nThe answer: %s", o.Label)
				if o.Rule != "" {
					fmt.Fprintf(&b, "\nThe rule it adds: %s", o.Rule)
				}
			}
		}
	}
	if len(in.Input) > 0 {
		fmt.Fprintf(&b, "\n\nWith this input instead:\n%s", in.Input)
	}
	for _, q := range slices.Sorted(maps.Keys(in.Answers)) {
		fmt.Fprintf(&b, "\n\n%s\n%s", q, in.Answers[q])
	}
	if in.Mode != "" {
		fmt.Fprintf(&b, "\n\nThe mode afterwards: %s", in.Mode)
	}
	if in.Message != "" {
		fmt.Fprintf(&b, "\n\nThe note: %s", in.Message)
	}
	return registry.Shown{Title: verdict + ": " + a.Title, Text: b.String(), Digest: a.Digest}, nil
}
