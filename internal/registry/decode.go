package registry

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"vyre"
)

// decode reads input into v (a pointer to the struct that s was made of) or
// refuses it whole with code invalid, naming the field.
func decode(s *shape, input []byte, v any) error {
	if len(bytes.TrimLeft(input, " \t\r\n")) == 0 {
		input = []byte("{}")
	}
	n, bad := parse(input)
	if bad != nil {
		if bad.path != "" {
			return vyre.Invalid(bad.path, "%s", bad.what)
		}
		return vyre.Errorf(vyre.CodeInvalid, "%s", bad.what).WithHint("The input is one JSON object.")
	}
	if err := s.check(&n, nil); err != nil {
		return err
	}
	if err := json.Unmarshal(input, v); err != nil { // only a type with its own decoder can still refuse
		return vyre.Errorf(vyre.CodeInvalid, "the input does not have the form that the tool's schema gives").Because(err)
	}
	return nil
}

// refuse names the field, or the input as a whole at the top.
func refuse(p path, format string, args ...any) *vyre.Error {
	what := fmt.Sprintf(format, args...)
	if len(p) == 0 {
		return vyre.Errorf(vyre.CodeInvalid, "the input %s", what)
	}
	return vyre.Invalid(p.String(), "%s", what)
}

// check holds a parsed value to the shape.
func (s *shape) check(n *node, p path) error {
	if s.kind == '*' || n.kind == 'z' && s.null {
		return nil
	}
	want := s.kind
	if want == 'i' {
		want = 'n'
	}
	if n.kind != want {
		return refuse(p, "must be %s, not %s", s.word(), n.word())
	}
	switch s.kind {
	case 'o':
		if s.elem != nil {
			return s.checkMap(n, p)
		}
		return s.checkObject(n, p)
	case 'a':
		for i := range n.items {
			if err := s.elem.check(&n.items[i], p.index(i)); err != nil {
				return err
			}
		}
	case 's':
		return s.checkString(n, p)
	case 'i':
		return s.checkInteger(n, p)
	}
	return nil
}

// word is the shape for people.
func (s *shape) word() string {
	if s.kind == 'i' {
		return "a whole number"
	}
	return (&node{kind: s.kind}).word()
}

func (s *shape) checkMap(n *node, p path) error {
	for i := range n.members {
		if err := s.elem.check(&n.members[i].value, p.field(n.members[i].name)); err != nil {
			return err
		}
	}
	return nil
}

func (s *shape) checkObject(n *node, p path) error {
	given := make([]string, len(n.members))
	for i := range n.members {
		m := &n.members[i]
		given[i] = m.name
		f := s.find(m.name)
		if f == nil {
			return s.unknown(m.name, p)
		}
		if err := f.shape.check(&m.value, p.field(m.name)); err != nil {
			return err
		}
	}
	for _, f := range s.fields {
		if f.required && !slices.Contains(given, f.name) {
			return refuse(p.field(f.name), "is required")
		}
	}
	return nil
}

// unknown refuses a field that the tool does not have. Names are case-sensitive:
// what differs in case alone is named as the nearest.
func (s *shape) unknown(name string, p path) error {
	err := refuse(p.field(name), "there is no such field")
	names := s.names()
	if near := nearest(name, names); near != "" {
		return err.WithHint("Did you mean " + near + "?")
	}
	if len(names) == 0 {
		return err.WithHint("This takes no fields.")
	}
	return err.WithHint("The fields are: " + strings.Join(names, ", ") + ".")
}

func (s *shape) checkString(n *node, p path) error {
	if s.enum == nil && s.pattern == nil && !s.date {
		return nil
	}
	v := n.text()
	switch {
	case s.enum != nil && !slices.Contains(s.enum, v):
		err := refuse(p, "must be one of %s", strings.Join(s.enum, ", "))
		if near := nearest(v, s.enum); near != "" {
			return err.WithHint("Did you mean " + near + "?")
		}
		return err
	case s.pattern != nil && !s.pattern.MatchString(v):
		return refuse(p, "must be %s", s.expect)
	case s.date:
		if _, err := time.Parse(time.RFC3339, v); err != nil || n.escaped {
			return refuse(p, "must be a time as RFC 3339 writes it, such as 2026-01-02T15:04:05Z")
		}
	}
	return nil
}

func (s *shape) checkInteger(n *node, p path) error {
	raw := string(n.raw)
	if strings.ContainsAny(raw, ".eE") {
		return refuse(p, "must be a whole number")
	}
	if s.unsigned && strings.HasPrefix(raw, "-") && strings.Trim(raw, "-0") != "" {
		return refuse(p, "must not be negative")
	}
	var err error
	if s.unsigned {
		_, err = strconv.ParseUint(strings.TrimPrefix(raw, "-"), 10, s.bits)
	} else {
		_, err = strconv.ParseInt(raw, 10, s.bits)
	}
	if err != nil {
		return refuse(p, "is out of range")
	}
	return nil
}

// Decode reads an input outside of a tool (a door's own route) as strictly.
func Decode[In any](input []byte) (In, error) {
	var v In
	err := decode(shapeOf(reflect.TypeFor[In]()), input, &v)
	return v, err
}
