package engine

import (
	"bytes"
	"maps"

	"vyre"
	"vyre/agent"
)

// withoutSecrets takes the vault's values out of the words of an answer, which is
// written down with its frame. An input that a person changed is not altered: one that
// holds a value, or the mark of one that was not shown, is refused. Unchanged, the
// call runs as the agent made it.
func (o *owner) withoutSecrets(a *agent.Answer) error {
	r := o.e.cfg.Redact.Now()
	if r.Has(a.Input) {
		return vyre.Invalid("input", "it holds a value of the vault, which would be written down").
			WithHint("Name the vault's item instead, or deny the call and say so.")
	}
	if bytes.Contains(a.Input, []byte("[redacted:")) {
		return vyre.Invalid("input", "a value of the vault is not shown in it, so it can't be put back").
			WithHint("Allow the call as it is, or deny it and say what should change.")
	}
	a.Message = r.String(a.Message)
	a.Answers = maps.Clone(a.Answers)
	for k, v := range a.Answers {
		a.Answers[k] = r.String(v)
	}
	return nil
}
