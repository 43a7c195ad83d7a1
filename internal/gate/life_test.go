package gate_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"vyre"
	"vyre/internal/gate"
)

// An act goes out once, after a person's yes to its hash and never before; the row says
// who, how proven and how it ended, and so does the log (G08: a thousand yeses at once).
func TestOneEffect(t *testing.T) {
	w := newWorld(t)
	w.run(w.Gate)
	a := w.ask(agent)
	if n := w.attempts(); len(n) != 0 {
		t.Fatal("it went out before a yes")
	}
	var wg sync.WaitGroup
	for range 1000 {
		wg.Go(func() { _, err := w.Approve(t.Context(), person, a.ID, a.Hash); ok(t, err) })
	}
	wg.Wait()
	got := w.becomes(a.ID, vyre.GateSent)
	if n := w.attempts(); len(n) != 1 || n[0] != "" {
		t.Errorf("%d attempts", len(n))
	}
	if got.By != person.String() || got.Proof != "passkey" || got.Level != "L2" || got.Attempts != 1 || got.Status != 200 {
		t.Errorf("%+v", got)
	}
	want := []vyre.Kind{vyre.EvGateRequested, vyre.EvGateApproved, vyre.EvGateSending, vyre.EvGateSent}
	if k := w.kinds(); !slices.Equal(k, want) {
		t.Errorf("%v", k)
	}
}

// A request that comes twice under one key is one act, with the same answer (G03);
// another act under it, and another's key, are not.
func TestRequestTwice(t *testing.T) {
	w := newWorld(t)
	keyed := func(a *vyre.GateAct) { a.Key = "k" }
	var wg sync.WaitGroup
	ids := make([]vyre.GateID, 20)
	for i := range ids {
		wg.Go(func() { ids[i] = w.ask(agent, keyed).ID })
	}
	wg.Wait()
	if slices.Sort(ids); ids[0] != ids[len(ids)-1] {
		t.Error("more than one act")
	}
	_, err := w.Request(t.Context(), agent, vyre.GateAct{Kind: vyre.GateHTTP, Key: "k", Summary: "another"}, gate.DefaultTime)
	conflict(t, err)
	if w.ask(other, keyed).ID == ids[0] {
		t.Error("another caller has the act")
	}
}

// A yes that comes too late, for something else or after a no is a conflict, and nothing
// goes out (G05, G06); so it is after the one who asked has ended.
func TestLateYes(t *testing.T) {
	w := newWorld(t)
	w.run(w.Gate)
	denied := w.ask(agent)
	_, err := w.Deny(t.Context(), person, denied.ID, "no")
	ok(t, err)
	_, err = w.Approve(t.Context(), person, denied.ID, denied.Hash)
	conflict(t, err)

	changed := w.ask(agent)
	_, err = w.Approve(t.Context(), person, changed.ID, strings.Repeat("0", 64))
	conflict(t, err)

	late := w.ask(agent)
	w.ms.Add(3600_001)
	_, err = w.Approve(t.Context(), person, late.ID, late.Hash)
	conflict(t, err)
	w.becomes(late.ID, vyre.GateExpired)

	anew := w.ask(agent)
	w.boot.Store("boot-2") // the count begins anew, whatever the clock says (G11)
	w.ms.Store(5)
	_, err = w.Approve(t.Context(), person, anew.ID, anew.Hash)
	conflict(t, err)
	w.becomes(anew.ID, vyre.GateExpired)

	ended := w.ask(agent)
	th, err := w.db.Thread(t.Context(), "t")
	ok(t, err)
	th.State, th.Reason = vyre.StateStopped, vyre.StopPerson
	ok(t, w.db.Commit(t.Context(), &vyre.Commit{Durable: true, Threads: []vyre.Thread{th}}))
	_, err = w.Approve(t.Context(), person, ended.ID, ended.Hash)
	conflict(t, err)
	if n := w.attempts(); len(n) != 0 {
		t.Errorf("%d went out", len(n))
	}
}

