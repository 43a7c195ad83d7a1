package redact

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"vyre"
)

const planted = "SeCrEtVaLuE-0815"

func TestCommitLeavesItsMakersValues(t *testing.T) {
	// The maker of a change goes on with what it had: only what is written is redacted.
	a := vyre.Ask{Title: planted, AgentPath: []string{planted}, Options: []vyre.AskOption{{Label: planted, Grants: []vyre.GrantSpec{{Args: []string{planted}}}}}}
	p := &vyre.PromptVersion{Text: planted}
	c := &vyre.Commit{Asks: []vyre.Ask{a}, Prompt: p}
	New([]Secret{{"one", []byte(planted)}}).Commit(c)
	if a.AgentPath[0] != planted || a.Options[0].Label != planted || a.Options[0].Grants[0].Args[0] != planted || p.Text != planted {
		t.Errorf("changed: %+v %+v", a, p)
	}
}

func TestLogAndErrors(t *testing.T) {
	// No line of the log and no error holds a secret, however it came there.
	l := NewLive()
	l.Add("one", []byte(planted))
	var b bytes.Buffer
	log := slog.New(l.Handler(slog.NewTextHandler(&b, nil))).With("with", "x "+planted)
	type odd struct{ V string }
	log.WithGroup("g").Error("a message "+planted, "s", planted, "e", fmt.Errorf("x: %w", errors.New(planted)), "o", odd{planted},
		"p", &odd{planted}, "b", []byte(planted), slog.Group("in", "s", planted))
	if strings.Contains(b.String(), planted) || strings.Count(b.String(), "[redacted:one]") < 7 {
		t.Errorf("%s", b.String())
	}
	e := vyre.Invalid("field", "bad %s", planted).WithHint("say "+planted).WithDetail("stderr", planted).WithDetail("n", 3).
		WithDetail("list", []string{planted}).WithDetail("odd", odd{planted})
	got := fmt.Sprintf("%+v", vyre.EnvelopeOf(l.Now().Error(e)))
	if strings.Contains(got, planted) || !strings.Contains(got, "n:3") {
		t.Errorf("%s", got)
	}
}
