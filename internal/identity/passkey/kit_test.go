package passkey

import (
	"context"
	"encoding/json"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"vyre"
	"vyre/internal/identity"
	"vyre/internal/identity/passkey/passkeytest"
	"vyre/internal/registry"
	"vyre/internal/store/sqlite"
)

const (
	local  = "http://localhost:7797"
	remote = "https://box.example"
)

// clock is a clock that tests move.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) read() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// home is a registry with a tool that decides, one that needs presence and one that
// admits, over real rows.
type home struct {
	t    *testing.T
	clk  *clock
	db   *sqlite.DB
	web  *identity.Web
	keys *Keys
	reg  *registry.Registry

	digest string        // of what x.answer is about
	ran    []vyre.Caller // whose calls ran
}

// verdict is like an answer to an ask.
type verdict struct {
	Ask      string          `json:"ask"`
	Decision string          `json:"decision" jsonschema:"allow or deny"`
	Scope    string          `json:"scope,omitempty"`
	Option   string          `json:"option,omitempty"`
	Input    json.RawMessage `json:"input,omitempty"`
}

type done struct {
	By string `json:"by"`
}

func newHome(t *testing.T, always bool) *home {
	t.Helper()
	h := &home{t: t, clk: &clock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}, digest: "d1"}
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "vyre.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- db.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		<-ended
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	h.db, h.web = db, identity.NewWeb(db, h.clk.read, func() string { return "L2" })
	h.keys = New(Config{Store: db, Sessions: h.web, Now: h.clk.read, Sites: func() []string { return []string{local, remote} }, Always: always, Enrols: "x.enrol"})
	h.reg = registry.New()
	h.reg.Prove(h.keys)
	run := func(_ context.Context, c vyre.Caller, _ verdict) (done, error) {
		h.ran = append(h.ran, c)
		return done{c.String()}, nil
	}
	for name, tool := range map[string]vyre.Tool{"x.answer": {Decides: true}, "x.grant": {Presence: true}, "x.enrol": {Presence: true}, "x.code": {Admits: true}, "x.plain": {}} {
		tool.Name, tool.Summary, tool.Effect, tool.Reach = name, "S.", vyre.EffectWrite, vyre.ReachPerson
		registry.Define(h.reg, tool, run)
	}
	registry.Describe(h.reg, "x.answer", func(_ context.Context, in verdict) (registry.Shown, error) {
		return registry.Shown{Title: "Answer", Text: in.Decision + " " + in.Ask, Digest: h.digest}, nil
	})
	if err := h.reg.Check(); err != nil {
		t.Fatal(err)
	}
	return h
}

// page is a signed-in page of an origin.
func (h *home) page(origin string) vyre.Caller {
	h.t.Helper()
	s, err := h.web.Begin(h.t.Context(), "code", "", identity.Place{Name: "a browser", Site: origin})
	if err != nil {
		h.t.Fatal(err)
	}
	c, err := h.web.Caller(h.t.Context(), s, origin)
	if err != nil {
		h.t.Fatal(err)
	}
	return c
}

// terminal is the person at one, in doubt or not.
func terminal(doubt string) vyre.Caller {
	return vyre.Caller{Kind: vyre.CallerPerson, ID: vyre.Owner, Surface: "cli", Proof: "peer", Level: "L2", Doubt: doubt}
}

// enrol makes a passkey for a page without asking whether it may.
func (h *home) enrol(c vyre.Caller, origin, name string) (*passkeytest.Authenticator, vyre.Passkey) {
	h.t.Helper()
	a := passkeytest.New(origin)
	options, err := h.keys.BeginEnrol(h.t.Context(), c, origin, name)
	if err != nil {
		h.t.Fatal(err)
	}
	made, err := a.Create(options)
	if err != nil {
		h.t.Fatal(err)
	}
	key, err := h.keys.FinishEnrol(h.t.Context(), c, made)
	if err != nil {
		h.t.Fatal(err)
	}
	return a, key
}

func (h *home) call(c vyre.Caller, tool, input string) error {
	_, err := h.reg.Call(h.t.Context(), c, tool, json.RawMessage(input))
	return err
}

// raised calls a tool that must need a touch and returns the act's id.
func (h *home) raised(c vyre.Caller, tool, input string) string {
	h.t.Helper()
	err := h.call(c, tool, input)
	if vyre.CodeOf(err) != vyre.CodePresenceRequired {
		h.t.Fatalf("%s: %v", tool, err)
	}
	id, _ := vyre.AsError(err).Details["act"].(string)
	return id
}

// touch answers an act's challenge.
func (h *home) touch(id string, a *passkeytest.Authenticator) []byte {
	h.t.Helper()
	options, err := h.keys.Challenge(h.t.Context(), id, a.Origin)
	if err != nil {
		h.t.Fatal(err)
	}
	out, err := a.Touch(options)
	if err != nil {
		h.t.Fatal(err)
	}
	return out
}

func want(t *testing.T, err error, code vyre.Code) {
	t.Helper()
	if vyre.CodeOf(err) != code {
		t.Errorf("got %v, want %q", err, code)
	}
}
