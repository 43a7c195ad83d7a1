package sqlite

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vyre"
)

// words turns a list of named strings into plain ones; extra ones come first.
func words[T ~string](list []T, extra ...string) []string {
	out := slices.Clone(extra)
	for _, w := range list {
		out = append(out, string(w))
	}
	slices.Sort(out)
	return out
}

func TestChecksNameTheWordsOfTheDomain(t *testing.T) {
	// Every enumeration of the domain is CHECKed in its table with exactly the
	// domain's words; a word added there needs a migration here.
	db := open(t, Options{})
	want := map[string][]string{
		"threads.mode":         words(vyre.Modes),
		"threads.state":        words(vyre.States),
		"threads.reason":       words(vyre.StopReasons, ""),
		"models.scope":         words(vyre.ModelScopes),
		"threads.parked":       words(vyre.Parkings, ""),
		"turns.status":         words(vyre.TurnStatuses),
		"turns.origin":         words([]vyre.Origin{vyre.OriginPerson, vyre.OriginAgent}),
		"items.kind":           words(vyre.ItemKinds),
		"items.status":         words(vyre.ItemStatuses),
		"asks.kind":            words(vyre.AskKinds),
		"asks.state":           words(vyre.AskStates),
		"asks.decision":        words([]vyre.Decision{vyre.Allow, vyre.Deny}, ""),
		"asks.mode":            words(vyre.Modes, ""),
		"asks.scope":           words([]vyre.Scope{vyre.ScopeOnce, vyre.ScopeSession, vyre.ScopeProject}, ""),
		"messages.state":       words(vyre.MessageStates),
		"messages.via":         words([]vyre.Via{vyre.ViaTurn, vyre.ViaSteer, vyre.ViaQueue, vyre.ViaResume}, ""),
		"sessions.state":       words(vyre.SessionStates),
		"gate.kind":            words(vyre.GateKinds),
		"gate.state":           words(vyre.GateStates),
		"grants.kind":          words(vyre.GrantKinds),
		"vault_grants.kind":    words(vyre.HolderKinds),
		"vault_requests.state": words(vyre.VaultRequestStates),
		"web_sessions.how":     {"code", "pairing", "passkey"},
		"trust.decision":       words([]vyre.Decision{vyre.Allow, vyre.Deny}),
		"slots.kind":           words(vyre.SlotKinds),
		"slots.state":          words([]vyre.SlotState{vyre.SlotWaiting, vyre.SlotHeld}),
	}
	got := map[string][]string{}
	check := regexp.MustCompile(`CHECK \((\w+) IN \(('[^)]*)\)\)`)
	for table, text := range tableTexts(t, db) {
		for _, m := range check.FindAllStringSubmatch(text, -1) {
			var list []string
			for w := range strings.SplitSeq(m[2], ", ") {
				list = append(list, strings.Trim(w, "'"))
			}
			slices.Sort(list)
			got[table+"."+m[1]] = list
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestTablesAreStrict(t *testing.T) {
	// A value of the wrong type is refused by every table.
	for table, text := range tableTexts(t, open(t, Options{})) {
		if !regexp.MustCompile(`\) STRICT(, WITHOUT ROWID)?$`).MatchString(text) {
			t.Errorf("table %s is not STRICT", table)
		}
	}
}

func tableTexts(t *testing.T, db *DB) map[string]string {
	t.Helper()
	rows, err := db.reading.QueryContext(t.Context(), "SELECT name, sql FROM sqlite_schema WHERE type = 'table'")
	must(t, err)
	defer rows.Close()
	out := map[string]string{}
	for rows.Next() {
		var name, text string
		must(t, rows.Scan(&name, &text))
		out[name] = text
	}
	must(t, rows.Err())
	return out
}

func TestMigrationsAreFrozen(t *testing.T) {
	// A migration that was released is never edited: stores of it are out there.
	frozen := map[string]string{
		"0001_initial.sql":       "22094d19a1f7965b55ad2f405fc2afcbebc419a9b1d8617223677734c6245c04",
		"0002_life.sql":          "66704de8fcc62ecf5c365ce266deeb35fa930430c9e87f52bf527b1544e57d13",
		"0003_tasks.sql":         "506904fc3469281ba67b96a1554d8ed9180a65870df9b9b54f1852331cc61a45",
		"0004_slots.sql":         "86572effdbca925c3f8fa9a3c1e90d9cc90b5accfe971bb22ea5d7149ace1219",
		"0005_purse.sql":         "efec74bbfdd1be3c6585ecfcaa0a94e6afa0cda48e823aa411f34267488d37ae",
		"0006_room.sql":          "f0e850e352b7c2a7c0e5e281680da8a3cfc583f1d7b1d0cd9f4497bdf0185a74",
		"0007_spent_keys.sql":    "430e317e28e6c0fb6da4a002beee88cfa17c38698cfd6a2a03d3bd6c24794bda",
		"0008_frame_request.sql": "9cd7116c94e6c83c79e63c426b6140734d27ebe1568a1c0f566caed65c8b56ff",
		"0009_grants.sql":        "cab3a14ba898b0d3963a78046a893d0a9d91564f01da799e363913255e8b476f",
		"0010_vault.sql":         "b548483518315217bbdb86d380346992572e7c75e100b8bd5ab5e11bbb8cc2b1",
		"0011_passkeys.sql":      "da1297226cc4ac94ee6cd08f330d9ddff664e343d3d1ce63eb76b551a28b4500",
		"0012_audit.sql":         "09df68658267452c10c5aedc1c840809f25a7eb79391b0011c7a9a092700326b",
		"0013_confined.sql":      "dcb28b55e1952d9eaada6d26ad6236c18c75607f460d400585752e6e2985eb35",
		"0014_trust.sql":         "40ae627c9fad25681f8fbae936bd13a142452a62c2b7a35cabe6ad534e7fc46a",
		"0015_gate.sql":          "78670ee864ae75589ddd30d3a091e8db19ec0b03437036fe81ca92aefc8ec0bd",
	}
	all, err := migrations()
	must(t, err)
	got := map[string]string{}
	for _, m := range all {
		h := sha256.Sum256([]byte(m.sql))
		got[m.name] = hex.EncodeToString(h[:])
	}
	if d := cmp.Diff(frozen, got); d != "" {
		t.Error("write a new migration instead of editing one:", d)
	}
}

func TestNewerStoreIsRefused(t *testing.T) {
	// A store that a newer vyre wrote is refused with a conflict and left as it is.
	path := filepath.Join(t.TempDir(), "vyre.db")
	db := openAt(t, path, Options{})
	_, err := db.writer.conn.ExecContext(t.Context(), "PRAGMA user_version = 999")
	must(t, err)
	must(t, db.Close())
	before, err := os.ReadFile(path)
	must(t, err)
	_, err = Open(t.Context(), path, Options{})
	if vyre.CodeOf(err) != vyre.CodeConflict || !strings.Contains(err.Error(), "999") {
		t.Errorf("Open gave %v", err)
	}
	after, err := os.ReadFile(path)
	must(t, err)
	if !slices.Equal(before, after) {
		t.Error("the file was changed")
	}
}

func TestFilesArePrivate(t *testing.T) {
	// The database and its side files are 0600, made new or found open to others,
	// wherever they lie: the path is used as it is, whatever is in it.
	path := filepath.Join(t.TempDir(), "a b?c=%41#'d.db")
	must(t, os.WriteFile(path, nil, 0o644))
	db := openAt(t, path, Options{})
	stop := run(t, db)
	defer stop()
	seedThread(t, db, "t")
	for _, suffix := range []string{"", "-wal", "-shm"} {
		st, err := os.Stat(path + suffix)
		must(t, err)
		if st.Mode().Perm() != 0o600 {
			t.Errorf("%q has mode %v", suffix, st.Mode())
		}
	}
}
