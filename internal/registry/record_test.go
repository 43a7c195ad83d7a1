package registry

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vyre"
)

// clerk notes what it is told.
type clerk struct{ made, refused []vyre.AuditEntry }

func (c *clerk) Record(_ context.Context, e vyre.AuditEntry) error {
	c.made = append(c.made, e)
	return nil
}

func (c *clerk) Refused(_ context.Context, e vyre.AuditEntry) { c.refused = append(c.refused, e) }

type naming struct {
	Thread vyre.ThreadID `json:"thread"`
	Ask    vyre.AskID    `json:"ask,omitempty"`
	Text   string        `json:"text,omitempty"`
}

// A call that changes something is written down once, with its commit or after it; what
// only reads or fails is not; who is refused is. Ids are named, nothing else of an input.
func TestCallsAreWrittenDown(t *testing.T) {
	person := vyre.Caller{Kind: vyre.CallerPerson, ID: vyre.Owner, Surface: "cli", Proof: "peer", Level: "L2"}
	thread := vyre.Caller{Kind: vyre.CallerThread, ID: "t2", Level: "L2"}
	const input = `{"thread":"t1","ask":"a1","text":"hush"}`
	done := vyre.AuditEntry{Tool: "x.y", Effect: vyre.EffectWrite, Caller: "person:owner:cli", Proof: "peer", Level: "L2", Thread: "t1", About: "ask a1", Result: "done", Count: 1}
	no := vyre.AuditEntry{Tool: "x.y", Effect: vyre.EffectWrite, Caller: "thread:t2", Level: "L2", Thread: "t2", Result: "person_only", Count: 1}
	for name, c := range map[string]struct {
		effect  vyre.Effect
		by      vyre.Caller
		input   string
		handler func(ctx context.Context) error
		want    clerk
	}{
		"changes":        {vyre.EffectWrite, person, input, nil, clerk{made: []vyre.AuditEntry{done}}},
		"committed":      {vyre.EffectWrite, person, input, func(ctx context.Context) error { vyre.AuditOf(ctx).Take(); return nil }, clerk{}},
		"reads":          {vyre.EffectRead, person, input, nil, clerk{}},
		"fails":          {vyre.EffectWrite, person, input, func(context.Context) error { return vyre.Invalid("text", "no") }, clerk{}},
		"bad input":      {vyre.EffectWrite, person, `{"thread":7}`, nil, clerk{}},
		"is refused":     {vyre.EffectWrite, thread, input, nil, clerk{refused: []vyre.AuditEntry{no}}},
		"denied by hand": {vyre.EffectWrite, person, input, func(context.Context) error { return vyre.Errorf(vyre.CodeDenied, "no") }, clerk{refused: []vyre.AuditEntry{resulting(done, "denied")}}},
	} {
		t.Run(name, func(t *testing.T) {
			r, k := New(), &clerk{}
			r.Record(k)
			Define(r, vyre.Tool{Name: "x.y", Summary: "S.", Effect: c.effect, Reach: vyre.ReachPerson}, func(ctx context.Context, _ vyre.Caller, _ naming) (none, error) {
				if c.handler == nil {
					return none{}, nil
				}
				return none{}, c.handler(ctx)
			})
			_, _ = r.Call(t.Context(), c.by, "x.y", []byte(c.input))
			if d := cmp.Diff(c.want, *k, cmp.AllowUnexported(clerk{})); d != "" {
				t.Error(d)
			}
		})
	}
}

// What claims to be an id and could not be one is not written down.
func TestNoInputIsWrittenDown(t *testing.T) {
	for _, claim := range []string{"", "x y", "a\nb", "\u202e", "sk-" + strings.Repeat("x", 80)} {
		if thread, about := named(reflect.ValueOf(naming{vyre.ThreadID(claim), vyre.AskID(claim), "hush"})); thread != "" || about != "" {
			t.Errorf("%q: %q, %q", claim, thread, about)
		}
	}
}

func resulting(e vyre.AuditEntry, result string) vyre.AuditEntry {
	e.Result = result
	return e
}
