package registry

import (
	"encoding"
	"encoding/json"
	"reflect"
	"regexp"
	"strings"
	"sync"
)

// shape is what a Go type takes as JSON: the plan of the strict decoder. The
// schemas are made separately, by the jsonschema library; a fuzz test holds the
// two to the same verdicts.
type shape struct {
	kind     byte // as node.kind, with i for whole numbers and * for anything
	null     bool // null is fine too
	fields   []field
	elem     *shape // of a list, or of an object used as a map
	enum     []string
	pattern  *regexp.Regexp
	expect   string // what a string must look like, for people
	date     bool
	unsigned bool
	bits     int
}

type field struct {
	name     string
	required bool
	shape    *shape
}

// shapeOf makes the plan of a type. A type that contains itself is taken as
// anything below its first occurrence, and then left to encoding/json.
func shapeOf(t reflect.Type) *shape { return shapeIn(t, map[reflect.Type]bool{}) }

func shapeIn(t reflect.Type, above map[reflect.Type]bool) *shape {
	if t.Kind() == reflect.Pointer {
		s := *shapeIn(t.Elem(), above)
		s.null = true
		return &s
	}
	if s := specialShape(t); s != nil {
		return s
	}
	switch t.Kind() {
	case reflect.String:
		return stringShape(t)
	case reflect.Bool:
		return &shape{kind: 'b'}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return &shape{kind: 'i', bits: t.Bits()}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return &shape{kind: 'i', bits: t.Bits(), unsigned: true}
	case reflect.Float32, reflect.Float64:
		return &shape{kind: 'n'}
	case reflect.Slice, reflect.Array:
		return &shape{kind: 'a', elem: shapeIn(t.Elem(), above)}
	case reflect.Map:
		return &shape{kind: 'o', elem: shapeIn(t.Elem(), above)}
	case reflect.Struct:
		if above[t] {
			return &shape{kind: '*'}
		}
		above[t] = true
		defer delete(above, t)
		return &shape{kind: 'o', fields: fieldsOf(t, above)}
	}
	return &shape{kind: '*'}
}

// specialShape covers the types whose JSON is not what their Go kind suggests.
func specialShape(t reflect.Type) *shape {
	switch t {
	case rawType:
		return &shape{kind: '*'}
	case bytesType:
		return &shape{kind: 's', pattern: base64Regexp(), expect: "base64"}
	case timeType:
		return &shape{kind: 's', null: true, date: true}
	case turnType:
		return &shape{kind: 's', null: true, pattern: turnRegexp(), expect: "a turn id (<thread>:<n>)"}
	case seqType:
		return &shape{kind: 'i', bits: 64, unsigned: true}
	}
	if t.Kind() == reflect.String {
		return nil
	}
	p := reflect.PointerTo(t)
	switch {
	case p.Implements(reflect.TypeFor[json.Unmarshaler]()):
		return &shape{kind: '*'}
	case p.Implements(reflect.TypeFor[encoding.TextUnmarshaler]()):
		return &shape{kind: 's'}
	}
	return nil
}

func stringShape(t reflect.Type) *shape {
	s := &shape{kind: 's', enum: enumOf(t)}
	switch {
	case isID(t):
		s.pattern, s.expect = idRegexp(), "1 to 64 of a-z 0-9 _ -"
	case t == kindType:
		s.pattern, s.expect = toolName, "a kind of event, such as thread.state"
	}
	return s
}

// fieldsOf lists the JSON fields of a struct, those of embedded structs among
// them.
func fieldsOf(t reflect.Type, above map[reflect.Type]bool) []field {
	var out []field
	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-" && options == "":
			continue
		case f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct:
			out = append(out, fieldsOf(f.Type, above)...)
			continue
		case !f.IsExported():
			continue
		case name == "":
			name = f.Name
		}
		optional := strings.Contains(","+options+",", ",omitempty,") || strings.Contains(","+options+",", ",omitzero,")
		out = append(out, field{name: name, required: !optional, shape: shapeIn(f.Type, above)})
	}
	return out
}

// find returns the field of a name, exactly as spelled.
func (s *shape) find(name string) *field {
	for i := range s.fields {
		if s.fields[i].name == name {
			return &s.fields[i]
		}
	}
	return nil
}

// names lists the fields in order.
func (s *shape) names() []string {
	out := make([]string, len(s.fields))
	for i, f := range s.fields {
		out[i] = f.name
	}
	return out
}

var (
	idRegexp     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(idPattern) })
	turnRegexp   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(turnPattern) })
	base64Regexp = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(base64Pattern) })
)
