package vault_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"vyre"
	module "vyre/internal/module/vault"
	"vyre/internal/redact"
	"vyre/internal/registry"
	"vyre/internal/store/sqlite"
	"vyre/internal/vault"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const canary = "canary-value-7f3a"

var person = vyre.Caller{Kind: vyre.CallerPerson, ID: vyre.Owner, Surface: "test", Level: "L2"}

func inside(id string) vyre.Caller {
	return vyre.Caller{Kind: vyre.CallerThread, ID: id, Proof: "peer"}
}

// home is the module on the real store and the real vault.
type home struct {
	t    *testing.T
	reg  *registry.Registry
	db   *sqlite.DB
	live *redact.Live
	now  time.Time
}

type passes struct{ asked *[]string }

func (passes) Settle(string, json.RawMessage, error) {}

func (p passes) Prove(_ context.Context, a registry.Act) (vyre.Caller, error) {
	*p.asked = append(*p.asked, a.Tool.Name)
	return a.Caller, nil
}

func newHome(t *testing.T) (h *home, proved *[]string) {
	t.Helper()
	h = &home{t: t, reg: registry.New(), live: redact.NewLive(), now: time.Now()}
	dir := t.TempDir()
	var err error
	if h.db, err = sqlite.Open(t.Context(), filepath.Join(dir, "vyre.db"), sqlite.Options{}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { _ = h.db.Run(ctx) })
	t.Cleanup(func() {
		if err := h.db.Close(); err != nil {
			t.Error(err)
		}
		cancel()
		wg.Wait()
	})
	v := vault.New(filepath.Join(dir, "vault.key"), h.db)
	m := module.Module{
		Sealer: v, Store: h.db, Known: func(n string, b []byte) { h.live.Add(n, b) }, Covers: redact.Covers,
		Now: func() time.Time { return h.now },
	}
	m.Register(h.reg)
	proved = &[]string{}
	h.reg.Prove(passes{proved})
	if err := h.reg.Check(); err != nil {
		t.Fatal(err)
	}
	for _, th := range []vyre.Thread{{ID: "t1", Project: "/p", Agent: "smith"}, {ID: "t2", Project: "/p"}, {ID: "t3"}} {
		th.Mode, th.State = vyre.ModeAsk, vyre.StateIdle
		if err := h.db.Commit(t.Context(), &vyre.Commit{Threads: []vyre.Thread{th}}); err != nil {
			t.Fatal(err)
		}
	}
	return h, proved
}

func (h *home) call(c vyre.Caller, tool string, in map[string]any) (map[string]any, error) {
	h.t.Helper()
	b, err := json.Marshal(in)
	if err != nil {
		h.t.Fatal(err)
	}
	raw, err := h.reg.Call(h.t.Context(), c, tool, b)
	out := map[string]any{}
	if err == nil {
		if err := json.Unmarshal(raw, &out); err != nil {
			h.t.Fatal(err)
		}
	}
	return out, err
}

func (h *home) must(c vyre.Caller, tool string, in map[string]any) map[string]any {
	h.t.Helper()
	out, err := h.call(c, tool, in)
	if err != nil {
		h.t.Fatalf("%s: %v", tool, err)
	}
	return out
}

func (h *home) refused(c vyre.Caller, tool string, in map[string]any, want vyre.Code) {
	h.t.Helper()
	if _, err := h.call(c, tool, in); vyre.CodeOf(err) != want {
		h.t.Errorf("%s by %s: %v, want %s", tool, c, err, want)
	}
}

