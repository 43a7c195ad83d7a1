package vyre

import "testing"

// A thread for which no purpose was given gets one by what it is: a one-shot is a
// job, then an agent's, then a project's, else a chat; work for people is large.
func TestInferPurpose(t *testing.T) {
	for _, c := range []struct {
		once           bool
		agent, project string
		want           Purpose
		model          string
	}{
		{true, "a", "/p", PurposeJob, ModelSmall},
		{false, "a", "/p", PurposeAgent, ModelLarge},
		{false, "", "/p", PurposeProject, ModelLarge},
		{false, "", "", PurposeChat, ModelLarge},
	} {
		if got := InferPurpose(c.once, c.agent, c.project); got != c.want || got.DefaultModel() != c.model {
			t.Errorf("%+v gave %s on %s", c, got, got.DefaultModel())
		}
	}
	for _, p := range []Purpose{PurposeCapsule, PurposeMemory, PurposePlanner, PurposeLearn} {
		if p.DefaultModel() != ModelSmall {
			t.Errorf("%s is %s", p, p.DefaultModel())
		}
	}
}
