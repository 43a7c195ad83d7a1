package registry

import (
	"bytes"
	"encoding/json"

	"github.com/google/jsonschema-go/jsonschema"

	"vyre"
)

// Golden renders everything a caller can rely on about a tool, for a file that
// is reviewed when it changes.
func (e Entry) Golden() ([]byte, error) {
	return indent(struct {
		Tool     string             `json:"tool"`
		Summary  string             `json:"summary"`
		Effect   vyre.Effect        `json:"effect"`
		Reach    vyre.Reach         `json:"reach"`
		Callers  []vyre.CallerKind  `json:"callers"`
		Presence bool               `json:"presence"`
		In       *jsonschema.Schema `json:"in"`
		Out      *jsonschema.Schema `json:"out"`
	}{e.Name, e.Summary, e.Effect, e.Reach, e.Callers, e.Presence, e.In(), e.Out()})
}

// Golden renders everything a reader can rely on about a kind of event.
func (e EventEntry) Golden() ([]byte, error) {
	return indent(struct {
		Event   vyre.Kind          `json:"event"`
		Summary string             `json:"summary"`
		Data    *jsonschema.Schema `json:"data"`
	}{e.Kind, e.Summary, e.Data()})
}

// Goldens renders one file for each tool and event, by name: tool.<name>.json
// and event.<kind>.json.
func Goldens(r *Registry) (map[string][]byte, error) {
	out := map[string][]byte{}
	for _, e := range r.Tools() {
		b, err := e.Golden()
		if err != nil {
			return nil, err
		}
		out["tool."+e.Name+".json"] = b
	}
	for _, e := range r.Events() {
		b, err := e.Golden()
		if err != nil {
			return nil, err
		}
		out["event."+string(e.Kind)+".json"] = b
	}
	return out, nil
}

// indent renders v for people: indented, without escaped HTML, with a line end.
func indent(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(v)
	return b.Bytes(), err
}
