package config

import (
	"fmt"
	"reflect"
	"strings"
)

// Reference returns docs/reference/config.md, made from the tags of Config.
func Reference() string {
	var b strings.Builder
	b.WriteString(`# config.toml

Generated from internal/config; a test keeps it fresh.

The file lies in the home (` + "`VYRE_HOME`" + `, by default ` + "`~/.local/state/vyre`" + `; on macOS
` + "`~/Library/Application Support/Vyre`" + `). It need not exist. It is strict: an unknown
key, a wrong type or a value out of range refuses the whole file, naming the key
(and, for an unknown one, the nearest). A change counts from the daemon's next start.

The environment: ` + "`VYRE_HOME`" + ` (absolute path) and ` + "`VYRE_LISTEN`" + ` (loopback address and
port of the page, by default ` + "`" + DefaultListen + "`" + `; a port in use is an error, not another port).
`)
	t := reflect.TypeFor[Config]()
	for _, f := range fields(t) {
		if f.Type.Kind() == reflect.Struct {
			section(&b, "["+f.key+"]", f.Tag.Get("doc"), f.Type)
			continue
		}
		for _, name := range KnownProviders() {
			section(&b, "["+f.key+"."+name+"]", f.Tag.Get("doc"), f.Type.Elem())
		}
	}
	return b.String()
}

func section(b *strings.Builder, title, doc string, t reflect.Type) {
	fmt.Fprintf(b, "\n## %s\n\n%s\n\n| key | values | default | meaning |\n|---|---|---|---|\n", title, doc)
	var inner []field
	for _, f := range fields(t) {
		if f.Type.Kind() == reflect.Struct {
			inner = append(inner, f)
			continue
		}
		def := f.Tag.Get("default")
		if def != "" {
			def = "`" + def + "`"
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", f.key, allowed(f), def, f.Tag.Get("doc"))
	}
	for _, f := range inner {
		section(b, strings.TrimSuffix(title, "]")+"."+f.key+"]", f.Tag.Get("doc"), f.Type)
	}
}

func allowed(f field) string {
	switch {
	case f.Tag.Get("values") != "":
		return "`" + strings.ReplaceAll(f.Tag.Get("values"), "|", "` `") + "`"
	case f.Tag.Get("check") == "runtime":
		return "`pinned` `installed` or an absolute path"
	case f.Tag.Get("check") == "model":
		return "`large` `small` or a model id"
	case f.Tag.Get("check") == "text":
		return f.Tag.Get("of")
	case f.Type.Kind() == reflect.Int:
		return f.Tag.Get("min") + " to " + f.Tag.Get("max")
	case f.Type.Kind() == reflect.Bool:
		return "`true` `false`"
	case f.Type.Kind() == reflect.Slice:
		return "a list of patterns"
	default:
		return "a table of strings"
	}
}
