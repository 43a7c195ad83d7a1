package sqlite

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vyre"
)

func TestVerifyFindsWhatWasChanged(t *testing.T) {
	// Any change to the log behind the store's back is found: data, header, hash,
	// a row that is missing, a pruned run stretched over a kept event. Redacted
	// data is no damage.
	for name, tamper := range map[string]struct {
		sql string
		ok  bool
	}{
		"nothing":               {"SELECT 1", true},
		"redacted":              {"UPDATE events SET data = NULL WHERE seq = 6", true},
		"data":                  {`UPDATE events SET data = CAST(replace(CAST(data AS TEXT), 'w', 'v') AS BLOB) WHERE seq = 6`, false},
		"data and hash":         {"UPDATE events SET data = NULL, data_hash = zeroblob(32) WHERE seq = 6", false},
		"time":                  {"UPDATE events SET ts = ts + 1 WHERE seq = 6", false},
		"thread":                {"UPDATE events SET thread = 'u' WHERE seq = 6", false},
		"kind":                  {"UPDATE events SET kind = 'thread.tool' WHERE seq = 6", false},
		"a row less":            {"DELETE FROM events WHERE seq = 6", false},
		"record less":           {"DELETE FROM pruned", false},
		"record changed":        {"UPDATE pruned SET hash_after = zeroblob(32)", false},
		"event before a record": {"UPDATE events SET ts = ts + 1, chain = zeroblob(32) WHERE seq = 4", false},
		"record over kept":      {"UPDATE pruned SET last = last + 1", false},
	} {
		t.Run(name, func(t *testing.T) {
			c := newClock()
			db := open(t, c.options())
			t.Cleanup(run(t, db))
			seedThread(t, db, "t")
			streamed(t, db, "t", 1, "a", true, "w", "w", "w") // 1–3, finished 4
			c.pass(25 * time.Hour)
			streamed(t, db, "t", 2, "b", true, "w", "w", "w") // 5–7, finished 8
			c.prune()
			must(t, db.Verify(t.Context()))
			own := openAt(t, db.path, Options{}) // another program, so to speak
			_, err := own.writer.conn.ExecContext(t.Context(), tamper.sql)
			must(t, err)
			err = db.Verify(t.Context())
			if (err == nil) != tamper.ok || err != nil && vyre.CodeOf(err) != vyre.CodeInternal {
				t.Errorf("Verify = %v", err)
			}
		})
	}
}

func TestVerifyFindsOneFlippedByte(t *testing.T) {
	// One byte of one event changed in the closed file is found.
	path := filepath.Join(t.TempDir(), "vyre.db")
	db := openAt(t, path, Options{})
	stop := run(t, db)
	seedThread(t, db, "t")
	for _, w := range []string{"alpha", "needle", "omega"} {
		must(t, db.Commit(t.Context(), &vyre.Commit{Events: []vyre.Event{textEvent("t", 1, "i", 0, w)}}))
	}
	stop()
	must(t, db.Close())
	b, err := os.ReadFile(path)
	must(t, err)
	at := strings.Index(string(b), "needle")
	if at < 0 {
		t.Fatal("the event's data is not in the file")
	}
	b[at] ^= 0x01
	must(t, os.WriteFile(path, b, 0o600))
	db = openAt(t, path, Options{})
	if err := db.Verify(t.Context()); err == nil || !strings.Contains(err.Error(), "event 2") {
		t.Errorf("Verify = %v", err)
	}
}

func TestAuditIsChained(t *testing.T) {
	// Entries are numbered without gaps, listed newest first in pages, and any change
	// of one behind the store's back is found, in the store and in a backup of it.
	for name, tamper := range map[string]string{
		"nothing":    "SELECT 1",
		"caller":     "UPDATE audit SET caller = 'person:owner:web' WHERE n = 2",
		"result":     "UPDATE audit SET result = 'done' WHERE n = 2",
		"time":       "UPDATE audit SET at = at + 1 WHERE n = 2",
		"count":      "UPDATE audit SET count = 1 WHERE n = 2",
		"a row less": "DELETE FROM audit WHERE n = 2",
		"the first":  "DELETE FROM audit WHERE n = 1",
		"one more":   "INSERT INTO audit SELECT 9, at, tool, effect, caller, proof, level, thread, about, result, count, chain FROM audit WHERE n = 3",
	} {
		t.Run(name, func(t *testing.T) {
			db := openRunning(t, Options{})
			for _, tool := range []string{"threads.answer", "grants.add", "vault.put"} {
				must(t, db.Commit(t.Context(), &vyre.Commit{Audit: []vyre.AuditEntry{{Tool: tool, Caller: "thread:t", Result: "person_only", Count: 7}}}))
			}
			page, next, err := db.Audit(t.Context(), AuditQuery{Caller: "thread", Limit: 2})
			must(t, err)
			if len(page) != 2 || page[0].N != 3 || page[1].N != 2 || page[1].Count != 7 || next == "" {
				t.Errorf("first page %+v, next %q", page, next)
			}
			page, next, err = db.Audit(t.Context(), AuditQuery{Limit: 2, Next: next})
			must(t, err)
			if len(page) != 1 || page[0].Tool != "threads.answer" || next != "" {
				t.Errorf("second page %+v, next %q", page, next)
			}
			own := openAt(t, db.path, Options{})
			_, err = own.writer.conn.ExecContext(t.Context(), tamper)
			must(t, err)
			to := filepath.Join(t.TempDir(), "copy.db")
			whole := name == "nothing"
			if err := db.Verify(t.Context()); (err == nil) != whole {
				t.Errorf("Verify = %v", err)
			}
			if err := db.Backup(t.Context(), to); (err == nil) != whole {
				t.Errorf("Backup = %v", err)
			}
			if _, err := os.Stat(to); (err == nil) != whole {
				t.Errorf("the copy: %v", err)
			}
		})
	}
}

func TestAuditGoesAlong(t *testing.T) {
	// The first commit of a call takes its note along, once; one that fails leaves it.
	db := openRunning(t, Options{})
	note := &vyre.AuditNote{Entry: vyre.AuditEntry{Tool: "grants.add", Caller: "person:owner:cli", Result: vyre.AuditDone}}
	ctx := vyre.WithAudit(t.Context(), note)
	if err := db.Commit(ctx, &vyre.Commit{Spool: &vyre.SpoolMark{Session: "none"}}); err == nil {
		t.Fatal("a mark of no session was taken")
	}
	for range 2 {
		must(t, db.Commit(ctx, &vyre.Commit{Durable: true, Events: []vyre.Event{{Kind: "x.y"}}}))
	}
	all, _, err := db.Audit(t.Context(), AuditQuery{})
	must(t, err)
	if len(all) != 1 || all[0].Tool != "grants.add" || all[0].Count != 1 || note.Take() {
		t.Errorf("%+v", all)
	}
}
