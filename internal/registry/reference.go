package registry

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"vyre"
)

// Reference renders every file of docs/reference that is made from the
// registry, by name.
func Reference(r *Registry, version string) (map[string][]byte, error) {
	api, err := OpenAPI(r, version)
	if err != nil {
		return nil, err
	}
	return map[string][]byte{
		"tools.md": ToolsPage(r), "events.md": EventsPage(r), "callers.md": CallersPage(r),
		"errors.md": ErrorsPage(), "states.md": StatesPage(),
		"openapi.json": api,
	}, nil
}

const generated = "<!-- Generated from the registry. Change the declarations, not this page. -->\n\n"

// ToolsPage is docs/reference/tools.md.
func ToolsPage(r *Registry) []byte {
	var b strings.Builder
	b.WriteString("# Tools\n\n" + generated +
		"Each is `POST /v1/tools/<name>` on the HTTP port and the socket, and `vyre call <name> '<json>'`.\n" +
		"An input is refused whole, before anything changes, when a field is unknown, missing or not as below.\n")
	for _, e := range r.Tools() {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\nEffect: %s. May be called by: %s.", e.Name, e.Summary, e.Effect, callers(e))
		if e.Presence {
			b.WriteString(" Needs a fresh touch of a passkey.")
		}
		b.WriteString("\n\nInput:\n\n" + fieldTable(e.In()) + "\nOutput:\n\n" + fieldTable(e.Out()))
	}
	return []byte(b.String())
}

func callers(e Entry) string {
	switch e.Reach {
	case vyre.ReachAny:
		return "every caller that is known"
	case vyre.ReachSelf:
		return "a person, and a thread on itself"
	case vyre.ReachOwn:
		return "a person, and a thread for what is its own"
	case vyre.ReachPerson:
	}
	return strings.Join(words(e.Callers), ", ")
}

// EventsPage is docs/reference/events.md.
func EventsPage(r *Registry) []byte {
	var b strings.Builder
	b.WriteString("# Events\n\n" + generated +
		"`{\"seq\",\"ts\",\"kind\",\"thread\",\"turn\",\"data\"}`, in the order of `seq`; the tables give `data`.\n")
	for _, e := range r.Events() {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n%s", e.Kind, e.Summary, fieldTable(e.Data()))
	}
	return []byte(b.String())
}

// ErrorsPage is docs/reference/errors.md.
func ErrorsPage() []byte {
	var b strings.Builder
	b.WriteString("# Errors\n\n<!-- Generated from the catalogue in error.go. -->\n\n" +
		"Every door gives `{\"error\":{\"code\",\"message\",\"hint\",\"retryable\",\"details\"}}`. A retryable one may pass when the\n" +
		"same call is made again.\n\n" +
		"| code | HTTP | JSON-RPC | exit | retryable | meaning | what helps |\n|---|---|---|---|---|---|---|\n")
	for _, i := range vyre.Catalogue {
		retry := "no"
		if i.Retryable {
			retry = "yes"
		}
		fmt.Fprintf(&b, "| `%s` | %d | %d | %d | %s | %s | %s |\n", i.Code, i.HTTP, i.RPC, i.Exit, retry, cell(i.Meaning), cell(i.Hint))
	}
	return []byte(b.String())
}

// StatesPage is docs/reference/states.md.
func StatesPage() []byte {
	var b strings.Builder
	b.WriteString("# States of a thread\n\n<!-- Generated from the table in state.go. -->\n\n```mermaid\n" + vyre.Diagram() + "```\n\n" +
		"| from | move | to |\n|---|---|---|\n")
	for _, t := range vyre.Table {
		fmt.Fprintf(&b, "| %s | `%s` | %s |\n", t.From, t.Move, t.To)
	}
	fmt.Fprintf(&b, "\nA process is expected while a thread is %s, except that an idle one may have none.\n", strings.Join(live(), ", "))
	fmt.Fprintf(&b, "A stop says why: %s.\n", strings.Join(words(vyre.StopReasons), ", "))
	return []byte(b.String())
}

func live() []string {
	var out []string
	for _, s := range vyre.States {
		if s.Live() {
			out = append(out, string(s))
		}
	}
	return out
}

// fieldTable lists the fields of an object, those inside of it with their path.
func fieldTable(s *jsonschema.Schema) string {
	var b strings.Builder
	rows(&b, s, "", true)
	if b.Len() == 0 {
		return "No fields.\n"
	}
	return "| field | type | required | what |\n|---|---|---|---|\n" + b.String()
}

func rows(b *strings.Builder, s *jsonschema.Schema, prefix string, required bool) {
	for _, name := range s.PropertyOrder {
		p := s.Properties[name]
		must := required && slices.Contains(s.Required, name)
		yes := ""
		if must {
			yes = "yes"
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", prefix+name, cell(typeWord(p)), yes, cell(p.Description))
		switch {
		case p.Items != nil:
			rows(b, p.Items, prefix+name+"[].", true)
		case p.AdditionalProperties != nil && p.Properties == nil:
			rows(b, p.AdditionalProperties, prefix+name+".*.", true)
		default:
			rows(b, p, prefix+name+".", must)
		}
	}
}

// typeWord is a schema's type for people.
func typeWord(s *jsonschema.Schema) string {
	null := ""
	if slices.Contains(s.Types, "null") {
		null = " or null"
	}
	switch {
	case s.Enum != nil:
		return enumWord(s.Enum)
	case s.Format == "date-time":
		return "time" + null
	case s.Pattern == idPattern, s.Pattern == idOrNone:
		return "id" + null
	case s.Pattern == turnPattern:
		return "turn id" + null
	case s.Items != nil:
		return "list of " + typeWord(s.Items) + null
	case s.Type == "object" && s.AdditionalProperties != nil && s.Properties == nil:
		return "object of " + typeWord(s.AdditionalProperties) + null
	case s.Type != "":
		return s.Type
	}
	for _, t := range s.Types {
		if t != "null" {
			return t + null
		}
	}
	return "any"
}

func enumWord(values []any) string {
	var out []string
	for _, v := range values {
		switch v {
		case nil:
			out = append(out, "null")
		case "":
			out = append(out, "(empty)")
		default:
			out = append(out, fmt.Sprintf("`%v`", v))
		}
	}
	return strings.Join(out, ", ")
}

// cell keeps a text in one cell of a table.
func cell(s string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ").Replace(s)
}
