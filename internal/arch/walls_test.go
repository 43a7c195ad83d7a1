package arch

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// wall says which rooms of the project a room may import ("." is the domain
// package, x/... a folder with all below) and why no others.
type wall struct {
	room string
	may  []string
	why  string
}

// walls are read from the top: the first row that a room matches counts. Every
// room has one.
var walls = []wall{
	{".", nil, "the domain knows nobody"},

	{"agent/conform/...", []string{".", "agent", "agent/agenttest/...", "internal/fake/...", "internal/wire/..."}, "the suite sees a provider through the contract alone"},
	{"agent/claude/...", driver("agent/claude/..."), driverWhy},
	{"agent/codex/...", driver("agent/codex/..."), driverWhy},
	{"agent/acp/...", driver("agent/acp/..."), driverWhy},
	{"agent", []string{".", "internal/wire/..."}, "the contract is usable from any Go program without the daemon"},

	{"internal/wire/...", []string{"."}, "framing knows no vendor and no room"},
	{"internal/fail", nil, "it is linked into the session's parent"},
	{"internal/fake/...", []string{".", "internal/wire/...", "internal/fake/..."}, "a fake is a peer on the network; it must not share code with what it tests"},

	{"internal/config", []string{"."}, "settings are data; what they do is decided elsewhere"},
	{"internal/loginenv", []string{"."}, "what may pass is policy's"},
	{"internal/install", []string{"."}, "it knows programs and versions, no protocol"},
	{"internal/policy", []string{".", "internal/policy/shell"}, "pure functions over data"},
	{"internal/policy/shell", nil, "it reads text; what is harmless is policy's"},
	{"internal/policy/disk", []string{"internal/policy"}, "it implements policy's port over the disk"},
	{"internal/apply", []string{"."}, "it writes one file; which and for whom, others say"},
	{"internal/grants", []string{".", "internal/policy/..."}, "it remembers what holds; what a grant covers is policy's, storage is a port"},
	{"internal/sweep", nil, "it watches files and knows nobody's names"},
	{"internal/trust", []string{".", "agent"}, "it reads folders and words what is there; who decided what is the engine's"},
	{"internal/room", []string{"."}, "it counts and decides; what the store has it asks through a port"},
	{"internal/gate", []string{".", "internal/fail", "internal/store/sqlite"}, "it knows acts and their lives; how one is done is a sender's, who is asked a door's"},
	{"internal/gate/httpout", []string{".", "internal/gate"}, "it does one kind of act and knows no other"},
	{"internal/gate/gitout", []string{".", "internal/gate", "internal/git"}, "it does one kind of act and knows no other"},
	{"internal/git", []string{"."}, "it runs one program, whatever for"},
	{"internal/worktree", []string{".", "internal/fail", "internal/git"}, "whose a tree is, others say"},
	{"internal/suggest", []string{".", "internal/git"}, "it knows folders, no thread"},
	{"internal/attach", []string{"."}, "it keeps files; who names them is asked"},
	{"internal/vault", []string{".", "internal/fail"}, "storage is a port"},
	{"internal/audit", []string{"."}, "it counts and writes; what a call was the registry says"},
	{"internal/broker", []string{".", "agent"}, "whose a session is and where its credential lies, it is told; no vendor's words"},
	{"internal/redact", []string{"."}, "it is handed names and values; whose they are it can't know"},
	{"internal/store/...", []string{".", "internal/fail", "internal/store/..."}, "the store keeps rows; it decides nothing"},
	{"internal/feed", []string{"."}, "cursor reading over a port"},
	{"internal/registry/...", []string{".", "internal/registry/..."}, "the registry imports no module; everything comes to it by Define"},
	{"internal/tailnet", []string{"."}, "it asks another daemon; what an answer allows others say"},
	{"internal/identity/passkey", []string{".", "internal/registry"}, "it holds a touch against a call, as the registry asks; rows and sessions are ports"},
	{"internal/identity/...", []string{".", "internal/identity/...", "internal/shim/procs"}, "who calls is told from the kernel and the rows handed in"},
	{"internal/confine/...", nil, "it is linked into the session's parent"},
	{"internal/shim", []string{".", "agent", "internal/engine", "internal/fail", "internal/wire/...", "internal/confine/...", "internal/shim/..."}, "it implements the engine's ports and speaks to the session's parent; no agent's protocol"},
	{"internal/shim/...", []string{"internal/fail", "internal/shim/..."}, "these are linked into the session's parent: std and x/sys only"},
	{"internal/engine/...", []string{".", "agent", "internal/policy/...", "internal/fail", "internal/redact", "internal/engine/..."}, "the engine sees store, processes, vault and drivers through its own ports, and never asks which driver it is"},

	{"internal/module/...", []string{".", "agent", "internal/registry", "internal/feed", "internal/engine", "internal/gate", "internal/policy/...", "internal/vault", "internal/store/sqlite", "internal/worktree", "internal/install", "internal/config", "internal/identity/..."}, "a module never imports another or a door: it asks through the registry's call path"},
	{"internal/door/...", []string{".", "internal/registry", "internal/feed", "internal/identity/...", "internal/wire/...", "internal/door/...", "web"}, "a door binds a caller and forwards; it has no logic about threads, so it never sees a module, the engine or the store"},
	{"internal/client", []string{".", "internal/config"}, "a client knows what any program outside could"},
	{"internal/cli", []string{".", "agent", "internal/client", "internal/registry", "internal/config", "internal/install", "internal/loginenv", "internal/policy/...", "internal/fake", "internal/cli/..."}, "commands are a thin client of the socket; the daemon is handed in by main"},
	{"internal/cli/...", []string{".", "internal/client", "internal/config", "internal/cli/..."}, "parts of the command line"},
	{"internal/daemon/...", []string{".", "agent", "agent/...", "internal/...", "web"}, "the only wiring"},
	{"internal/arch", nil, "it reads source text"},
	{"internal/bench/...", []string{".", "agent", "agent/...", "internal/...", "web"}, "measuring uses the house like a test"},

	{"cmd/vyre", []string{".", "internal/cli", "internal/daemon", "internal/config"}, "main: signals, arguments, exit code"},
	{"cmd/vyre-shim/...", []string{"internal/shim/...", "internal/confine/...", "internal/fail"}, "the session's parent is small and frozen"},
	{"cmd/...", []string{".", "agent", "agent/...", "internal/..."}, "programs for development"},
	{"web", nil, "the built page, embedded"},
	{"tools/...", nil, "versions of tools"},
}

