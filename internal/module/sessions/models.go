package sessions

import (
	"context"
	"path/filepath"
	"strings"

	"vyre"
	"vyre/internal/policy"
)

// maxModel bounds a model's name, in bytes.
const maxModel = 200

// ModelsIn is the input of sessions.models.get.
type ModelsIn struct {
	Project string `json:"project,omitempty" jsonschema:"as threads of this project's folder get them"`
}

// ModelOf is the model of one purpose.
type ModelOf struct {
	Purpose vyre.Purpose `json:"purpose"`
	policy.ModelChoice
	// Names is what it is called at each provider; empty is the provider's default.
	Names map[string]string `json:"names"`
}

// ModelsOut is the output of sessions.models.get. Set is what persons chose, for
// every purpose and project.
type ModelsOut struct {
	Models []ModelOf           `json:"models"`
	Set    []vyre.ModelSetting `json:"set"`
}

func (m *Module) getModels(ctx context.Context, _ vyre.Caller, in ModelsIn) (ModelsOut, error) {
	if in.Project != "" {
		if !filepath.IsAbs(in.Project) {
			return ModelsOut{}, vyre.Invalid("project", "%q is not an absolute path", in.Project)
		}
		in.Project = filepath.Clean(in.Project)
	}
	set, err := m.Store.Models(ctx)
	if err != nil {
		return ModelsOut{}, err
	}
	find := func(scope vyre.ModelScope, name string) string {
		for _, s := range set {
			if s.Scope == scope && s.Name == name {
				return s.Model
			}
		}
		return ""
	}
	out := ModelsOut{Set: set, Models: make([]ModelOf, 0, len(vyre.Purposes))}
	for _, p := range vyre.Purposes {
		choice := policy.Model(find(vyre.ModelOfProject, in.Project), find(vyre.ModelOfPurpose, string(p)), m.Config(p), p.DefaultModel())
		of := ModelOf{p, choice, map[string]string{}}
		for _, pr := range m.Source.Providers() {
			info := pr.Info()
			of.Names[info.Name] = info.Named(choice.Model)
		}
		out.Models = append(out.Models, of)
	}
	return out, nil
}

// SetModelIn is the input of sessions.models.set.
type SetModelIn struct {
	Purpose vyre.Purpose `json:"purpose,omitempty" jsonschema:"for threads of this purpose"`
	Project string       `json:"project,omitempty" jsonschema:"for all threads of this project's folder, whatever their purpose; absolute"`
	Model   *string      `json:"model" jsonschema:"large, small or a provider's own model id; null takes the setting back"`
}

func (m *Module) setModel(ctx context.Context, c vyre.Caller, in SetModelIn) (ModelsOut, error) {
	s := vyre.ModelSetting{Scope: vyre.ModelOfPurpose, Name: string(in.Purpose), By: c.String(), At: vyre.At(m.Now())}
	switch {
	case (in.Purpose == "") == (in.Project == ""):
		return ModelsOut{}, vyre.Invalid("purpose", "give a purpose or a project, one of them")
	case in.Project != "" && !filepath.IsAbs(in.Project):
		return ModelsOut{}, vyre.Invalid("project", "%q is not an absolute path", in.Project)
	case in.Project != "":
		s.Scope, s.Name = vyre.ModelOfProject, filepath.Clean(in.Project)
	}
	if in.Model != nil {
		if s.Model = *in.Model; !goodModel(s.Model) {
			return ModelsOut{}, vyre.Invalid("model", "one word of at most %d bytes; null takes the setting back", maxModel)
		}
	}
	err := m.Store.Commit(ctx, &vyre.Commit{
		Durable: true, Model: &s,
		Events: []vyre.Event{vyre.NewEvent("", "", ModelsChanged{s.Scope, s.Name, s.Model, s.By})},
	})
	if err != nil {
		return ModelsOut{}, err
	}
	return m.getModels(ctx, c, ModelsIn{Project: in.Project})
}

func goodModel(s string) bool {
	return s != "" && len(s) <= maxModel && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f })
}
