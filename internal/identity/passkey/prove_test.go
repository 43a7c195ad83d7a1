package passkey

import (
	"strings"
	"testing"
	"time"

	"vyre"
	"vyre/internal/identity/passkey/passkeytest"
)

const allow = `{"ask":"a1","decision":"allow"}`

// Who needs a touch for what, before and after there is a passkey.
func TestWhoNeedsATouch(t *testing.T) {
	web := func(h *home) vyre.Caller { return h.page(local) }
	cli := func(doubt string) func(*home) vyre.Caller { return func(*home) vyre.Caller { return terminal(doubt) } }
	low := func(*home) vyre.Caller { c := terminal(""); c.Level = "L1"; return c }
	for _, c := range []struct {
		name          string
		always        bool
		by            func(*home) vyre.Caller
		tool          string
		before, after vyre.Code
		proof         string // of the call before
	}{
		{"a page answers", false, web, "x.answer", "", "", "session"},
		{"a page answers, always", true, web, "x.answer", "", vyre.CodePresenceRequired, "none enrolled"},
		{"a terminal answers", false, cli(""), "x.answer", "", "", "peer"},
		{"a terminal in doubt answers", false, cli("an agent runs"), "x.answer", "", vyre.CodePresenceRequired, "none enrolled"},
		{"a terminal answers, always", true, cli(""), "x.answer", "", vyre.CodePresenceRequired, "none enrolled"},
		{"a terminal in doubt asks for a code", false, cli("an agent runs"), "x.code", "", vyre.CodePresenceRequired, "none enrolled"},
		{"a terminal asks for a code", true, cli(""), "x.code", "", "", "peer"},
		{"a page grants", false, web, "x.grant", "", vyre.CodePresenceRequired, "none enrolled"},
		{"a terminal grants", false, cli(""), "x.grant", "", vyre.CodePresenceRequired, "none enrolled"},
		{"a terminal at L1 grants", false, low, "x.grant", vyre.CodePersonSessionRequired, vyre.CodePresenceRequired, ""},
		{"a terminal in doubt grants", false, cli("an agent runs"), "x.grant", vyre.CodePersonSessionRequired, vyre.CodePresenceRequired, ""},
		{"a plain tool", true, cli("an agent runs"), "x.plain", "", "", "peer"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHome(t, c.always)
			by := c.by(h)
			want(t, h.call(by, c.tool, allow), c.before)
			if c.before == "" && h.ran[0].Proof != c.proof {
				t.Errorf("proof %q, want %q", h.ran[0].Proof, c.proof)
			}
			h.enrol(h.page(local), local, "laptop")
			want(t, h.call(by, c.tool, allow), c.after)
		})
	}
}

// A touch lets exactly the act through that it was given for, once, as its caller,
// and the handler sees what it rests on.
func TestTouchRunsTheActOnce(t *testing.T) {
	h := newHome(t, false)
	key, _ := h.enrol(h.page(local), local, "laptop")
	c := terminal("an agent runs")
	id := h.raised(c, "x.answer", allow)
	if again := h.raised(c, "x.answer", ` {"decision":"allow", "ask":"a1"}`); again != id {
		t.Error("trying again raised a second act")
	}
	act, err := h.keys.Act(t.Context(), id)
	if err != nil || act.Shown.Text != "allow a1" || act.State != ActWaiting || len(act.Sites) != 1 || act.Sites[0] != local {
		t.Fatalf("%+v, %v", act, err)
	}
	c.Touch = Touch(id, h.touch(id, key))
	want(t, h.call(c, "x.answer", allow), "")
	if len(h.ran) != 1 || h.ran[0].Proof != "passkey" || h.ran[0].String() != "person:owner:cli" || h.ran[0].Touch != "" || h.ran[0].Doubt != "" {
		t.Errorf("ran as %+v", h.ran)
	}
	want(t, h.call(c, "x.answer", allow), vyre.CodeConflict) // the same touch again
	if len(h.ran) != 1 {
		t.Error("a replayed touch ran the act again")
	}
	if list, _ := h.keys.List(t.Context()); list[0].Used == 0 {
		t.Error("the touch was not noted")
	}
}

// try is one attempt at an act that waits.
type try struct {
	h   *home
	key *passkeytest.Authenticator
	row vyre.Passkey
	by  vyre.Caller
	id  string
}

