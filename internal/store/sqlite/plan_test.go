package sqlite

import (
	"strings"
	"testing"

	"vyre"
)

func TestReadsUseIndexes(t *testing.T) {
	// No read that the engine or a list makes walks a whole table, whatever the
	// size of the store. (Counts and Verify do, and say so.)
	db := openRunning(t, Options{})
	seedThread(t, db, "t")
	c := &vyre.Commit{
		Turns: []vyre.Turn{{ID: "t:1", Thread: "t", Status: vyre.TurnStarted, Origin: vyre.OriginPerson}},
		Items: []vyre.Item{{ID: "i", Thread: "t", Turn: "t:1", Kind: vyre.ItemText, Status: vyre.ItemRunning}}, Events: []vyre.Event{{Kind: "x.y"}},
		Asks: []vyre.Ask{{ID: "a", Thread: "t", Kind: vyre.AskTool, State: vyre.AskOpen}},
	}
	must(t, db.Commit(t.Context(), c))
	ctx := t.Context()
	var errs []error
	note := func(err error) { errs = append(errs, err) }
	_, err := db.Thread(ctx, "t")
	note(err)
	_, _, err = db.ThreadByKey(ctx, "k")
	note(err)
	_, err = db.KeySpent(ctx, "k")
	note(err)
	_, err = db.Item(ctx, "t", "i")
	note(err)
	_, _, err = db.Turn(ctx, "t:1")
	note(err)
	_, _, err = db.Message(ctx, "t", "m")
	note(err)
	_, err = db.Queue(ctx, "t")
	note(err)
	_, err = db.Unfinished(ctx, "t")
	note(err)
	_, err = db.WorkingItems(ctx, "t", "t:1")
	note(err)
	_, err = db.ItemText(ctx, "i")
	note(err)
	_, err = db.UnsettledAsks(ctx, "t")
	note(err)
	_, err = db.Ask(ctx, "a")
	note(err)
	_, err = db.OpenSessions(ctx)
	note(err)
	_, err = db.Unsettled(ctx)
	note(err)
	_, err = db.Frames(ctx, "s")
	note(err)
	_, err = db.Since(ctx, 0, 10)
	note(err)
	for _, q := range []ItemQuery{{}, {After: "i"}, {Before: "i"}, {SinceRev: new(vyre.Seq(0))}} {
		q.Thread = "t"
		_, _, err = db.Items(ctx, q)
		note(err)
	}
	for _, q := range []ThreadQuery{{}, {State: "idle"}, {Thread: "t"}, {Next: makeCursor("5", "t")}} {
		_, _, err = db.Threads(ctx, q)
		note(err)
	}
	for _, q := range []AskQuery{{}, {Thread: "t"}, {Thread: "t", State: vyre.AskAnswered}} {
		_, _, err = db.Asks(ctx, q)
		note(err)
	}
	_, _ = db.Output(ctx, "t", "i", 0, 10)
	_, _ = db.storedPart(ctx, "i", 0, 10, &vyre.OutputRef{})
	_, err = db.Prune(ctx, Retention{Words: 1, Events: 1, Raw: 1, Outputs: 1})
	note(err)
	for _, err := range errs {
		must(t, err)
	}
	for text := range db.reads.made {
		for _, step := range queryPlan(t, db, text) {
			if strings.HasPrefix(step, "SCAN") && !strings.Contains(step, " USING ") && !strings.Contains(step, "SUBQUERY") && !strings.Contains(step, "CONSTANT ROW") {
				t.Errorf("%s\n\t%s", step, text)
			}
		}
	}
}

func queryPlan(t *testing.T, db *DB, text string) (steps []string) {
	t.Helper()
	args := make([]any, strings.Count(text, "?"))
	rows, err := db.reading.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+text, args...)
	must(t, err)
	defer rows.Close()
	for rows.Next() {
		var id, parent, x int
		var detail string
		must(t, rows.Scan(&id, &parent, &x, &detail))
		steps = append(steps, detail)
	}
	must(t, rows.Err())
	return steps
}

func FuzzCursor(f *testing.F) {
	// Whatever a caller gives as a cursor is read as one or refused as invalid.
	for _, s := range []string{"", "!", "YSBi", makeCursor("1", "t"), makeCursor("9223372036854775808", ""), makeCursor("1")} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, parts := range []int{1, 2} {
			got, err := readCursor("next", s, parts)
			if err != nil && vyre.CodeOf(err) != vyre.CodeInvalid {
				t.Errorf("%q: %v", s, err)
			}
			if err != nil {
				continue
			}
			if len(got) != parts {
				t.Errorf("%q: %d parts", s, len(got))
			}
			if _, err := cursorNumber("next", got[0]); err != nil && vyre.CodeOf(err) != vyre.CodeInvalid {
				t.Errorf("%q: %v", s, err)
			}
		}
	})
}
