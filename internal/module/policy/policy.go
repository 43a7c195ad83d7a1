package policy

import (
	"context"
	"encoding/json"
	"path/filepath"

	"vyre"
	"vyre/agent"
	"vyre/internal/policy"
	"vyre/internal/registry"
)

// Module holds what the tool needs.
type Module struct {
	Providers []agent.Provider
	Judge     func(policy.Call) policy.Verdict
}

// Register declares the tool.
func (m *Module) Register(r *registry.Registry) {
	registry.Define(r, vyre.Tool{
		Name: "policy.try", Effect: vyre.EffectRead, Reach: vyre.ReachPerson,
		Summary: "Say what would become of a call of an agent's tool (denied, asked or allowed), by which rule and why, part by part. Nothing runs.",
	}, m.try)
}

// In is the input of policy.try.
type In struct {
	Tool     string          `json:"tool" jsonschema:"the tool as the agent names it: Bash, Write, …"`
	Input    json.RawMessage `json:"input" jsonschema:"the tool's input, an object: {\"command\": \"ls\"}"`
	CWD      string          `json:"cwd" jsonschema:"the folder that the call would run in, absolute"`
	Project  string          `json:"project,omitempty" jsonschema:"the project whose grants hold; default: cwd"`
	Provider string          `json:"provider,omitempty" jsonschema:"whose tool it is; default claude"`
	Source   string          `json:"source,omitempty" jsonschema:"builtin (the default), vyre or config:<server>"`
	Mode     vyre.Mode       `json:"mode,omitempty" jsonschema:"ask by default"`
}

// Out is the output of policy.try: the verdict, with a part for each thing that
// the call would do.
type Out struct {
	Verdict vyre.Verdict  `json:"verdict"`
	By      policy.By     `json:"by"`
	Why     string        `json:"why"`
	Grant   string        `json:"grant,omitempty"`
	Parts   []policy.Part `json:"parts"`
}

func (m *Module) try(_ context.Context, _ vyre.Caller, in In) (Out, error) {
	if in.Provider == "" {
		in.Provider = "claude"
	}
	if in.Source == "" {
		in.Source = "builtin"
	}
	if in.Mode == "" {
		in.Mode = vyre.ModeAsk
	}
	if in.Project == "" {
		in.Project = in.CWD
	}
	p, err := m.check(in)
	if err != nil {
		return Out{}, err
	}
	cwd := filepath.Clean(in.CWD)
	v := m.Judge(policy.Call{
		Tool: in.Tool, Source: in.Source, Provider: in.Provider, Project: filepath.Clean(in.Project), CWD: cwd, Mode: in.Mode,
		Acts: p.Acts(in.Tool, in.Source, in.Input, cwd),
	})
	return Out{v.Verdict, v.By, v.Why, v.Grant, v.Parts}, nil
}

// check refuses what is no call, and finds its driver.
func (m *Module) check(in In) (agent.Provider, error) {
	var obj map[string]json.RawMessage
	switch {
	case in.Tool == "":
		return nil, vyre.Invalid("tool", "a tool's name, as the agent has it")
	case json.Unmarshal(in.Input, &obj) != nil || obj == nil:
		return nil, vyre.Invalid("input", "a tool's input is an object").WithHint(`For a command: {"command": "git status"}.`)
	case !filepath.IsAbs(in.CWD):
		return nil, vyre.Invalid("cwd", "%q is not an absolute path", in.CWD)
	case !filepath.IsAbs(in.Project):
		return nil, vyre.Invalid("project", "%q is not an absolute path", in.Project)
	}
	for _, p := range m.Providers {
		if p.Info().Name == in.Provider {
			return p, nil
		}
	}
	return nil, vyre.Invalid("provider", "there is no provider %q", in.Provider)
}
