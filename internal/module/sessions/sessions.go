package sessions

import (
	"context"
	"sync"
	"time"

	"vyre"
	"vyre/agent"
	"vyre/internal/registry"
)

// Store keeps what was set. internal/store/sqlite implements it.
type Store interface {
	Commit(ctx context.Context, c *vyre.Commit) error
	Models(ctx context.Context) ([]vyre.ModelSetting, error)
	Prompt(ctx context.Context, purpose vyre.Purpose, version int) (vyre.PromptVersion, bool, error)
	PromptHistory(ctx context.Context, purpose vyre.Purpose, limit int) ([]vyre.PromptVersion, error)
}

// Source knows the providers of this machine. The daemon wires it.
type Source interface{ Providers() []agent.Provider }

// Module holds what the tools need.
type Module struct {
	Store  Store
	Source Source
	Config func(vyre.Purpose) string // what config.toml says for a purpose, or ""
	Now    func() time.Time

	versions sync.Mutex // held while a version's number is chosen and written
}

// Register declares the tools and the events.
func (m *Module) Register(r *registry.Registry) {
	registry.Define(r, vyre.Tool{
		Name: "sessions.models.get", Effect: vyre.EffectRead, Reach: vyre.ReachPerson,
		Summary: "Say which model threads of each purpose get, and where that comes from.",
	}, m.getModels)
	registry.Define(r, vyre.Tool{
		Name: "sessions.models.set", Effect: vyre.EffectWrite, Reach: vyre.ReachPerson, Decides: true,
		Summary: "Set the model for a purpose or for a project, or take that back. It counts from a thread's next start or resume.",
	}, m.setModel)
	registry.Define(r, vyre.Tool{
		Name: "sessions.prompt.get", Effect: vyre.EffectRead, Reach: vyre.ReachPerson,
		Summary: "Read what is added to the agent's own system prompt in threads of a purpose, and its history.",
	}, m.getPrompt)
	registry.Define(r, vyre.Tool{
		Name: "sessions.prompt.set", Effect: vyre.EffectWrite, Reach: vyre.ReachPerson, Decides: true,
		Summary: "Set what is added to the agent's own system prompt in threads of a purpose. Earlier versions are kept.",
	}, m.setPrompt)
	registry.Define(r, vyre.Tool{
		Name: "sessions.prompt.revert", Effect: vyre.EffectWrite, Reach: vyre.ReachPerson, Decides: true,
		Summary: "Take up the text of an earlier version of a prompt again, as a new version.",
	}, m.revertPrompt)
	registry.DefineEvent[ModelsChanged](r, "The model of a purpose or a project was set or taken back.")
	registry.DefineEvent[PromptChanged](r, "A prompt has a new version. Never its text.")
}

// ModelsChanged: a model was set; an empty Model was taken back.
type ModelsChanged struct {
	Scope vyre.ModelScope `json:"scope"`
	Name  string          `json:"name"` // the purpose, or the project's folder
	Model string          `json:"model"`
	By    string          `json:"by"`
}

// EventKind implements vyre.EventData.
func (ModelsChanged) EventKind() vyre.Kind { return "models.changed" }

// PromptChanged: a prompt has a new version.
type PromptChanged struct {
	Purpose vyre.Purpose `json:"purpose"`
	Version int          `json:"version"`
	Bytes   int          `json:"bytes"`
	Reverts int          `json:"reverts"` // the version whose text it is, or 0
	By      string       `json:"by"`
}

// EventKind implements vyre.EventData.
func (PromptChanged) EventKind() vyre.Kind { return "prompt.changed" }
