package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/spf13/pflag"

	"vyre"
)

// callTool calls one tool with the flags that its input declares.
func (a *app) callTool(ctx context.Context, name string, args []string) error {
	entry, ok := a.Tools().Tool(name)
	if !ok {
		return vyre.NotFound("tool", name).WithHint("`vyre tool` lists them.")
	}
	f := pflag.NewFlagSet(name, pflag.ContinueOnError)
	f.SetOutput(a.Err)
	f.Usage = func() {}
	f.BoolVar(&a.json, "json", false, "errors as JSON")
	fields := inputFlags(f, entry.In())
	err := f.Parse(args)
	switch {
	case errors.Is(err, pflag.ErrHelp):
		fmt.Fprintf(a.Out, "%s\n\nusage: vyre tool %s [--field value …]\n\n%s", entry.Summary, name, f.FlagUsages())
		return nil
	case err != nil:
		return vyre.Errorf(vyre.CodeInvalid, "%v", err).WithHint("`vyre tool " + name + " --help` lists the fields.")
	case f.NArg() > 0:
		return vyre.Errorf(vyre.CodeInvalid, "%s takes its fields as flags, not %q", name, f.Arg(0)).
			WithHint("`vyre call " + name + " '<json>'` takes a document.")
	}
	input, err := inputOf(f, fields)
	if err != nil {
		return err
	}
	return a.raw(ctx, name, input)
}

// field is one flag and the type its value has in the document.
type field struct{ name, kind string }

// inputFlags declares a flag for each field of an input: text, numbers and
// switches as such, lists and objects as JSON.
func inputFlags(f *pflag.FlagSet, s *jsonschema.Schema) []field {
	var fields []field
	if s == nil {
		return nil
	}
	for _, name := range sortedNames(s.Properties) {
		if f.Lookup(name) != nil {
			continue
		}
		p := s.Properties[name]
		kind := kindOf(p)
		usage := p.Description
		if len(p.Enum) > 0 {
			usage = strings.TrimSpace(usage + " " + fmt.Sprint(p.Enum))
		}
		if slices.Contains(s.Required, name) {
			usage = strings.TrimSpace(usage + " (required)")
		}
		switch kind {
		case "boolean":
			f.Bool(name, false, usage)
		case "string":
			f.String(name, "", usage)
		default:
			f.String(name, "", strings.TrimSpace(usage+" `json`"))
		}
		fields = append(fields, field{name, kind})
	}
	return fields
}

func sortedNames(m map[string]*jsonschema.Schema) []string {
	names := make([]string, 0, len(m))
	for n := range m {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// kindOf is the type of a field, null aside.
func kindOf(p *jsonschema.Schema) string {
	if p.Type != "" {
		return p.Type
	}
	for _, t := range p.Types {
		if t != "null" {
			return t
		}
	}
	return ""
}

// inputOf makes the document of the flags that were given.
func inputOf(f *pflag.FlagSet, fields []field) (json.RawMessage, error) {
	doc := map[string]json.RawMessage{}
	for _, fd := range fields {
		flag := f.Lookup(fd.name)
		if !flag.Changed {
			continue
		}
		value := flag.Value.String()
		if fd.kind == "string" {
			b, err := json.Marshal(value)
			if err != nil {
				return nil, err
			}
			doc[fd.name] = b
			continue
		}
		if !json.Valid([]byte(value)) {
			return nil, vyre.Invalid(fd.name, "%q is no JSON value of type %s", value, fd.kind)
		}
		doc[fd.name] = json.RawMessage(value)
	}
	return json.Marshal(doc)
}