// sign answers the act's challenge as another page would have it signed.
func (x *try) sign(origin, host string) []byte {
	x.h.t.Helper()
	options, err := x.h.keys.Challenge(x.h.t.Context(), x.id, local)
	if err != nil {
		x.h.t.Fatal(err)
	}
	x.key.Origin, x.key.Host = origin, host
	b, err := x.key.Touch(options)
	if err != nil {
		x.h.t.Fatal(err)
	}
	return b
}

// seen has the daemon see a touch of the passkey, so that it knows its counter.
func (x *try) seen() {
	id := x.h.raised(x.by, "x.answer", `{"ask":"a0","decision":"deny"}`)
	by := x.by
	by.Touch = Touch(id, x.h.touch(id, x.key))
	want(x.h.t, x.h.call(by, "x.answer", `{"ask":"a0","decision":"deny"}`), "")
	x.h.ran = nil
}

// Every touch that is not of this act, this passkey, this address and this moment is
// refused, and nothing runs.
func TestBadTouches(t *testing.T) {
	// Each returns the call: its input and the touch that goes with it.
	for name, c := range map[string]struct {
		call func(*try) (input string, assertion []byte)
		want vyre.Code
	}{
		"good":          {func(x *try) (string, []byte) { return allow, x.h.touch(x.id, x.key) }, ""},
		"other verdict": {func(x *try) (string, []byte) { return `{"ask":"a1","decision":"deny"}`, x.h.touch(x.id, x.key) }, vyre.CodeDenied},
		"other ask":     {func(x *try) (string, []byte) { return `{"ask":"a2","decision":"allow"}`, x.h.touch(x.id, x.key) }, vyre.CodeDenied},
		"wider scope": {func(x *try) (string, []byte) {
			return `{"ask":"a1","decision":"allow","scope":"project"}`, x.h.touch(x.id, x.key)
		}, vyre.CodeDenied},
		"other option": {func(x *try) (string, []byte) {
			return `{"ask":"a1","decision":"allow","option":"x"}`, x.h.touch(x.id, x.key)
		}, vyre.CodeDenied},
		"edited input": {func(x *try) (string, []byte) {
			return `{"ask":"a1","decision":"allow","input":{"command":"rm"}}`, x.h.touch(x.id, x.key)
		}, vyre.CodeDenied},
		"text changed": {func(x *try) (string, []byte) { b := x.h.touch(x.id, x.key); x.h.digest = "d2"; return allow, b }, vyre.CodeConflict},
		"too late": {func(x *try) (string, []byte) {
			b := x.h.touch(x.id, x.key)
			x.h.clk.pass(challengeLife)
			return allow, b
		}, vyre.CodeDenied},
		"clock put back": {func(x *try) (string, []byte) {
			b := x.h.touch(x.id, x.key)
			x.h.clk.pass(-time.Minute)
			return allow, b
		}, vyre.CodeDenied},
		"act too old":   {func(x *try) (string, []byte) { b := x.h.touch(x.id, x.key); x.h.clk.pass(actLife); return allow, b }, vyre.CodeConflict},
		"old challenge": {func(x *try) (string, []byte) { b := x.h.touch(x.id, x.key); x.h.touch(x.id, x.key); return allow, b }, vyre.CodeDenied},
		"wrong origin":  {func(x *try) (string, []byte) { return allow, x.sign("https://evil.example", "localhost") }, vyre.CodeDenied},
		"other port":    {func(x *try) (string, []byte) { return allow, x.sign("http://localhost:3000", "localhost") }, vyre.CodeDenied},
		"other site":    {func(x *try) (string, []byte) { return allow, x.sign(remote, "box.example") }, vyre.CodeDenied},
		"wrong host":    {func(x *try) (string, []byte) { return allow, x.sign(local, "box.example") }, vyre.CodeDenied},
		"not verified":  {func(x *try) (string, []byte) { x.key.NoVerify = true; return allow, x.h.touch(x.id, x.key) }, vyre.CodeDenied},
		"in a frame":    {func(x *try) (string, []byte) { x.key.Cross = true; return allow, x.h.touch(x.id, x.key) }, vyre.CodeDenied},
		"copied key": {func(x *try) (string, []byte) {
			x.h.touch(x.id, x.key)
			x.seen()
			x.key.Rewind()
			return allow, x.h.touch(x.id, x.key)
		}, vyre.CodeDenied},
		"foreign key": {func(x *try) (string, []byte) { k, _ := x.key.As(); return allow, x.h.touch(x.id, k) }, vyre.CodeDenied},
		"unknown key": {func(x *try) (string, []byte) {
			_, k := newHome(x.h.t, false), passkeytest.New(local)
			opts, _ := x.h.keys.BeginEnrol(x.h.t.Context(), x.h.page(local), local, "never finished")
			_, _ = k.Create(opts)
			return allow, x.h.touch(x.id, k)
		}, vyre.CodeDenied},
		"revoked": {func(x *try) (string, []byte) {
			b := x.h.touch(x.id, x.key)
			want(x.h.t, x.h.keys.Revoke(x.h.t.Context(), x.row.ID, x.by), "")
			return allow, b
		}, vyre.CodeDenied},
		"no challenge": {func(x *try) (string, []byte) {
			b, _ := x.key.Sign("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")
			return allow, b
		}, vyre.CodeDenied},
		"garbage": {func(x *try) (string, []byte) { x.h.touch(x.id, x.key); return allow, []byte("{}") }, vyre.CodeInvalid},
		"nothing": {func(x *try) (string, []byte) { return allow, nil }, vyre.CodeDenied},
		"another surface": {func(x *try) (string, []byte) {
			b := x.h.touch(x.id, x.key)
			x.by = x.h.page(local)
			return allow, b
		}, vyre.CodeDenied},
		"no person": {func(x *try) (string, []byte) {
			b := x.h.touch(x.id, x.key)
			x.by = vyre.Caller{Kind: vyre.CallerThread, ID: "t1"}
			return allow, b
		}, vyre.CodePersonOnly},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHome(t, false)
			x := &try{h: h, by: terminal("an agent runs")}
			x.key, x.row = h.enrol(h.page(local), local, "laptop")
			x.id = h.raised(x.by, "x.answer", allow)
			input, assertion := c.call(x)
			x.by.Touch = Touch(x.id, assertion)
			want(t, h.call(x.by, "x.answer", input), c.want)
			if (len(h.ran) == 1) != (c.want == "") {
				t.Errorf("ran %d times", len(h.ran))
			}
			// Whatever it was, it can't be tried twice.
			if err := h.call(x.by, "x.answer", allow); err == nil {
				t.Error("the touch was good at the second try")
			}
		})
	}
}