const driverWhy = "a driver speaks one protocol; it knows the contract, the domain and framing, never the engine or another driver"

func driver(self string) []string { return []string{".", "agent", "internal/wire/...", self} }

func wallOf(dir string) (wall, bool) {
	for _, w := range walls {
		if matches(w.room, dir) {
			return w, true
		}
	}
	return wall{}, false
}

func TestWalls(t *testing.T) {
	// Arrows point down: a room imports only what its row allows. Tests and their kits may look anywhere.
	for _, s := range theHouse(t).code() {
		w, ok := wallOf(s.dir)
		if !ok {
			t.Errorf("%s: the room %s has no row in walls", s.path, s.dir)
			continue
		}
		for _, p := range s.imports {
			dir, ours := projectDir(p)
			if ours && dir != s.dir && !matchesAny(w.may, dir) {
				t.Errorf("%s imports %s: %s", s.path, p, w.why)
			}
		}
	}
}

func TestModulesAreApart(t *testing.T) {
	// Modules don't import each other; each is one folder and one line of wiring.
	for _, s := range theHouse(t).code() {
		for _, p := range s.imports {
			dir, _ := projectDir(p)
			if matches("internal/module/...", s.dir) && matches("internal/module/...", dir) && subject(dir) != subject(s.dir) {
				t.Errorf("%s imports %s", s.path, p)
			}
		}
	}
}

func subject(dir string) string { return strings.Split(dir, "/")[2] }

