package registry

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// inputSchema is the schema of a tool's input.
func inputSchema(t reflect.Type) (*jsonschema.Schema, error) {
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: schemasOf(t, false)})
	if err != nil {
		return nil, fmt.Errorf("schema of the input %s: %w", t, err)
	}
	polish(s, false, true)
	return s, nil
}

// outputSchema is the schema of a tool's output or an event's data. An id or a
// verdict that isn't there is the empty string, and a list inside a list's
// element may be null; a list that is a field of the output itself is never.
func outputSchema(t reflect.Type) (*jsonschema.Schema, error) {
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: schemasOf(t, true)})
	if err != nil {
		return nil, fmt.Errorf("schema of the output %s: %w", t, err)
	}
	polish(s, true, true)
	return s, nil
}

// mustSchema gives a schema that takes anything where a type can't have one;
// CheckSchemas, which the tests run over every tool, says which that is.
func mustSchema(s *jsonschema.Schema, err error) *jsonschema.Schema {
	if err != nil {
		return &jsonschema.Schema{Description: "any value"}
	}
	return s
}

// schemasOf gives the schemas of the named types that occur in t.
func schemasOf(t reflect.Type, output bool) map[reflect.Type]*jsonschema.Schema {
	out := map[reflect.Type]*jsonschema.Schema{}
	collect(t, output, out, map[reflect.Type]bool{})
	return out
}

func collect(t reflect.Type, output bool, out map[reflect.Type]*jsonschema.Schema, seen map[reflect.Type]bool) {
	if seen[t] {
		return
	}
	seen[t] = true
	if s := namedSchema(t, output); s != nil {
		out[t] = s
		return
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		collect(t.Elem(), output, out, seen)
	case reflect.Struct:
		for i := range t.NumField() {
			collect(t.Field(i).Type, output, out, seen)
		}
	}
}

// namedSchema is the schema of a type that says more than its Go kind, or nil.
func namedSchema(t reflect.Type, output bool) *jsonschema.Schema {
	switch {
	case t == rawType:
		return &jsonschema.Schema{}
	case t == bytesType:
		return &jsonschema.Schema{Type: "string", Pattern: base64Pattern}
	case t == timeType:
		return &jsonschema.Schema{Types: []string{"null", "string"}, Format: "date-time"}
	case t == turnType:
		return &jsonschema.Schema{Types: []string{"null", "string"}, Pattern: turnPattern}
	case t == kindType:
		return &jsonschema.Schema{Type: "string", Pattern: kindPattern}
	case t == seqType:
		return &jsonschema.Schema{Type: "integer", Minimum: new(0.0)}
	case isID(t) && output:
		return &jsonschema.Schema{Type: "string", Pattern: idOrNone}
	case isID(t):
		return &jsonschema.Schema{Type: "string", Pattern: idPattern}
	}
	enum := enumOf(t)
	if enum == nil {
		return nil
	}
	s := &jsonschema.Schema{Type: "string"}
	for _, v := range enum {
		s.Enum = append(s.Enum, v)
	}
	if output && mayBeEmpty(t) {
		s.Enum = append(s.Enum, "")
	}
	return s
}

// polish mends what the library makes of lists and pointers. In inputs no list
// may be null, at any depth; in outputs a field of s itself may not be. An output
// is open to fields that later versions add.
func polish(s *jsonschema.Schema, output, top bool) {
	if len(s.Types) == 1 && s.Types[0] == "null" { // a pointer to any value
		s.Types = nil
	}
	if s.Enum != nil && slices.Contains(s.Types, "null") && !slices.Contains(s.Enum, nil) {
		s.Enum = append(s.Enum, nil)
	}
	if output && s.Properties != nil {
		s.AdditionalProperties = nil
	}
	for _, p := range s.Properties {
		if (!output || top) && slices.Contains(p.Types, "array") {
			p.Type, p.Types = "array", nil
		}
		polish(p, output, false)
	}
	for _, sub := range []*jsonschema.Schema{s.Items, s.AdditionalProperties} {
		if sub == nil {
			continue
		}
		if !output && slices.Contains(sub.Types, "array") {
			sub.Type, sub.Types = "array", nil
		}
		polish(sub, output, false)
	}
}