// A touch for one act is of no use for another, also between two tools.
func TestTouchOfAnotherAct(t *testing.T) {
	h := newHome(t, true)
	key, _ := h.enrol(h.page(local), local, "laptop")
	c := terminal("")
	one, two := h.raised(c, "x.answer", allow), h.raised(c, "x.grant", allow)
	c.Touch = Touch(two, h.touch(one, key))
	want(t, h.call(c, "x.grant", allow), vyre.CodeDenied)
	c.Touch = Touch(one, h.touch(one, key))
	want(t, h.call(c, "x.grant", allow), vyre.CodeDenied)
	if len(h.ran) != 0 {
		t.Error("it ran")
	}
}

// A passkey works on the address that it was made on and on no other, and where a
// page's address has none it is said where one is.
func TestPasskeysGoBySite(t *testing.T) {
	h := newHome(t, true)
	h.enrol(h.page(remote), remote, "phone")
	id := h.raised(terminal(""), "x.answer", allow)
	_, err := h.keys.Challenge(t.Context(), id, local)
	want(t, err, vyre.CodePresenceRequired)
	if got, _ := vyre.AsError(err).Details["sites"].([]string); len(got) != 1 || got[0] != remote {
		t.Errorf("sites %v", got)
	}
	_, err = h.keys.Challenge(t.Context(), id, "https://evil.example")
	want(t, err, vyre.CodeInvalid)
	e := vyre.AsError(h.call(terminal(""), "x.answer", allow))
	if !strings.HasPrefix(e.Hint, "Open "+remote+"/act/"+id) || e.Details["url"] != remote+"/act/"+id {
		t.Errorf("%+v", e)
	}
}
