package sessions

import (
	"context"
	"strings"

	"vyre"
)

// maxPrompt bounds a prompt's text in bytes: it is sent with every request to the
// model.
const maxPrompt = 32 << 10

// PromptIn is the input of sessions.prompt.get.
type PromptIn struct {
	Purpose vyre.Purpose `json:"purpose" jsonschema:"of threads of this purpose"`
	Version int          `json:"version,omitempty" jsonschema:"an earlier version; by default the one in force"`
}

// PromptOut is a version of a prompt. Version is 0 where none was ever set.
// History is the newest hundred, the newest first, without their texts.
type PromptOut struct {
	vyre.PromptVersion
	History []vyre.PromptVersion `json:"history"`
}

func (m *Module) getPrompt(ctx context.Context, _ vyre.Caller, in PromptIn) (PromptOut, error) {
	if in.Version < 0 {
		return PromptOut{}, vyre.Invalid("version", "versions count from 1")
	}
	p, ok, err := m.Store.Prompt(ctx, in.Purpose, in.Version)
	if err != nil {
		return PromptOut{}, err
	}
	if !ok && in.Version > 0 {
		return PromptOut{}, noVersion(in.Purpose, in.Version)
	}
	p.Purpose = in.Purpose
	history, err := m.Store.PromptHistory(ctx, in.Purpose, 100)
	return PromptOut{p, history}, err
}

func noVersion(p vyre.Purpose, version int) error {
	return vyre.Errorf(vyre.CodeNotFound, "the prompt of %s has no version %d", p, version).
		WithHint("sessions.prompt.get lists the versions.")
}

// SetPromptIn is the input of sessions.prompt.set.
type SetPromptIn struct {
	Purpose vyre.Purpose `json:"purpose" jsonschema:"of threads of this purpose"`
	Text    string       `json:"text" jsonschema:"what is added, at most 32 KiB; empty adds nothing"`
}

func (m *Module) setPrompt(ctx context.Context, c vyre.Caller, in SetPromptIn) (PromptOut, error) {
	if len(in.Text) > maxPrompt {
		e := vyre.Errorf(vyre.CodeTooLarge, "text: at most %d KiB", maxPrompt>>10)
		e.Field = "text"
		return PromptOut{}, e
	}
	if strings.ContainsRune(in.Text, 0) {
		return PromptOut{}, vyre.Invalid("text", "it can't hold a zero byte")
	}
	m.versions.Lock()
	defer m.versions.Unlock()
	now, _, err := m.Store.Prompt(ctx, in.Purpose, 0)
	if err != nil {
		return PromptOut{}, err
	}
	if now.Text == in.Text {
		return m.getPrompt(ctx, c, PromptIn{Purpose: in.Purpose}) // a retry adds nothing
	}
	return m.add(ctx, c, vyre.PromptVersion{Purpose: in.Purpose, Version: now.Version + 1, Text: in.Text})
}

// RevertIn is the input of sessions.prompt.revert.
type RevertIn struct {
	Purpose vyre.Purpose `json:"purpose" jsonschema:"of threads of this purpose"`
	Version int          `json:"version,omitempty" jsonschema:"the version to take up again; by default the one before the one in force"`
}

func (m *Module) revertPrompt(ctx context.Context, c vyre.Caller, in RevertIn) (PromptOut, error) {
	m.versions.Lock()
	defer m.versions.Unlock()
	now, _, err := m.Store.Prompt(ctx, in.Purpose, 0)
	if err != nil {
		return PromptOut{}, err
	}
	if in.Version == 0 {
		in.Version = now.Version - 1
	}
	if in.Version < 1 {
		return PromptOut{}, noVersion(in.Purpose, in.Version)
	}
	old, ok, err := m.Store.Prompt(ctx, in.Purpose, in.Version)
	if err != nil {
		return PromptOut{}, err
	}
	if !ok {
		return PromptOut{}, noVersion(in.Purpose, in.Version)
	}
	return m.add(ctx, c, vyre.PromptVersion{Purpose: in.Purpose, Version: now.Version + 1, Text: old.Text, Reverts: old.Version})
}

// add writes a version. The caller holds versions.
func (m *Module) add(ctx context.Context, c vyre.Caller, p vyre.PromptVersion) (PromptOut, error) {
	p.By, p.At, p.Bytes = c.String(), vyre.At(m.Now()), len(p.Text)
	err := m.Store.Commit(ctx, &vyre.Commit{
		Durable: true, Prompt: &p,
		Events: []vyre.Event{vyre.NewEvent("", "", PromptChanged{p.Purpose, p.Version, p.Bytes, p.Reverts, p.By})},
	})
	if err != nil {
		return PromptOut{}, err
	}
	return m.getPrompt(ctx, c, PromptIn{Purpose: p.Purpose})
}
