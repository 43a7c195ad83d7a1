package vyre

import (
	"slices"
	"testing"
)

// Nothing that may have gone out begins again but with its key, what is decided stays
// decided, and every state is reached.
func TestGateTable(t *testing.T) {
	reached := map[GateState]bool{GateWaiting: true}
	for _, row := range GateTable {
		if !slices.Contains(GateStates, row.From) || !slices.Contains(GateStates, row.To) || !slices.Contains(GateMoves, row.Move) {
			t.Errorf("%+v has a word that is none", row)
		}
		reached[row.To] = true
		if row.To == GateSending && row.From != GateApproved && row.Move != GateRetry {
			t.Errorf("%+v begins an attempt that no person approved", row)
		}
		if (row.From == GateSending || row.From == GateUnknown) && slices.Contains([]GateState{GateWaiting, GateApproved, GateExpired, GateCancelled, GateDenied}, row.To) {
			t.Errorf("%+v says that nothing went out", row)
		}
		if row.From.Over() && row.From != GateUnknown {
			t.Errorf("%+v changes what is decided", row)
		}
	}
	for _, s := range GateStates {
		if !reached[s] {
			t.Errorf("nothing leads to %s", s)
		}
		for _, m := range GateMoves {
			to, err := GateStep(s, m)
			inTable := slices.ContainsFunc(GateTable, func(r GateTransition) bool { return r.From == s && r.Move == m })
			if inTable == (err != nil) || err != nil && (to != s || CodeOf(err) != CodeConflict) {
				t.Errorf("%s %s: %s %v", s, m, to, err)
			}
		}
	}
}

// Another byte anywhere in what goes out is another hash, also where it only moves from
// one part to the next; the sending key holds over attempts.
func TestGateHash(t *testing.T) {
	seen := map[string]bool{}
	for _, a := range []GateAct{
		{ID: "a", Kind: GateHTTP, Target: "t", Payload: []byte("p")},
		{ID: "b", Kind: GateHTTP, Target: "t", Payload: []byte("p")},
		{ID: "a", Kind: GatePush, Target: "t", Payload: []byte("p")},
		{ID: "a", Kind: GateHTTP, Target: "t{", Payload: []byte("p")},
		{ID: "a", Kind: GateHTTP, Target: "t", Payload: []byte("{}p")},
		{ID: "a", Kind: GateHTTP, Target: "t", Payload: []byte("P")},
		{ID: "a", Kind: GateHTTP, Target: "t", Payload: []byte("p"), Idempotent: true},
		{ID: "a", Kind: GateHTTP, Target: "t", Payload: []byte("p"), Options: GateOptions{Private: true}},
		{ID: "a", Kind: GateHTTP, Target: "t", Payload: []byte("p"), Options: GateOptions{Headers: map[string]string{"a": "b"}}},
	} {
		if seen[a.Sum()] {
			t.Errorf("two acts with one hash: %+v", a)
		}
		seen[a.Sum()] = true
	}
	a := GateAct{ID: "a", Payload: []byte("p")}
	b := a
	b.Attempts, b.State = 3, GateSending
	if a.SendKey() != b.SendKey() || a.SendKey() == (&GateAct{ID: "a", Payload: []byte("q")}).SendKey() {
		t.Error("the key is not of the act and its payload alone")
	}
}
