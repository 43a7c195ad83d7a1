package e2e

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"vyre"
)

// far is the other side of acts: it does what it is asked and counts it by its body, and
// by its key, of which it does each once.
type far struct {
	*httptest.Server
	mu   sync.Mutex
	got  map[string]int      // requests that came, by body
	keys map[string][]string // their keys
}

func newFar(t *testing.T) *far {
	f := &far{got: map[string]int{}, keys: map[string][]string{}}
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		f.mu.Lock()
		defer f.mu.Unlock()
		f.got[string(b)]++
		f.keys[string(b)] = append(f.keys[string(b)], r.Header.Get("Idempotency-Key"))
		if strings.HasPrefix(string(b), "fail") {
			w.WriteHeader(http.StatusInternalServerError)
		}
	}))
	t.Cleanup(f.Close)
	return f
}

func (f *far) times(body string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.got[body]
}

type gateAct struct {
	Act      vyre.GateID    `json:"act"`
	State    vyre.GateState `json:"state"`
	Hash     string         `json:"hash"`
	Attempts int            `json:"attempts"`
}

func (h *home) request(f *far, body string, idempotent bool) gateAct {
	var a gateAct
	h.call("gate.request", map[string]any{
		"kind": "http", "target": f.URL + "/x", "payload": body, "summary": "a test", "idempotent": idempotent,
		"options": map[string]any{"method": "POST", "private": true},
	}, &a)
	return a
}

func (h *home) approve(a gateAct) error {
	return h.try("gate.approve", map[string]any{"act": a.Act, "hash": a.Hash}, nil)
}

func (h *home) act(id vyre.GateID) gateAct {
	var a gateAct
	h.call("gate.get", map[string]any{"act": id}, &a)
	return a
}

// The daemon dies at each step between a yes and the end of an act. What had not begun
// goes out once; what had begun goes out again only under the same key, and is unknown
// without one; nothing goes out twice unsaid.
func TestDieAtEachStepOfAnAct(t *testing.T) {
	h := newHomeAt(t, t.TempDir()+"/home", "[gate]\nundo_seconds = 0\n")
	f := newFar(t)
	for _, c := range []struct {
		point        string
		idempotent   bool
		state        vyre.GateState
		least, times int // requests that reach the other side
	}{
		{"gate.approve.after", false, vyre.GateSent, 1, 1},
		{"gate.claim.before", false, vyre.GateSent, 1, 1},
		{"gate.claim.after", false, vyre.GateUnknown, 0, 0},
		{"gate.send.after", false, vyre.GateUnknown, 1, 1},
		{"gate.done.after", false, vyre.GateSent, 1, 1},
		{"gate.claim.before", true, vyre.GateSent, 1, 1},
		{"gate.claim.after", true, vyre.GateSent, 1, 1},
		{"gate.send.after", true, vyre.GateSent, 2, 2},
		{"gate.done.after", true, vyre.GateSent, 1, 1},
	} {
		body := c.point
		if c.idempotent {
			body += " with a key"
		}
		h.kill()
		h.start("VYRE_FAIL=" + c.point)
		a := h.request(f, body, c.idempotent)
		_ = h.approve(a) // it may die before it answers
		<-h.exited
		h.start()
		h.until(body+" is "+string(c.state), func() bool { return h.act(a.Act).State == c.state })
		if n := f.times(body); n < c.least || n > c.times {
			t.Errorf("%s: %d requests, not %d to %d", body, n, c.least, c.times)
		}
		for _, k := range f.keys[body] {
			if k != f.keys[body][0] || (k == "") == c.idempotent {
				t.Errorf("%s: keys %q", body, f.keys[body])
			}
		}
	}
	a := h.request(f, "fail: done, and said not to be", false)
	if err := h.approve(a); err != nil {
		t.Fatal(err)
	}
	h.until("an answer of 500 is no outcome", func() bool { return h.act(a.Act).State == vyre.GateUnknown })
	h.kill()
	h.start()
	if n := f.times("fail: done, and said not to be"); n != 1 {
		t.Errorf("%d requests", n)
	}
}
