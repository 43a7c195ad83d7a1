package providers

import (
	"context"

	"vyre"
	"vyre/agent"
	"vyre/internal/registry"
)

// Source knows the providers of this machine. The daemon wires it.
type Source interface {
	Providers() []agent.Provider
	// Seen returns what a provider's newest session said of itself.
	Seen(provider string) (agent.Ready, bool)
}

// Machine finds a provider's program as the settings want it.
type Machine interface {
	Detect(ctx context.Context, p agent.Provider) (agent.Install, error)
}

// Module holds what the tool needs.
type Module struct {
	Source  Source
	Machine Machine
}

// Register declares the tool.
func (m *Module) Register(r *registry.Registry) {
	registry.Define(r, vyre.Tool{
		Name: "providers.list", Effect: vyre.EffectRead, Reach: vyre.ReachAny,
		Summary: "List the agents of this machine: program, version, modes, models, what they can do.",
	}, m.list)
}

// ListIn is the empty input of providers.list.
type ListIn struct{}

// Provider is one agent of this machine. Without a usable program Available is
// false and Error says why.
type Provider struct {
	agent.Info
	Available bool                `json:"available"`
	Path      string              `json:"path"`
	Version   string              `json:"version"`
	Pinned    string              `json:"pinned"`
	Warning   string              `json:"warning"`
	Error     string              `json:"error"`
	Hint      string              `json:"hint"`
	Commands  []agent.CommandInfo `json:"commands"`
}

// ListOut is the output of providers.list.
type ListOut struct {
	Providers []Provider `json:"providers"`
}

func (m *Module) list(ctx context.Context, c vyre.Caller, _ ListIn) (ListOut, error) {
	out := ListOut{Providers: []Provider{}}
	for _, p := range m.Source.Providers() {
		v := Provider{Info: p.Info(), Commands: []agent.CommandInfo{}}
		in, err := m.Machine.Detect(ctx, p)
		if err != nil {
			e := vyre.EnvelopeOf(err).Error
			v.Error, v.Hint = e.Message, e.Hint
		}
		v.Available, v.Path, v.Version = err == nil, in.Path, in.Version
		v.Pinned, v.Warning = in.Pinned, in.Warning
		if !c.IsPerson() {
			v.Path, v.Error, v.Hint = "", "", "" // where things lie on this machine is the person's to know
		}
		if seen, ok := m.Source.Seen(v.Name); ok {
			v.Models, v.Commands = seen.Models, seen.Commands
		}
		if v.Models == nil {
			v.Models = []agent.ModelInfo{}
		}
		if v.Commands == nil {
			v.Commands = []agent.CommandInfo{}
		}
		out.Providers = append(out.Providers, v)
	}
	return out, nil
}
