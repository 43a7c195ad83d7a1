package vyre_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vyre"
)

// Every move from every state is either in the table or refused as internal,
// changing nothing; the table names no state or move that is not declared, and no
// pair twice.
func TestTableIsWhole(t *testing.T) {
	in := map[[2]string]vyre.State{}
	for _, tr := range vyre.Table {
		key := [2]string{string(tr.From), string(tr.Move)}
		if _, twice := in[key]; twice {
			t.Errorf("%v stands in the table twice", key)
		}
		in[key] = tr.To
		if !slices.Contains(vyre.States, tr.From) || !slices.Contains(vyre.States, tr.To) || !slices.Contains(vyre.Moves, tr.Move) {
			t.Errorf("%+v names what is not declared", tr)
		}
	}
	for _, from := range vyre.States {
		for _, m := range vyre.Moves {
			got, err := vyre.Step(from, m)
			want, ok := in[[2]string{string(from), string(m)}]
			switch {
			case ok && (err != nil || got != want):
				t.Errorf("%s %s: %s, %v", from, m, got, err)
			case !ok && (vyre.CodeOf(err) != vyre.CodeInternal || got != from):
				t.Errorf("%s %s: %s, %v; it is not in the table", from, m, got, err)
			case ok != vyre.CanStep(from, m):
				t.Errorf("CanStep(%s, %s) says otherwise", from, m)
			}
		}
	}
}

// Every state is reached from the start, and from every state a thread can be
// brought back to work: none is a dead end.
func TestNoDeadEnd(t *testing.T) {
	reach := func(from vyre.State) map[vyre.State]bool {
		seen, queue := map[vyre.State]bool{from: true}, []vyre.State{from}
		for len(queue) > 0 {
			for _, tr := range vyre.Table {
				if tr.From == queue[0] && !seen[tr.To] {
					seen[tr.To] = true
					queue = append(queue, tr.To)
				}
			}
			queue = queue[1:]
		}
		return seen
	}
	for _, s := range vyre.States {
		if !reach(vyre.StateStarting)[s] {
			t.Errorf("%s is never reached", s)
		}
		if !reach(s)[vyre.StateRunning] {
			t.Errorf("a thread that is %s can never run again", s)
		}
	}
}

// However moves come, a thread waits only while an ask was raised and not closed,
// runs only in a turn, and keeps no turn when it is idle.
func TestTableKeepsItsMeaning(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		state, turn, ask := vyre.StateStarting, false, false
		for range rapid.IntRange(1, 60).Draw(t, "length") {
			m := rapid.SampledFrom(vyre.Moves).Draw(t, "move")
			to, err := vyre.Step(state, m)
			if err != nil {
				continue
			}
			switch m {
			case vyre.MoveTurnStarted:
				turn = true
			case vyre.MoveTurnEnded:
				turn = false
			case vyre.MoveAskRaised:
				ask = true
			case vyre.MoveAsksClosed:
				ask = false
			case vyre.MoveStopped, vyre.MoveFailed:
				turn, ask = false, false
			case vyre.MoveReady, vyre.MoveResume:
			}
			state = to
			if (state == vyre.StateWaiting) != (turn && ask) || (state == vyre.StateRunning) != (turn && !ask) {
				t.Fatalf("%s with turn %v and ask %v", state, turn, ask)
			}
		}
	})
}

// The picture in the docs names every row of the table.
func TestDiagram(t *testing.T) {
	d := vyre.Diagram()
	for _, tr := range vyre.Table {
		if !strings.Contains(d, string(tr.From)+" --> "+string(tr.To)+": "+string(tr.Move)) {
			t.Errorf("the picture lacks %+v", tr)
		}
	}
}
