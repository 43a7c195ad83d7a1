package threads

import (
	"context"

	"vyre"
	"vyre/internal/engine"
	"vyre/internal/registry"
)

// applier is the part of the engine that makes an edit by the person's hand.
type applier interface {
	PlanApply(ctx context.Context, in engine.ApplyInput) (vyre.FilePlan, error)
	Apply(ctx context.Context, in engine.ApplyInput) (engine.Applied, error)
}

func (m *Module) registerApply(r *registry.Registry) {
	registry.Define(r, vyre.Tool{
		Name: "threads.apply_preview", Effect: vyre.EffectRead, Reach: vyre.ReachPerson,
		Summary: "Show what threads.apply would make of a file, as it stands now. Nothing is written.",
	}, m.applyPreview)
	registry.Define(r, vyre.Tool{
		Name: "threads.apply", Effect: vyre.EffectWrite, Reach: vyre.ReachPerson, Decides: true, Presence: true,
		Summary: "Make an edit yourself that an agent wanted and may not make: exactly what the preview shows.",
	}, m.apply)
	registry.Describe(r, "threads.apply", func(ctx context.Context, in ApplyIn) (registry.Shown, error) {
		p, err := m.Engine.PlanApply(ctx, in.about(vyre.Caller{}))
		return registry.Shown{Title: "Write " + p.Path, Text: p.After, Digest: p.Digest}, err
	})
	registry.DefineEvent[vyre.ThreadApplied](r, "A person makes an edit that an agent wanted and may not make.")
}

// ApplyRef names an edit that an agent wanted.
type ApplyRef struct {
	Ask    vyre.AskID    `json:"ask,omitempty" jsonschema:"an open ask about the edit"`
	Thread vyre.ThreadID `json:"thread,omitempty" jsonschema:"else the thread"`
	Item   vyre.ItemID   `json:"item,omitempty" jsonschema:"and the item of the call that was refused"`
}

// ApplyIn is the input of threads.apply.
type ApplyIn struct {
	ApplyRef
	Digest string `json:"digest" jsonschema:"of the preview that you read"`
}

func (in ApplyRef) about(c vyre.Caller) engine.ApplyInput {
	return engine.ApplyInput{Ask: in.Ask, Thread: in.Thread, Item: in.Item, By: c}
}

func (in ApplyIn) about(c vyre.Caller) engine.ApplyInput {
	x := in.ApplyRef.about(c)
	x.Digest = in.Digest
	return x
}

func (in ApplyRef) check() error {
	if (in.Ask != "") == (in.Item != "") || (in.Item != "") != (in.Thread != "") {
		return vyre.Invalid("ask", "an ask, or a thread with an item")
	}
	return nil
}

func (m *Module) applyPreview(ctx context.Context, c vyre.Caller, in ApplyRef) (vyre.FilePlan, error) {
	if err := in.check(); err != nil {
		return vyre.FilePlan{}, err
	}
	return m.Engine.PlanApply(ctx, in.about(c))
}

// ApplyOut is the output of threads.apply. Told says that the agent was told; else it
// learns when it looks at the file.
type ApplyOut struct {
	Path   string `json:"path"`
	Digest string `json:"digest"`
	Told   bool   `json:"told"`
}

func (m *Module) apply(ctx context.Context, c vyre.Caller, in ApplyIn) (ApplyOut, error) {
	if err := in.check(); err != nil {
		return ApplyOut{}, err
	}
	done, err := m.Engine.Apply(ctx, in.about(c))
	return ApplyOut{done.Plan.Path, done.Plan.Digest, done.Told}, err
}