func TestValuesGoInAndDoNotComeOut(t *testing.T) {
	// No tool and no event gives a person, a page or a list a value; what an item had before is kept out of records too.
	h, _ := newHome(t)
	h.must(person, "vault.put", map[string]any{"name": "key", "value": canary})
	out := h.must(person, "vault.rotate", map[string]any{"name": "key", "value": canary + "-2"})
	if out["version"] != 2.0 || out["redacted"] != true {
		t.Errorf("%v", out)
	}
	if out := h.must(person, "vault.put", map[string]any{"name": "pin", "value": "0815"}); out["redacted"] != false {
		t.Errorf("a short value: %v", out)
	}
	h.refused(person, "vault.rotate", map[string]any{"name": "none", "value": "x"}, vyre.CodeNotFound)
	list, err := json.Marshal(h.must(person, "vault.list", map[string]any{}))
	if err != nil || strings.Contains(string(list), "canary") || !strings.Contains(string(list), `"version":2`) {
		t.Errorf("%s", list)
	}
	h.must(person, "vault.grant", map[string]any{"name": "key", "kind": "thread", "holder": "t1"})
	h.refused(person, "vault.take", map[string]any{"thread": "t1", "name": "key"}, vyre.CodeDenied)
	h.must(person, "vault.delete", map[string]any{"name": "key"})
	evs, err := h.db.Since(t.Context(), 0, 100)
	if err != nil || len(evs) != 5 {
		t.Errorf("%d events, %v", len(evs), err)
	}
	for _, e := range evs {
		if strings.Contains(string(e.Data), "canary") {
			t.Errorf("%s %s", e.Kind, e.Data)
		}
	}
	for _, v := range []string{canary, canary + "-2"} {
		if got := h.live.String(v); got != "[redacted:key]" && got != "[redacted:key]-2" {
			t.Errorf("%q is not kept out of records: %q", v, got)
		}
	}
}

func TestOnlyTheGrantedSessionTakes(t *testing.T) {
	// A value goes to a command of a session that it was granted to, by id, project or agent, at its newest version; to
	// nobody else, who can't tell what there is from what there is not.
	h, _ := newHome(t)
	h.must(person, "vault.put", map[string]any{"name": "key", "value": canary})
	take := func(thread string) error {
		out, err := h.call(inside(thread), "vault.take", map[string]any{"thread": thread, "name": "key"})
		if err == nil && out["value"] != canary {
			t.Errorf("%v", out)
		}
		return err
	}
	none := func(thread, name string) string {
		_, err := h.call(inside(thread), "vault.take", map[string]any{"thread": thread, "name": name})
		if vyre.CodeOf(err) != vyre.CodeDenied {
			t.Errorf("%s took %s: %v", thread, name, err)
			return ""
		}
		return strings.ReplaceAll(err.Error(), name, "X")
	}
	if none("t1", "key") != none("t1", "none") {
		t.Error("what is there is told from what is not")
	}
	h.refused(inside("t2"), "vault.take", map[string]any{"thread": "t1", "name": "key"}, vyre.CodeDenied)
	h.refused(vyre.Caller{Kind: vyre.CallerAgent, ID: "claude"}, "vault.take", map[string]any{"thread": "t1", "name": "key"}, vyre.CodeDenied)
	for _, g := range []struct {
		kind, holder string
		takes        []string
	}{
		{"thread", "t1", []string{"t1"}}, {"project", "/p/", []string{"t1", "t2"}}, {"agent", "smith", []string{"t1"}}, {"module", "smith", nil},
	} {
		h.must(person, "vault.grant", map[string]any{"name": "key", "kind": g.kind, "holder": g.holder})
		for _, th := range []string{"t1", "t2", "t3"} {
			want := strings.Contains(strings.Join(g.takes, " "), th)
			if err := take(th); (err == nil) != want {
				t.Errorf("granted to %s %s: %s: %v", g.kind, g.holder, th, err)
			}
		}
		h.must(person, "vault.revoke", map[string]any{"name": "key", "kind": g.kind, "holder": filepath.Clean(g.holder)})
		none("t1", "key")
	}
	h.must(person, "vault.grant", map[string]any{"name": "key", "kind": "thread", "holder": "t1"})
	h.must(person, "vault.rotate", map[string]any{"name": "key", "value": "another-one-99"})
	if out := h.must(inside("t1"), "vault.take", map[string]any{"thread": "t1", "name": "key"}); out["value"] != "another-one-99" {
		t.Errorf("after a rotation: %v", out)
	}
}

func TestGrantingIsAPersonsWithPresence(t *testing.T) {
	// A grant needs a proof of the act, whoever calls; without somebody who proves, nobody grants.
	h, proved := newHome(t)
	h.must(person, "vault.put", map[string]any{"name": "key", "value": canary})
	grant := map[string]any{"name": "key", "kind": "thread", "holder": "t1"}
	h.refused(inside("t1"), "vault.grant", grant, vyre.CodePersonOnly)
	h.must(person, "vault.grant", grant)
	if !slices.Equal(*proved, []string{"vault.put", "vault.grant"}) { // an item can change whose account is used
		t.Errorf("proved %v", *proved)
	}
	h.reg.Prove(nil)
	h.refused(person, "vault.grant", grant, vyre.CodePresenceRequired)
	for _, bad := range []map[string]any{
		{"name": "key", "kind": "thread", "holder": "none"},
		{"name": "key", "kind": "project", "holder": "rel"},
		{"name": "key", "kind": "all", "holder": "x"},
		{"name": "none", "kind": "agent", "holder": "x"},
		{"name": "key", "kind": "agent", "holder": ""},
	} {
		h.reg.Prove(passes{proved})
		if _, err := h.call(person, "vault.grant", bad); err == nil {
			t.Errorf("%v was granted", bad)
		}
	}
}

