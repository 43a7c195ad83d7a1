package registry

import (
	"context"
	"reflect"
	"slices"
	"strings"

	"vyre"
)

// Recorder writes down who called what. internal/audit implements it.
type Recorder interface {
	// Record writes the entry of a call that was made and wrote nothing itself.
	Record(ctx context.Context, e vyre.AuditEntry) error
	// Refused notes a call that its caller may not make. It may count several alike
	// and write them as one. It must not fail the call further, so it says nothing.
	Refused(ctx context.Context, e vyre.AuditEntry)
}

// Record sets who writes calls down. It is for wiring, before the first Call.
func (r *Registry) Record(to Recorder) { r.recorder = to }

// refusals are the codes that say something of the caller and not of the input.
var refusals = []vyre.Code{vyre.CodePersonOnly, vyre.CodeDenied, vyre.CodePersonSessionRequired, vyre.CodeUnauthenticated}

// refused notes an error that is a refusal of the caller.
func (r *Registry) refused(ctx context.Context, d *tool, c vyre.Caller, in any, err error) {
	if code := vyre.CodeOf(err); r.recorder != nil && slices.Contains(refusals, code) {
		e := entry(d, c, in, string(code))
		if e.Thread == "" {
			e.Thread = c.Thread() // it is told where the caller is
		}
		r.recorder.Refused(ctx, e)
	}
}

// recorded runs a handler so that a call which changes something is written down: with
// its own first commit, or after it where it made none. Calls that fail without one
// changed nothing and are left out.
func (r *Registry) recorded(ctx context.Context, d *tool, c vyre.Caller, in any, h run) (any, error) {
	if r.recorder == nil || d.Effect == vyre.EffectRead {
		return h(ctx, c)
	}
	note := &vyre.AuditNote{Entry: entry(d, c, in, vyre.AuditDone)}
	out, err := h(vyre.WithAudit(ctx, note), c)
	if err == nil && note.Take() {
		if rerr := r.recorder.Record(context.WithoutCancel(ctx), note.Entry); rerr != nil {
			r.log.ErrorContext(ctx, "a call was made and could not be written down", "tool", d.Name, "caller", c.String(), "err", rerr)
		}
	}
	return out, err
}

// entry tells of a call. in is a pointer to the decoded input, or nil.
func entry(d *tool, c vyre.Caller, in any, result string) vyre.AuditEntry {
	e := vyre.AuditEntry{
		Tool: d.Name, Effect: d.Effect, Caller: c.String(), Proof: c.Proof, Level: c.Level, Result: result, Count: 1,
	}
	if in != nil {
		e.Thread, e.About = named(reflect.ValueOf(in).Elem())
	}
	return e
}

// named finds what an input names: fields whose type is an id of the domain. Ids that
// could not be one are left out, as are all other fields.
func named(v reflect.Value) (thread vyre.ThreadID, about string) {
	var list []string
	for f, x := range v.Fields() {
		if x.Kind() == reflect.Struct && f.Anonymous {
			t, more := named(x)
			if thread == "" {
				thread = t
			}
			if more != "" {
				list = append(list, more)
			}
			continue
		}
		kind, ok := strings.CutSuffix(f.Type.Name(), "ID")
		if !ok || x.Kind() != reflect.String || f.Type.PkgPath() != "vyre" || !shortID(x.String()) {
			continue
		}
		if f.Type == reflect.TypeFor[vyre.ThreadID]() && thread == "" {
			thread = vyre.ThreadID(x.String())
			continue
		}
		list = append(list, strings.ToLower(kind)+" "+x.String())
	}
	return thread, strings.Join(list, ", ")
}

// shortID reports whether s reads as an id: what an input claims to be one may be
// anything.
func shortID(s string) bool {
	return s != "" && len(s) <= 64 && !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == ':')
	})
}
