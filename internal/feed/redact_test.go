package feed

import (
	"context"
	"encoding/json"
	"testing"

	"vyre"
)

func TestDeletedThreadIsForgotten(t *testing.T) {
	// A reader that comes after a thread's deletion gets none of its words from memory either.
	f := New(emptyLog{}, 8)
	f.Publish([]vyre.Event{
		{Seq: 1, Thread: "a", Kind: vyre.EvThreadText, Data: json.RawMessage(`"plover"`)},
		{Seq: 2, Thread: "b", Kind: vyre.EvThreadText, Data: json.RawMessage(`"other"`)},
		{Seq: 3, Thread: "a", Kind: vyre.EvThreadDeleted, Data: json.RawMessage(`{"by":"p"}`)},
	})
	evs, _, err := f.Since(t.Context(), 0, Filter{}, 0)
	if err != nil || len(evs) != 3 {
		t.Fatal(evs, err)
	}
	for i, want := range []string{"null", `"other"`, `{"by":"p"}`} {
		if string(evs[i].Data) != want {
			t.Errorf("%d: %s", i, evs[i].Data)
		}
	}
}

// emptyLog is a log of which nothing is on disk.
type emptyLog struct{}

// Since implements Log.
func (emptyLog) Since(context.Context, vyre.Seq, int) ([]vyre.Event, error) { return nil, nil }

// Bounds implements Log.
func (emptyLog) Bounds(context.Context) (floor, head vyre.Seq, err error) { return 0, 3, nil }

// Holds implements Log.
func (emptyLog) Holds(context.Context, vyre.Seq) (bool, error) { return true, nil }

// Head implements knowsHead: the log was empty when the feed was made.
func (emptyLog) Head() vyre.Seq { return 0 }