// A clock that somebody sets neither ends an act's time nor makes it longer.
func TestClockJump(t *testing.T) {
	w := newWorld(t)
	w.run(w.Gate)
	a := w.ask(agent)
	w.now.Add(1000 * 3600 * 1000)
	_, err := w.Approve(t.Context(), person, a.ID, a.Hash)
	ok(t, err)
	w.becomes(a.ID, vyre.GateSent)
	b := w.ask(agent)
	w.now.Add(-2000 * 3600 * 1000)
	w.ms.Add(3600_001)
	_, err = w.Approve(t.Context(), person, b.ID, b.Hash)
	conflict(t, err)
}

// Without the gate running acts wait; nothing goes out, and what was approved goes out
// once it runs (G09).
func TestGateIsDown(t *testing.T) {
	w := newWorld(t)
	a := w.ask(agent)
	_, err := w.Approve(t.Context(), person, a.ID, a.Hash)
	ok(t, err)
	if w.get(a.ID).State != vyre.GateApproved || len(w.attempts()) != 0 {
		t.Error("it did not wait")
	}
	w.run(w.next())
	w.becomes(a.ID, vyre.GateSent)
}

// Without a key an attempt with no clear answer is the last: the act is unknown until a
// person says what was found (G02, G07). With one it is tried again under the same key.
func TestUnknownOutcome(t *testing.T) {
	w := newWorld(t)
	w.run(w.Gate)
	w.send = func(context.Context, vyre.GateAct, string) gate.Result { return gate.Result{Status: 500, Why: "500"} }
	a := w.ask(agent)
	_, err := w.Approve(t.Context(), person, a.ID, a.Hash)
	ok(t, err)
	w.becomes(a.ID, vyre.GateUnknown)
	if n := len(w.attempts()); n != 1 {
		t.Errorf("%d attempts without a key", n)
	}
	_, err = w.Cancel(t.Context(), person, a.ID)
	conflict(t, err)
	got, err := w.Settle(t.Context(), person, a.ID, true, "it is there")
	if err != nil || got.State != vyre.GateSent {
		t.Errorf("%+v %v", got, err)
	}
	_, err = w.Settle(t.Context(), person, a.ID, false, "")
	conflict(t, err)

	w.sent = nil
	w.send = func(_ context.Context, a vyre.GateAct, _ string) gate.Result {
		w.ms.Add(3600) // the time between attempts passes
		if a.Attempts < 3 {
			return gate.Result{Status: 500}
		}
		return gate.Result{End: gate.Done, Status: 201}
	}
	b := w.ask(agent, idempotent)
	_, err = w.Approve(t.Context(), person, b.ID, b.Hash)
	ok(t, err)
	w.becomes(b.ID, vyre.GateSent)
	if n := w.attempts(); len(n) != 3 || n[0] == "" || n[0] != n[1] || n[1] != n[2] {
		t.Errorf("keys of the attempts: %q", n)
	}
}

// A bound holds for attempts under a key, too: then the outcome is unknown.
func TestAttemptsEnd(t *testing.T) {
	w := newWorld(t)
	w.run(w.Gate)
	w.send = func(context.Context, vyre.GateAct, string) gate.Result { w.ms.Add(1000); return gate.Result{} }
	a := w.ask(agent, idempotent)
	_, err := w.Approve(t.Context(), person, a.ID, a.Hash)
	ok(t, err)
	w.becomes(a.ID, vyre.GateUnknown)
	if n := len(w.attempts()); n != gate.MaxAttempts {
		t.Errorf("%d attempts", n)
	}
}

