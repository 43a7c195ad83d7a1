package registry

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"vyre"
)

var update = flag.Bool("update", os.Getenv("VYRE_UPDATE") != "", "write docs/reference and goldens anew")

// filled has a tool and the events that are enough to see every form.
func filled(t *testing.T) *Registry {
	t.Helper()
	r := New()
	Define(r, vyre.Tool{Name: "sample.do", Summary: "Does it.", Effect: vyre.EffectWrite, Reach: vyre.ReachSelf},
		func(context.Context, vyre.Caller, sample) (reply, error) { return reply{}, nil })
	DefineEvent[vyre.ThreadTurn](r, "A turn changed its status.")
	DefineEvent[vyre.ThreadUsage](r, "What a turn used.")
	if err := r.CheckSchemas(); err != nil {
		t.Fatal(err)
	}
	return r
}

// same compares with a file, or writes it under -update.
func same(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != string(got) {
		t.Errorf("%s is out of date: run go test ./internal/registry -update", filepath.Base(path))
	}
}

// The pages of errors and states in docs are what the catalogue and the table say.
func TestReferencePagesAreCurrent(t *testing.T) {
	dir := filepath.Join("..", "..", "docs", "reference")
	same(t, filepath.Join(dir, "errors.md"), ErrorsPage())
	same(t, filepath.Join(dir, "states.md"), StatesPage())
}

// A tool and an event look the same to callers until a golden is changed on purpose.
func TestGoldensOfSamples(t *testing.T) {
	r := filled(t)
	goldens, err := Goldens(r)
	if err != nil {
		t.Fatal(err)
	}
	for name, got := range goldens {
		same(t, filepath.Join("testdata", "golden", name), got)
	}
	same(t, filepath.Join("testdata", "golden", "tools.md"), ToolsPage(r))
	same(t, filepath.Join("testdata", "golden", "events.md"), EventsPage(r))
}

// The OpenAPI document has every tool, and each reference in it leads somewhere.
func TestOpenAPIIsWhole(t *testing.T) {
	b, err := OpenAPI(filled(t), "1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	var d map[string]any
	if err := json.Unmarshal(b, &d); err != nil {
		t.Fatal(err)
	}
	if _, ok := d["paths"].(map[string]any)["/v1/tools/sample.do"]; !ok || d["openapi"] != "3.1.0" {
		t.Error("the tool is not there")
	}
	for _, part := range strings.Split(string(b), `"$ref": "#/`)[1:] {
		at := any(d)
		for step := range strings.SplitSeq(part[:strings.IndexByte(part, '"')], "/") {
			at = at.(map[string]any)[step]
		}
		if at == nil {
			t.Errorf("a reference leads nowhere: %s", part[:40])
		}
	}
}

// What the core's types become as JSON is what the schemas of outputs say,
// empty and filled.
func TestOutputsKeepTheirSchemas(t *testing.T) {
	for _, v := range []any{
		vyre.Thread{ID: "t", Mode: vyre.ModeAsk, State: vyre.StateIdle, Created: 1},
		vyre.Ask{ID: "a", Thread: "t", Kind: vyre.AskTool, State: vyre.AskOpen},
		vyre.Ask{ID: "a", Thread: "t", Turn: "t:1", Kind: vyre.AskTool, State: vyre.AskAnswered, Decision: vyre.Allow, Options: []vyre.AskOption{{Kind: vyre.Deny}}},
		vyre.Item{ID: "i", Thread: "t", Turn: "t:1", Kind: vyre.ItemTool, Status: vyre.ItemRunning, Body: json.RawMessage(`{"x":1}`)},
		vyre.Turn{ID: "t:1", Thread: "t", Status: vyre.TurnStarted, Origin: vyre.OriginAgent},
		vyre.Message{ID: "m", Thread: "t", State: vyre.MessageQueued},
		vyre.ThreadUsage{},
		vyre.AskAnsweredData{Ask: "a", Decision: vyre.Deny},
		vyre.ThreadTurn{Status: vyre.TurnFailed, Origin: vyre.OriginPerson, Messages: []vyre.MessageID{"m"}},
	} {
		s, err := outputSchema(reflect.TypeOf(v))
		if err != nil {
			t.Fatal(err)
		}
		resolved, err := s.Resolve(&jsonschema.ResolveOptions{})
		if err != nil {
			t.Fatal(err)
		}
		out, err := encode(copyOf(v))
		if err != nil {
			t.Fatal(err)
		}
		var decoded any
		if err := json.Unmarshal(out, &decoded); err != nil {
			t.Fatal(err)
		}
		if err := resolved.Validate(decoded); err != nil {
			t.Errorf("%T: %v\n%s", v, err, out)
		}
	}
}

// copyOf returns a pointer to a copy of v, as Define has one of the handler's output.
func copyOf(v any) any {
	p := reflect.New(reflect.TypeOf(v))
	p.Elem().Set(reflect.ValueOf(v))
	return p.Interface()
}
