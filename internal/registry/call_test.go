package registry

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"vyre"
)

var owner = vyre.Person(vyre.Owner, "cli")

// A name that no tool has is refused with the nearest one that there is.
func TestCallUnknownTool(t *testing.T) {
	ran, r := 0, New()
	define[none](r, "threads.start", vyre.ReachAny, &ran)
	define[none](r, "vault.put", vyre.ReachAny, &ran)
	_, err := r.Call(t.Context(), owner, "threads.strat", nil)
	if e := code(t, err, vyre.CodeNotFound); !strings.Contains(e.Hint, "threads.start") {
		t.Errorf("hint %q", e.Hint)
	}
	_, err = r.Call(t.Context(), owner, strings.Repeat("x", 1<<16), nil)
	if e := code(t, err, vyre.CodeNotFound); len(e.Message) > 200 {
		t.Errorf("a message of %d bytes", len(e.Message))
	}
}

// What goes wrong inside a handler is in the log and not in the answer; of a panic, which
// may quote anything, only its type and where it was.
func TestCallHidesFaults(t *testing.T) {
	secret := "/home/someone/private/key"
	for name, c := range map[string]struct {
		do   func() error
		want vyre.Code
		log  bool
	}{
		"panic":             {func() error { panic(secret) }, vyre.CodeInternal, false},
		"foreign error":     {func() error { return errors.New(secret) }, vyre.CodeInternal, true},
		"own internal":      {func() error { return vyre.Errorf(vyre.CodeInternal, "a fault").Because(errors.New(secret)) }, vyre.CodeInternal, true},
		"own, with a cause": {func() error { return vyre.Errorf(vyre.CodeBusy, "full").Because(errors.New(secret)) }, vyre.CodeBusy, false},
		"deadline":          {func() error { return context.DeadlineExceeded }, vyre.CodeTimeout, false},
		"given up":          {func() error { return context.Canceled }, vyre.CodeUnavailable, false},
	} {
		var log bytes.Buffer
		r := New(WithLog(slog.New(slog.NewTextHandler(&log, nil))))
		Define(r, vyre.Tool{Name: "x.y", Summary: "S.", Effect: vyre.EffectRead, Reach: vyre.ReachAny},
			func(context.Context, vyre.Caller, none) (none, error) { return none{}, c.do() })
		_, err := r.Call(t.Context(), owner, "x.y", nil)
		code(t, err, c.want)
		shown, _ := json.Marshal(vyre.EnvelopeOf(err))
		if strings.Contains(string(shown), "someone") {
			t.Errorf("%s: shown: %s", name, shown)
		}
		if strings.Contains(log.String(), "someone") != c.log {
			t.Errorf("%s: log: %s", name, log.String())
		}
		if name == "panic" && !strings.Contains(log.String(), "panic=string stack=") {
			t.Errorf("%s: log: %s", name, log.String())
		}
	}
}

// Outputs come without escaped HTML, on one line, and their own lists are never null.
func TestCallEncodes(t *testing.T) {
	r := New()
	Define(r, vyre.Tool{Name: "x.y", Summary: "S.", Effect: vyre.EffectRead, Reach: vyre.ReachAny},
		func(context.Context, vyre.Caller, none) (reply, error) { return reply{Text: "a < b && c\u2028"}, nil })
	out, err := r.Call(t.Context(), owner, "x.y", nil)
	if want := `{"threads":[],"text":"a < b && c\u2028"}`; err != nil || string(out) != want {
		t.Errorf("got %s, %v; want %s", out, err, want)
	}
}

// Check tells every wrong declaration at once, and none of them can be called.
func TestCheckTellsAll(t *testing.T) {
	ran, r := 0, New()
	define[none](r, "ok.tool", vyre.ReachAny, &ran)
	define[none](r, "ok.tool", vyre.ReachAny, &ran)
	define[none](r, "Bad-Name", vyre.ReachAny, &ran)
	define[none](r, "no.thread", vyre.ReachSelf, &ran)
	define[string](r, "no.struct", vyre.ReachAny, &ran)
	define[none](r, "no.reach", "everyone", &ran)
	Define[none, none](r, vyre.Tool{Name: "no.handler", Effect: "boom", Reach: vyre.ReachAny}, nil)
	DefineEvent[vyre.ThreadState](r, "")
	DefineEvent[vyre.ThreadState](r, "S.")
	DefineEvent[vyre.ThreadState](r, "S.")
	err := r.Check()
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{
		"ok.tool\": declared twice", "Bad-Name", "ThreadRef", "are structs", `unknown reach "everyone"`,
		"no.handler\": no handler", `unknown effect "boom"`, "no.handler\": no summary", "thread.state\": no summary", "thread.state\": declared twice",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("not told: %s", want)
		}
	}
	if n := len(r.Tools()); n != 1 {
		t.Errorf("%d tools, want 1", n)
	}
}

// A tool's input is bounded by what its declaration says, else by the default.
func TestMaxInput(t *testing.T) {
	r := New()
	for name, max := range map[string]int64{"a.small": 0, "a.large": 8 << 20} {
		Define(r, vyre.Tool{Name: name, Summary: "Does it.", Effect: vyre.EffectRead, Reach: vyre.ReachAny, MaxInput: max},
			func(context.Context, vyre.Caller, struct{}) (struct{}, error) { return struct{}{}, nil })
	}
	for name, want := range map[string]int64{"a.small": vyre.DefaultMaxInput, "a.large": 8 << 20, "a.none": vyre.DefaultMaxInput} {
		if got := r.MaxInput(name); got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
}
