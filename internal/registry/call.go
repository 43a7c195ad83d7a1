package registry

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"runtime/debug"

	"vyre"
)

// Call runs a tool for a caller. An empty input means {}. Every error is a
// *vyre.Error: not_found for an unknown tool, unauthenticated, denied,
// person_only or person_session_required before the input is looked at, invalid for
// the input, presence_required for a good one that needs a touch, then whatever the
// handler says.
func (r *Registry) Call(ctx context.Context, c vyre.Caller, name string, input json.RawMessage) (json.RawMessage, error) {
	d, ok := r.tools[name]
	if !ok {
		return nil, r.unknown(name)
	}
	if err := authorise(d.Tool, c); err != nil {
		r.refused(ctx, d, c, nil, err)
		return nil, err
	}
	var started string // the touch whose act this call is
	out, err := r.guard(ctx, d, c, input, &started)
	if err != nil {
		out, err = nil, r.clean(r.shown(ctx, d, c, err))
	}
	if started != "" {
		r.prover.Settle(started, out, err)
	}
	return out, err
}

// MaxInput is the largest input of a tool in bytes, for who reads it from
// somewhere. A name that no tool has gets the default, to be refused by Call.
func (r *Registry) MaxInput(name string) int64 {
	if d, ok := r.tools[name]; ok && d.MaxInput > 0 {
		return d.MaxInput
	}
	return vyre.DefaultMaxInput
}

// Decides says whether a tool decides something, admits somebody or needs presence: a
// door then looks at its caller anew instead of relying on a moment ago.
func (r *Registry) Decides(name string) bool {
	d, ok := r.tools[name]
	return ok && (d.Decides || d.Admits || d.Presence)
}

// unknown refuses a name that no tool has, naming the nearest.
func (r *Registry) unknown(name string) error {
	shown := name
	if len(shown) > 64 {
		shown = shown[:64]
	}
	e := vyre.NotFound("tool", shown)
	if near := nearest(name, sortedKeys(r.tools)); near != "" {
		return e.WithHint("Did you mean "+near+"?").WithDetail("nearest", near)
	}
	return e.WithHint("docs/reference/tools.md lists the tools.")
}

// guard runs the call and turns a panic of a handler into an error.
func (r *Registry) guard(ctx context.Context, d *tool, c vyre.Caller, input json.RawMessage, started *string) (out json.RawMessage, err error) {
	defer func() {
		if p := recover(); p != nil {
			// Its type alone: what a panic quotes may be a secret.
			r.log.ErrorContext(ctx, "a tool panicked", "tool", d.Name, "caller", c.String(), "panic", fmt.Sprintf("%T", p), "stack", string(debug.Stack()))
			out, err = nil, vyre.Errorf(vyre.CodeInternal, "something went wrong inside the daemon")
		}
	}()
	return r.run(ctx, d, c, input, started)
}

// run decodes the input, asks whether this caller may do this, and has it done.
func (r *Registry) run(ctx context.Context, d *tool, c vyre.Caller, input json.RawMessage, started *string) (json.RawMessage, error) {
	in, h := d.begin()
	if err := decode(d.shape(), input, in); err != nil {
		return nil, err
	}
	out, err := r.permitted(ctx, d, c, input, in, h, started)
	if err != nil {
		r.refused(ctx, d, c, in, err)
		return nil, err
	}
	return encode(out)
}

// permitted runs the handler of a good input, if the caller may do this.
func (r *Registry) permitted(ctx context.Context, d *tool, c vyre.Caller, input json.RawMessage, in any, h run, started *string) (any, error) {
	if err := authoriseSelf(d.Tool, c, in); err != nil {
		return nil, err
	}
	c, err := r.prove(ctx, d, c, input, in, started)
	if err != nil {
		return nil, err
	}
	return r.recorded(ctx, d, c, in, h)
}

// shown turns a handler's error into what the caller may see, and logs what he
// may not.
func (r *Registry) shown(ctx context.Context, d *tool, c vyre.Caller, err error) error {
	if e, ok := errors.AsType[*vyre.Error](err); ok {
		if e.Code == vyre.CodeInternal {
			r.log.ErrorContext(ctx, "a tool failed", "tool", d.Name, "caller", c.String(), "err", err)
		}
		return e
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return vyre.Errorf(vyre.CodeTimeout, "%s: no answer came within the bound", d.Name).Because(err)
	case errors.Is(err, context.Canceled):
		return vyre.Errorf(vyre.CodeUnavailable, "%s: the call was given up", d.Name).Because(err)
	}
	r.log.ErrorContext(ctx, "a tool failed", "tool", d.Name, "caller", c.String(), "err", err)
	return vyre.AsError(err)
}

// encode renders an output without escaping HTML. A list that is a field of the
// output itself is [] when it is empty, never null; out is ours to change, what
// it points to is not.
func encode(out any) (json.RawMessage, error) {
	v := reflect.ValueOf(out).Elem()
	for _, f := range v.Fields() {
		if f.Kind() == reflect.Slice && f.IsNil() && f.CanSet() && f.Type().Elem().Kind() != reflect.Uint8 {
			f.Set(reflect.MakeSlice(f.Type(), 0, 0))
		}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(out); err != nil {
		return nil, vyre.Errorf(vyre.CodeInternal, "something went wrong inside the daemon").Because(err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