// An act that is taken back at the last moment is either cancelled or sent, and row, log
// and what went out say the same (G12).
func TestCancelAtTheLastMoment(t *testing.T) {
	w := newWorld(t)
	w.run(w.Gate)
	sent, cancelled := 0, 0
	for i := range 60 {
		a := w.ask(agent)
		before := len(w.attempts())
		var wg sync.WaitGroup
		wg.Go(func() { _, _ = w.Approve(t.Context(), person, a.ID, a.Hash) })
		wg.Go(func() {
			for range i {
				_ = w.get(a.ID) // another moment each time
			}
			_, _ = w.Cancel(t.Context(), agent, a.ID)
		})
		wg.Wait()
		got := w.get(a.ID)
		if got.State != vyre.GateCancelled {
			got = w.becomes(a.ID, vyre.GateSent)
		}
		n := len(w.attempts()) - before
		if (got.State == vyre.GateSent) != (n == 1) || n > 1 {
			t.Fatalf("%s with %d attempts", got.State, n)
		}
		if got.State == vyre.GateSent {
			sent++
		} else {
			cancelled++
		}
	}
	counts := map[vyre.Kind]int{}
	for _, k := range w.kinds() {
		counts[k]++
	}
	if counts[vyre.EvGateSent] != sent || counts[vyre.EvGateCancelled] != cancelled {
		t.Errorf("the log says %v, the rows %d sent and %d cancelled", counts, sent, cancelled)
	}
}

// Others' acts can't be seen or taken back, a value of the vault is not kept, and nobody
// fills a person's list.
func TestWhoMayAsk(t *testing.T) {
	w := newWorld(t)
	a := w.ask(agent)
	if _, err := w.Cancel(t.Context(), other, a.ID); vyre.CodeOf(err) != vyre.CodeNotFound {
		t.Error(err)
	}
	_, err := w.Request(t.Context(), agent, vyre.GateAct{Kind: vyre.GateHTTP, Summary: "s", Payload: []byte("a secret")}, gate.DefaultTime)
	if e := vyre.AsError(err); e == nil || e.Field != "payload" {
		t.Error(err)
	}
	for i := range gate.MaxWaiting {
		_, err = w.Request(t.Context(), other, vyre.GateAct{Kind: vyre.GateHTTP, Summary: fmt.Sprint(i)}, gate.DefaultTime)
		ok(t, err)
	}
	_, err = w.Request(t.Context(), other, vyre.GateAct{Kind: vyre.GateHTTP, Summary: "one more"}, gate.DefaultTime)
	if vyre.CodeOf(err) != vyre.CodeLimit {
		t.Error(err)
	}
	for _, c := range []string{"ftp", ""} {
		if _, err := w.Request(t.Context(), agent, vyre.GateAct{Kind: vyre.GateKind(c), Summary: "s"}, gate.DefaultTime); vyre.AsError(err).Field != "kind" {
			t.Error(err)
		}
	}
}

// What an earlier daemon was attempting is unknown without a key, and is attempted again
// with the same one; what it had not begun goes out once (G01, G02).
func TestAfterADeath(t *testing.T) {
	w := newWorld(t)
	hang := make(chan struct{})
	w.send = func(context.Context, vyre.GateAct, string) gate.Result { <-hang; return gate.Result{} }
	first := w.run(w.Gate)
	plain, keyed := w.ask(agent), w.ask(agent, idempotent)
	for _, a := range []vyre.GateAct{plain, keyed} {
		_, err := w.Approve(t.Context(), person, a.ID, a.Hash)
		ok(t, err)
		w.becomes(a.ID, vyre.GateSending)
	}
	w.mu.Lock()
	w.send = nil
	w.mu.Unlock()
	w.run(w.next()) // while the first still hangs: nothing it says counts any more
	if got := w.becomes(plain.ID, vyre.GateUnknown); got.Attempts != 1 {
		t.Errorf("%+v", got)
	}
	if got := w.becomes(keyed.ID, vyre.GateSent); got.Attempts != 2 {
		t.Errorf("%+v", got)
	}
	close(hang)
	first()
	keys := map[string]int{}
	for _, k := range w.attempts() {
		keys[k]++
	}
	if keys[""] != 1 || keys[keyed.SendKey()] != 2 {
		t.Errorf("%v", keys)
	}
	if w.get(plain.ID).State != vyre.GateUnknown || w.get(keyed.ID).State != vyre.GateSent {
		t.Error("a result of the daemon that died was taken")
	}
}
