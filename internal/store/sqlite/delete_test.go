package sqlite

import (
	"slices"
	"strings"
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

func TestDeletionKnowsEveryTable(t *testing.T) {
	// Whatever a thread left, in any table, goes with it: only the log's bare events and the fact of its key stay.
	db := openRunning(t, Options{})
	const id, word = vyre.ThreadID("gone"), "plover"
	th := aThread(id)
	th.Key, th.Name, th.CWD = "key-"+word, word, "/"+word
	turn := vyre.MakeTurnID(id, 1)
	must(t, db.Commit(t.Context(), &vyre.Commit{
		Threads:  []vyre.Thread{th},
		Turns:    []vyre.Turn{{ID: turn, Thread: id, Status: vyre.TurnCompleted, Origin: vyre.OriginPerson, Error: word}},
		Items:    []vyre.Item{{ID: "i-" + word, Thread: id, Turn: turn, Kind: vyre.ItemTool, Status: vyre.ItemCompleted, Text: word}},
		Outputs:  []vyre.Output{{Item: "i-" + word, Bytes: []byte(word)}},
		Asks:     []vyre.Ask{{ID: "a", Thread: id, Turn: turn, Kind: vyre.AskTool, Title: word, State: vyre.AskAnswered, Input: []byte(`"plover"`)}},
		Messages: []vyre.Message{{ID: "m", Thread: id, State: vyre.MessageDone, Text: word}},
		Sessions: []vyre.Session{{ID: "s", Thread: id, State: vyre.SessionEnded, Dir: word}},
		Frames:   []vyre.Frame{{Session: "s", N: 1, Bytes: []byte(word)}},
		Tasks:    []vyre.Task{{ID: "k", Thread: id, Title: word, State: "running"}},
		Slots:    []vyre.Slot{{ID: "l", Kind: vyre.SlotSubagent, State: vyre.SlotHeld, Project: word, Thread: id}},
		Calls:    []vyre.CallMark{{Thread: id, Request: word, Tool: "t"}},
		Events:   []vyre.Event{vyre.NewEvent(id, turn, vyre.ThreadText{Item: "i-" + word, Kind: vyre.ItemText, Text: word})},
	}))
	before := tablesWith(t, db, word, string(id))
	for _, table := range []string{"threads", "turns", "items", "outputs", "output_parts", "asks", "messages", "sessions", "frames", "tasks", "slots", "calls", "events"} {
		if !slices.Contains(before, table) {
			t.Errorf("the test leaves nothing in %s", table)
		}
	}
	must(t, db.Commit(t.Context(), &vyre.Commit{Durable: true, Delete: id, Events: []vyre.Event{vyre.NewEvent(id, "", vyre.ThreadDeleted{By: "p"})}}))
	if left := tablesWith(t, db, word); len(left) != 0 {
		t.Errorf("its words are left in %v", left)
	}
	if left := tablesWith(t, db, string(id)); !slices.Equal(left, []string{"events"}) {
		t.Errorf("its id is left in %v", left)
	}
	for key, want := range map[string]bool{th.Key: true, "other": false, "": false} {
		if spent, err := db.KeySpent(t.Context(), key); err != nil || spent != want {
			t.Errorf("key %q spent: %v %v", key, spent, err)
		}
	}
	must(t, db.Verify(t.Context()))
}

// tablesWith lists the tables in which a value holds one of some words, by name.
func tablesWith(t *testing.T, db *DB, words ...string) (with []string) {
	t.Helper()
	for table := range tableTexts(t, db) {
		if tableHas(t, db, table, words) {
			with = append(with, table)
		}
	}
	slices.Sort(with)
	return with
}

func tableHas(t *testing.T, db *DB, table string, words []string) (found bool) {
	t.Helper()
	rows, err := db.reading.QueryContext(t.Context(), "SELECT * FROM "+table)
	must(t, err)
	defer rows.Close()
	columns, err := rows.Columns()
	must(t, err)
	row, into := make([]any, len(columns)), make([]any, len(columns))
	for i := range row {
		into[i] = &row[i]
	}
	for rows.Next() {
		must(t, rows.Scan(into...))
		for _, v := range row {
			s, isText := v.(string)
			b, isBytes := v.([]byte)
			found = found || (isText || isBytes) && slices.ContainsFunc(words, func(w string) bool { return strings.Contains(s+string(b), w) })
		}
	}
	must(t, rows.Err())
	return found
}
