package sqlite

import (
	"slices"
	"testing"

	"vyre"
)

func TestDeletedThreadLeavesNoWord(t *testing.T) {
	// A deleted thread's rows and its events' data are gone in one commit, another thread's stay, and the chain verifies.
	db := openRunning(t, Options{})
	file := func(id string) []vyre.Attachment {
		return []vyre.Attachment{{ID: id, Name: "n", MediaType: "text/plain", Size: 1}}
	}
	for _, id := range []vyre.ThreadID{"gone", "stays"} {
		seedThread(t, db, id)
		turn := vyre.MakeTurnID(id, 1)
		must(t, db.Commit(t.Context(), &vyre.Commit{
			Turns:    []vyre.Turn{{ID: turn, Thread: id, Status: vyre.TurnCompleted, Origin: vyre.OriginPerson}},
			Items:    []vyre.Item{{ID: vyre.ItemID("i" + id), Thread: id, Turn: turn, Kind: vyre.ItemText, Status: vyre.ItemCompleted, Text: "plover"}},
			Messages: []vyre.Message{{ID: "m", Thread: id, State: vyre.MessageDone, Text: "plover", Attachments: append(file("shared"), file("of-"+string(id))...)}},
			Sessions: []vyre.Session{{ID: vyre.SessionID("s" + id), Thread: id, State: vyre.SessionEnded}},
			Frames:   []vyre.Frame{{Session: vyre.SessionID("s" + id), N: 1, Bytes: []byte("plover")}},
			Tasks:    []vyre.Task{{ID: "k", Thread: id, Title: "t", State: "running"}},
			Events:   []vyre.Event{vyre.NewEvent(id, turn, vyre.ThreadText{Item: vyre.ItemID("i" + id), Kind: vyre.ItemText, Text: "plover"})},
		}))
	}
	h, err := db.Holdings(t.Context(), "gone")
	must(t, err)
	if h.Items != 1 || h.Turns != 1 || h.Messages != 1 || !slices.Equal(h.Attachments, []string{"of-gone"}) {
		t.Errorf("%+v", h)
	}
	must(t, db.Commit(t.Context(), &vyre.Commit{
		Durable: true, Delete: "gone", Events: []vyre.Event{vyre.NewEvent("gone", "", vyre.ThreadDeleted{By: "p"})},
	}))
	if _, err := db.Thread(t.Context(), "gone"); vyre.CodeOf(err) != vyre.CodeNotFound {
		t.Errorf("the thread: %v", err)
	}
	evs, err := db.Since(t.Context(), 0, 100)
	must(t, err)
	words := 0
	for _, e := range evs {
		switch {
		case e.Thread == "stays" && string(e.Data) != "null":
			words++
		case e.Thread == "gone" && e.Kind != vyre.EvThreadDeleted && string(e.Data) != "null":
			t.Errorf("event %d still says %s", e.Seq, e.Data)
		case e.Kind == vyre.EvThreadDeleted && string(e.Data) != `{"by":"p"}`:
			t.Errorf("the deletion says %s", e.Data)
		}
	}
	if words == 0 {
		t.Error("another thread's events lost their data")
	}
	used, err := db.AttachmentsInUse(t.Context())
	must(t, err)
	if !used["shared"] || !used["of-stays"] || used["of-gone"] {
		t.Errorf("in use: %v", used)
	}
	must(t, db.Verify(t.Context()))
}
