package registry

import (
	"context"
	"encoding/json"
	"testing"

	"vyre"
)

// sample has one field of everything that a tool's input is made of.
type sample struct {
	Thread  vyre.ThreadID     `json:"thread" jsonschema:"the thread"`
	Text    string            `json:"text"`
	Mode    vyre.Mode         `json:"mode,omitempty"`
	Limit   int               `json:"limit,omitempty"`
	Small   int8              `json:"small,omitempty"`
	Since   *vyre.Seq         `json:"since_rev,omitempty"`
	Turn    vyre.TurnID       `json:"turn,omitempty"`
	At      vyre.Time         `json:"at,omitempty"`
	Raw     json.RawMessage   `json:"input,omitempty"`
	Answers map[string]string `json:"answers,omitempty"`
	Inner   inner             `json:"inner,omitzero"`
	List    []inner           `json:"list,omitempty"`
	Yes     bool              `json:"yes,omitempty"`
	Ratio   float64           `json:"ratio,omitempty"`
	Act     act               `json:"act,omitempty"`
	Hidden  string            `json:"-"`
	embedded
}

type inner struct {
	Scope vyre.Scope `json:"scope"`
	Deep  []deep     `json:"deep,omitempty"`
}

type deep struct {
	N int `json:"n"`
}

type embedded struct {
	Extra string `json:"extra,omitempty"`
}

// act is a module's own closed list.
type act string

func (act) Enum() []string { return []string{"put", "delete"} }

func (s sample) ThreadRef() vyre.ThreadID { return s.Thread }

type none struct{}

type reply struct {
	Threads []vyre.Thread `json:"threads"`
	Text    string        `json:"text"`
}

// define declares a tool that counts its runs.
func define[In any](r *Registry, name string, reach vyre.Reach, ran *int) {
	Define(r, vyre.Tool{Name: name, Summary: "Does it.", Effect: vyre.EffectRead, Reach: reach},
		func(context.Context, vyre.Caller, In) (none, error) { *ran++; return none{}, nil })
}

func code(t *testing.T, err error, want vyre.Code) *vyre.Error {
	t.Helper()
	if got := vyre.CodeOf(err); got != want {
		t.Fatalf("got %v (%v), want %v", got, err, want)
	}
	return vyre.AsError(err)
}
