package policy

import "testing"

func TestModel(t *testing.T) {
	// The first that says something decides: the project, the purpose, the
	// configuration, the default; and it is told which it was.
	for _, c := range []struct{ project, purpose, config, model, from string }{
		{"p", "u", "c", "p", ModelFromProject},
		{"", "u", "c", "u", ModelFromPurpose},
		{"", "", "c", "c", ModelFromConfig},
		{"", "", "", "d", ModelFromDefault},
	} {
		if got := Model(c.project, c.purpose, c.config, "d"); got != (ModelChoice{c.model, c.from}) {
			t.Errorf("%+v gave %+v", c, got)
		}
	}
}
