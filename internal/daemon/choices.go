package daemon

import (
	"context"

	"vyre"
	"vyre/internal/policy"
)

// settings is what persons set for threads. The store keeps it.
type settings interface {
	ModelSet(ctx context.Context, scope vyre.ModelScope, name string) (string, error)
	Prompt(ctx context.Context, purpose vyre.Purpose, version int) (vyre.PromptVersion, bool, error)
}

// chosen is the model and the added prompt of a thread's next process, as the
// settings have it now.
func (r *runtime) chosen(ctx context.Context, t vyre.Thread) (model, system string, err error) {
	project := ""
	if t.Project != "" {
		if project, err = r.settings.ModelSet(ctx, vyre.ModelOfProject, t.Project); err != nil {
			return "", "", err
		}
	}
	purpose, err := r.settings.ModelSet(ctx, vyre.ModelOfPurpose, string(t.Purpose))
	if err != nil {
		return "", "", err
	}
	prompt, _, err := r.settings.Prompt(ctx, t.Purpose, 0)
	choice := policy.Model(project, purpose, r.cfg.Sessions.Models.Of(t.Purpose), t.Purpose.DefaultModel())
	return choice.Model, prompt.Text, err
}