// only lists packages that few rooms may import.
var only = []struct {
	pkg   string // a package, or with /... all below
	rooms []string
	why   string
}{
	{"database/sql/...", []string{"internal/store/sqlite"}, "SQL lives in one room"},
	{"modernc.org/...", []string{"internal/store/sqlite"}, "the driver can be changed in one place"},
	{"github.com/spf13/...", []string{"internal/cli"}, "commands are made in one place"},
	{"github.com/BurntSushi/toml", []string{"internal/config"}, "one file of settings, read in one place"},
	{"mvdan.cc/sh/...", []string{"internal/policy/shell"}, "the parser can be changed in one place"},
	{"golang.org/x/text/...", []string{"internal/policy"}, "paths are folded in one place"},
	{"github.com/go-webauthn/...", []string{"internal/identity/passkey"}, "one room knows how passkeys are made"},
	{"rsc.io/qr", []string{"internal/module/devices"}, "codes are drawn in one place"},
	{"filippo.io/age/...", []string{"internal/vault"}, "one room seals"},
	{"github.com/google/jsonschema-go/...", []string{"internal/registry/...", "internal/cli"}, "schemas come from the registry's types; the command line reads them for its flags"},
	{module + "/internal/daemon/...", []string{"cmd/vyre"}, "nobody depends on the wiring"},
	{module + "/internal/fake/...", []string{"internal/cli", "agent/conform/...", "internal/bench/...", "internal/fake/..."}, "fakes are for tests and `vyre try`"},
	{"testing/...", []string{"agent/conform/...", "internal/bench/..."}, "testing stays out of the product"},
	{"os/exec", []string{"agent", "agent/claude/...", "agent/codex/...", "agent/acp/...", "internal/shim/...", "internal/loginenv", "internal/install", "internal/git", "internal/cli", "internal/bench/...", "cmd/..."}, "only these start programs"},
	{"unsafe", []string{"internal/shim/...", "internal/identity/...", "internal/confine/...", "cmd/vyre-shim/..."}, "only where the kernel's own structures are read"},
}

func TestOnly(t *testing.T) {
	// Some packages have one home.
	for _, s := range theHouse(t).code() {
		for _, p := range s.imports {
			for _, o := range only {
				if matches(o.pkg, p) && !matchesAny(o.rooms, s.dir) {
					t.Errorf("%s imports %s: %s", s.path, p, o.why)
				}
			}
		}
	}
}

func TestKitsAreForTests(t *testing.T) {
	// What is made for tests is imported by tests alone.
	for _, s := range theHouse(t).code() {
		for _, p := range s.imports {
			dir, ours := projectDir(p)
			if ours && isKit(dir) && !matchesAny([]string{"agent/conform/...", "internal/bench/..."}, s.dir) {
				t.Errorf("%s imports the test kit %s", s.path, p)
			}
		}
	}
}

func TestDomainIsPure(t *testing.T) {
	// The domain package does no IO: the standard library without files, network, SQL, logs and processes.
	barred := []string{"os/...", "net/...", "database/...", "log/...", "io/fs", "io/ioutil", "syscall", "plugin", "runtime/...", "embed", "net"}
	for _, s := range theHouse(t).code() {
		if s.dir != "." {
			continue
		}
		for _, p := range s.imports {
			if strings.Contains(p, ".") || strings.HasPrefix(p, module+"/") || matchesAny(barred, p) {
				t.Errorf("%s imports %s: the domain does no IO", s.path, p)
			}
		}
	}
}

func TestWallsStand(t *testing.T) {
	// A row for a room that is gone is removed; rows for rooms that are planned are listed here.
	planned := []string{"agent/codex/...", "agent/acp/...", "agent/conform/...", "internal/wire/...", "internal/bench/...", "cmd/...", "tools/..."}
	for _, w := range walls {
		dir := strings.TrimSuffix(w.room, "/...")
		if _, err := os.Stat(root + "/" + dir); err != nil && !slices.Contains(planned, w.room) {
			t.Errorf("the room %s is not there", w.room)
		}
	}
}

// projectDir returns the folder of a package of this module.
func projectDir(pkg string) (string, bool) {
	if pkg == module {
		return ".", true
	}
	return strings.CutPrefix(pkg, module+"/")
}
