package session_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"vyre"
	"vyre/internal/door/session"
	"vyre/internal/registry"
)

type ref struct {
	Thread vyre.ThreadID `json:"thread" jsonschema:"the thread"`
	Name   string        `json:"name,omitempty" jsonschema:"a name"`
}

func (r ref) ThreadRef() vyre.ThreadID { return r.Thread }

// offering is a registry with one tool of the list, and what its calls were given.
func offering(t *testing.T, tool string, reach vyre.Reach) (*session.Door, *[]string) {
	t.Helper()
	var got []string
	r := registry.New()
	registry.Define(r, vyre.Tool{Name: tool, Effect: vyre.EffectWrite, Reach: reach, Summary: "Does it."},
		func(_ context.Context, c vyre.Caller, in ref) (ref, error) {
			got = append(got, c.String()+" "+string(in.Thread))
			return in, nil
		})
	if err := r.Check(); err != nil {
		t.Fatal(err)
	}
	return session.New(r), &got
}

// A session names no thread: the door says whose it is, over whatever the call says.
func TestCallerIsTheSession(t *testing.T) {
	d, got := offering(t, "threads.rename", vyre.ReachSelf)
	spec := d.Offer()[0]
	var schema struct {
		Properties map[string]any `json:"properties"`
		Required   []string       `json:"required"`
	}
	if err := json.Unmarshal(spec.Schema, &schema); err != nil {
		t.Fatal(err)
	}
	if spec.Name != "threads_rename" || schema.Properties["thread"] != nil || schema.Properties["name"] == nil || slices.Contains(schema.Required, "thread") {
		t.Errorf("%s %s", spec.Name, spec.Schema)
	}
	for _, in := range []string{`{"name":"x"}`, `{"thread":"other","name":"x"}`, `{}`} {
		if _, err := d.Call(t.Context(), "mine", spec.Name, json.RawMessage(in)); err != nil {
			t.Errorf("%s: %v", in, err)
		}
	}
	for _, g := range *got {
		if g != "thread:mine mine" {
			t.Errorf("called as %q", g)
		}
	}
}

// What is not on the list looks like a tool that does not exist, whatever the
// registry has; what only a person may do is refused even if it were.
func TestNotOffered(t *testing.T) {
	d, got := offering(t, "threads.answer", vyre.ReachPerson)
	if len(d.Offer()) != 0 {
		t.Errorf("%+v", d.Offer())
	}
	if _, err := d.Call(t.Context(), "mine", "threads_answer", nil); vyre.CodeOf(err) != vyre.CodeNotFound {
		t.Error(err)
	}
	d, got2 := offering(t, "threads.rename", vyre.ReachPerson)
	if _, err := d.Call(t.Context(), "mine", "threads_rename", json.RawMessage(`{"name":"x"}`)); vyre.CodeOf(err) != vyre.CodePersonOnly {
		t.Error(err)
	}
	if len(*got)+len(*got2) != 0 {
		t.Error("it ran")
	}
}
