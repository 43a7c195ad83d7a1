package config

import (
	"maps"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"vyre"
)

// decode fills c from a parsed file: first every default, then what is written.
// It walks by the struct tags itself, as the TOML library takes keys in any
// case and gives no key with a wrong type's error.
func decode(raw map[string]any, c *Config) error {
	v := reflect.ValueOf(c).Elem()
	defaults(v)
	c.Providers = map[string]Provider{}
	for _, name := range KnownProviders() {
		var p Provider
		defaults(reflect.ValueOf(&p).Elem())
		c.Providers[name] = p
	}
	return table("", raw, v)
}

// field is one key of a table.
type field struct {
	key string
	reflect.StructField
}

// fields lists the keys of a table in the order they are declared.
func fields(t reflect.Type) []field {
	var fs []field
	for f := range t.Fields() {
		if key := f.Tag.Get("toml"); key != "-" {
			fs = append(fs, field{key, f})
		}
	}
	return fs
}

func keys(t reflect.Type) []string {
	var ks []string
	for _, f := range fields(t) {
		ks = append(ks, f.key)
	}
	return ks
}

func defaults(v reflect.Value) {
	for _, f := range fields(v.Type()) {
		fv, d := v.FieldByIndex(f.Index), f.Tag.Get("default")
		switch fv.Kind() {
		case reflect.Struct:
			defaults(fv)
		case reflect.String:
			fv.SetString(d)
		case reflect.Int:
			n, _ := strconv.ParseInt(d, 10, 64) // the tag is ours; a test loads every default
			fv.SetInt(n)
		case reflect.Bool:
			fv.SetBool(d == "true")
		default: // a table of tables or of strings is empty by default
		}
	}
}

// table reads one table into a struct. Keys are taken in their order of name,
// so that a file with two faults always gives the same one.
func table(path string, raw map[string]any, v reflect.Value) error {
	fs := fields(v.Type())
	for _, key := range slices.Sorted(maps.Keys(raw)) {
		at := join(path, key)
		i := slices.IndexFunc(fs, func(f field) bool { return f.key == key })
		if i < 0 {
			return unknown(at, key, keys(v.Type()))
		}
		if err := value(at, raw[key], v.FieldByIndex(fs[i].Index), fs[i].Tag); err != nil {
			return err
		}
	}
	return nil
}

func value(at string, raw any, v reflect.Value, tag reflect.StructTag) error {
	switch v.Kind() {
	case reflect.Struct:
		m, ok := raw.(map[string]any)
		if !ok {
			return wrongType(at, "a table", raw)
		}
		return table(at, m, v)
	case reflect.Map:
		m, ok := raw.(map[string]any)
		if !ok {
			return wrongType(at, "a table", raw)
		}
		if v.Type().Elem().Kind() == reflect.Struct {
			return providers(at, m, v)
		}
		return words(at, m, v)
	case reflect.String:
		return text(at, raw, v, tag)
	case reflect.Int:
		return number(at, raw, v, tag)
	case reflect.Slice:
		return patterns(at, raw, v)
	default:
		b, ok := raw.(bool)
		if !ok {
			return wrongType(at, "true or false", raw)
		}
		v.SetBool(b)
		return nil
	}
}

func text(at string, raw any, v reflect.Value, tag reflect.StructTag) error {
	s, ok := raw.(string)
	if !ok {
		return wrongType(at, "a string", raw)
	}
	if vals := tag.Get("values"); vals != "" && !slices.Contains(strings.Split(vals, "|"), s) {
		return vyre.Invalid(at, "must be one of %s", strings.ReplaceAll(vals, "|", ", "))
	}
	if tag.Get("check") == "runtime" && s != RuntimePinned && s != RuntimeInstalled && !filepath.IsAbs(s) {
		return vyre.Invalid(at, "must be pinned, installed or an absolute path")
	}
	if tag.Get("check") == "model" && (len(s) > 200 || strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f })) {
		return vyre.Invalid(at, "must be one word of at most 200 bytes")
	}
	v.SetString(s)
	return nil
}

// patterns reads a list of patterns of names.
func patterns(at string, raw any, v reflect.Value) error {
	list, ok := raw.([]any)
	if !ok {
		return wrongType(at, "a list", raw)
	}
	if len(list) > 1000 {
		return vyre.Invalid(at, "at most 1000")
	}
	out := make([]string, 0, len(list))
	for _, x := range list {
		s, ok := x.(string)
		if !ok {
			return wrongType(at, "a list of strings", x)
		}
		if _, err := path.Match(s, ""); err != nil || s == "" || len(s) > 200 {
			return vyre.Invalid(at, "%q is no pattern of a name", s)
		}
		out = append(out, s)
	}
	v.Set(reflect.ValueOf(out))
	return nil
}

func number(at string, raw any, v reflect.Value, tag reflect.StructTag) error {
	n, ok := raw.(int64)
	if !ok {
		return wrongType(at, "a whole number", raw)
	}
	lo, _ := strconv.ParseInt(tag.Get("min"), 10, 64)
	hi, _ := strconv.ParseInt(tag.Get("max"), 10, 64)
	if n < lo || n > hi {
		return vyre.Invalid(at, "must be from %d to %d", lo, hi)
	}
	v.SetInt(n)
	return nil
}

func providers(at string, raw map[string]any, v reflect.Value) error {
	for _, name := range slices.Sorted(maps.Keys(raw)) {
		here := join(at, name)
		if !slices.Contains(KnownProviders(), name) {
			return unknown(here, name, KnownProviders()).
				WithHint("This build knows the providers: " + strings.Join(KnownProviders(), ", ") + ".")
		}
		m, ok := raw[name].(map[string]any)
		if !ok {
			return wrongType(here, "a table", raw[name])
		}
		p := v.MapIndex(reflect.ValueOf(name)).Interface().(Provider)
		if err := table(here, m, reflect.ValueOf(&p).Elem()); err != nil {
			return err
		}
		v.SetMapIndex(reflect.ValueOf(name), reflect.ValueOf(p))
	}
	return nil
}

// words reads a table of strings: an environment.
func words(at string, raw map[string]any, v reflect.Value) error {
	m := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(raw)) {
		s, ok := raw[name].(string)
		if !ok {
			return wrongType(join(at, name), "a string", raw[name])
		}
		if name == "" || strings.ContainsAny(name, "=\x00") || strings.Contains(s, "\x00") {
			return vyre.Invalid(join(at, name), "can't be a variable's name or value")
		}
		m[name] = s
	}
	v.Set(reflect.ValueOf(m))
	return nil
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// wrongType names the type that was found, never the value.
func wrongType(at, want string, got any) *vyre.Error {
	kind := "a date" // the only type of TOML that is not below
	switch got.(type) {
	case string:
		kind = "a string"
	case int64:
		kind = "a whole number"
	case float64:
		kind = "a number"
	case bool:
		kind = "true or false"
	case map[string]any:
		kind = "a table"
	case []any, []map[string]any:
		kind = "a list"
	}
	return vyre.Invalid(at, "must be %s, not %s", want, kind)
}