func TestRequest(t *testing.T) {
	// An agent asks, a person decides, the agent learns yes or no and nothing else; it can't ask for ever.
	h, _ := newHome(t)
	ask := map[string]any{"thread": "t1", "name": "key", "why": "to deploy", "wait_s": 30}
	got := make(chan map[string]any, 1)
	go func() {
		out, err := h.call(inside("t1"), "vault.request", ask)
		if err != nil {
			t.Error(err)
		}
		got <- out
	}()
	id := h.open(1)[0]
	h.must(person, "vault.put", map[string]any{"name": "key", "value": canary})
	if out := h.must(person, "vault.grant", map[string]any{"name": "key", "kind": "project", "holder": "/p"}); out["answered"].([]any)[0] != id {
		t.Errorf("%v", out)
	}
	if out := <-got; out["state"] != "granted" || strings.Contains(out["use"].(string), "canary") {
		t.Errorf("%v", out)
	}
	if out := h.must(inside("t2"), "vault.request", map[string]any{"thread": "t2", "name": "key", "why": "w"}); out["state"] != "granted" {
		t.Errorf("granted before: %v", out)
	}

	no := map[string]any{"thread": "t1", "name": "other", "why": "w", "wait_s": 0}
	h.must(inside("t1"), "vault.request", no)
	if out := h.must(inside("t1"), "vault.request", no); out["state"] != "open" {
		t.Errorf("%v", out)
	}
	h.must(person, "vault.decline", map[string]any{"request": h.open(1)[0]})
	h.refused(person, "vault.decline", map[string]any{"request": id}, vyre.CodeConflict)
	if out := h.must(inside("t1"), "vault.request", no); out["state"] != "declined" {
		t.Errorf("no is no for a while: %v", out)
	}
	h.now = h.now.Add(time.Hour)
	if out := h.must(inside("t1"), "vault.request", no); out["state"] != "open" {
		t.Errorf("asked again later: %v", out)
	}
	for _, n := range []string{"a", "b", "c", "d"} {
		h.must(inside("t1"), "vault.request", map[string]any{"thread": "t1", "name": n, "why": "w", "wait_s": 0})
	}
	h.refused(inside("t1"), "vault.request", map[string]any{"thread": "t1", "name": "e", "why": "w", "wait_s": 0}, vyre.CodeBusy)
	h.refused(inside("t2"), "vault.request", ask, vyre.CodeDenied)
	h.refused(person, "vault.request", ask, vyre.CodeDenied)
	h.refused(inside("t1"), "vault.decline", map[string]any{"request": id}, vyre.CodePersonOnly)
	h.refused(inside("t1"), "vault.request", map[string]any{"thread": "t1", "name": "A B", "why": "w"}, vyre.CodeInvalid)
	h.refused(inside("t1"), "vault.request", map[string]any{"thread": "t1", "name": "a", "why": strings.Repeat("x", 501)}, vyre.CodeInvalid)
}

// open waits until there are n open requests and returns their ids.
func (h *home) open(n int) []string {
	h.t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for range 10_000 {
		var ids []string
		for _, q := range h.must(person, "vault.list", map[string]any{})["requests"].([]any) {
			ids = append(ids, q.(map[string]any)["request"].(string))
		}
		if len(ids) == n {
			return ids
		}
		<-tick.C
	}
	h.t.Fatal("no request came")
	return nil
}

func TestPutsAtOnceMakeVersions(t *testing.T) {
	// Values that are put at the same moment become versions, one after the other, and none is lost half-way.
	h, _ := newHome(t)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() { h.must(person, "vault.put", map[string]any{"name": "key", "value": canary}) })
	}
	wg.Wait()
	if v, err := h.db.VaultItem(t.Context(), "key"); err != nil || v.Version != 20 {
		t.Errorf("%+v %v", v, err)
	}
}
