package sqlite

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	"vyre"
)

func TestOlderUsageIsCounted(t *testing.T) {
	// What turns of an older home used is in the sums, and in their threads' costs.
	path := filepath.Join(t.TempDir(), "vyre.db")
	old, err := sql.Open("sqlite", path)
	must(t, err)
	c, err := old.Conn(t.Context())
	must(t, err)
	all, err := migrations()
	must(t, err)
	for _, m := range all {
		if strings.HasSuffix(m.name, "_purse.sql") {
			break
		}
		must(t, step(t.Context(), c, m))
	}
	for _, text := range []string{
		`INSERT INTO threads (id, provider, driver, model, mode, state, reason, purpose, cwd, project, agent, auth, name, source, node,
			worktree, parent, archived, created, updated, native_id, turns, err, key, key_hash)
			VALUES ('t', 'claude', 'claude', 'm', 'ask', 'idle', '', 'odd', '/w', '', '', 'login', '', '', '', '', '', 0, 1, 1, '', 2, '', '', '')`,
		`INSERT INTO turns (thread, n, status, origin, error, usage, started, ended)
			VALUES ('t', 1, 'completed', 'person', '', CAST('{"input_tokens":1,"output_tokens":2,"cache_read_tokens":3,"cache_write_tokens":4,"cost_micros":50}' AS BLOB), 1, 2),
			('t', 2, 'failed', 'person', '', NULL, 3, 4)`,
	} {
		_, err := c.ExecContext(t.Context(), text)
		must(t, err)
	}
	must(t, c.Close())
	must(t, old.Close())
	db := openAt(t, path, Options{})
	_, total, err := db.Usage(t.Context(), UsageQuery{By: UsageByThread})
	must(t, err)
	if total != (UsageRow{"", 2, 1, 2, 3, 4, 50}) {
		t.Errorf("total %+v", total)
	}
	th, err := db.Thread(t.Context(), "t")
	must(t, err)
	if th.CostMicros != 50 || th.Purpose != vyre.Purpose("odd") {
		t.Errorf("thread %+v", th)
	}
}
