package registry

import (
	"fmt"
	"reflect"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"vyre"
)

// event is a declared kind of event.
type event struct {
	kind    vyre.Kind
	summary string
	data    reflect.Type
	schema  func() *jsonschema.Schema
}

// DefineEvent declares a kind of event with its typed data, for the reference
// and the goldens. A doubled kind or an empty summary is told by Check.
func DefineEvent[D vyre.EventData](r *Registry, summary string) {
	var zero D
	r.defineEvent(zero.EventKind(), reflect.TypeFor[D](), summary)
}

func (r *Registry) defineEvent(kind vyre.Kind, t reflect.Type, summary string) {
	switch _, twice := r.events[kind]; {
	case twice:
		r.faults = append(r.faults, fmt.Errorf("event %q: declared twice", kind))
	case summary == "":
		r.faults = append(r.faults, fmt.Errorf("event %q: no summary", kind))
	case !toolName.MatchString(string(kind)):
		r.faults = append(r.faults, fmt.Errorf("event %q: a kind is dotted lower-case words", kind))
	case t.Kind() != reflect.Struct:
		r.faults = append(r.faults, fmt.Errorf("event %q: its data is a struct", kind))
	default:
		r.events[kind] = &event{
			kind: kind, summary: summary, data: t,
			schema: sync.OnceValue(func() *jsonschema.Schema { return mustSchema(outputSchema(t)) }),
		}
	}
}

// EventEntry is one kind of event, as shown to those who list them.
type EventEntry struct {
	Kind    vyre.Kind
	Summary string

	def *event
}

// Data is the schema of the event's data, made at first use. Nobody changes it.
func (e EventEntry) Data() *jsonschema.Schema { return e.def.schema() }

// Events returns every declared kind, sorted.
func (r *Registry) Events() []EventEntry {
	out := make([]EventEntry, 0, len(r.events))
	for _, k := range sortedKeys(r.events) {
		out = append(out, EventEntry{Kind: k, Summary: r.events[k].summary, def: r.events[k]})
	}
	return out
}
