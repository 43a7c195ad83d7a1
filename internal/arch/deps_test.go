package arch

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// golden is the reviewed list of every module in go.mod.
const golden = "testdata/deps.txt"

// modules returns the module paths that go.mod requires.
func modules(t *testing.T) (direct, all []string) {
	t.Helper()
	b, err := os.ReadFile(root + "/go.mod")
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^(?:require)?\s+(\S+\.\S+/\S+) (v\S+)( // indirect)?$`)
	for _, m := range line.FindAllStringSubmatch(string(b), -1) {
		all = append(all, m[1])
		if m[3] == "" {
			direct = append(direct, m[1])
		}
	}
	slices.Sort(all)
	return direct, all
}

func TestDependencyList(t *testing.T) {
	// A new module, direct or not, is seen in review. VYRE_UPDATE=1 writes the list.
	_, all := modules(t)
	got := strings.Join(all, "\n") + "\n"
	if os.Getenv("VYRE_UPDATE") != "" {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || got != string(want) {
		t.Errorf("go.mod requires\n%swant\n%s(%v) a change needs its reason in docs/adr/0002", got, want, err)
	}
}

func TestDependenciesHaveReasons(t *testing.T) {
	// Every direct module has its line in ADR 0002, and there are few.
	direct, _ := modules(t)
	b, err := os.ReadFile(root + "/docs/adr/0002-dependencies.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range direct {
		if !strings.Contains(string(b), "`"+m+"`") {
			t.Errorf("%s has no line in docs/adr/0002-dependencies.md", m)
		}
	}
	if len(direct) == 0 || len(direct) > 18 { // five of them are for tests alone
		t.Errorf("%d direct modules; aim at 12 or fewer beside the test-only ones", len(direct))
	}
}

func TestShimClosure(t *testing.T) {
	// The session's parent links std and x/sys alone, and nothing heavy: it lives as long as its session, once a session.
	heavy := []string{"net/http", "crypto/tls", "encoding/xml", "go/parser", "text/template", "html/template", "math/big"}
	for _, goos := range []string{"linux", "darwin"} {
		cmd := exec.CommandContext(t.Context(), "go", "list", "-e", "-deps", "-f", "{{.ImportPath}}{{if .Standard}} std{{end}}", "./cmd/vyre-shim")
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "GOOS="+goos, "CGO_ENABLED=0")
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(out)) {
			pkg, std := strings.CutSuffix(strings.TrimSpace(line), " std")
			dir, ours := projectDir(pkg)
			switch {
			case std && slices.Contains(heavy, pkg):
				t.Errorf("%s: vyre-shim links %s, which is heavy", goos, pkg)
			case std, matches("golang.org/x/sys/...", pkg):
			case ours && matchesAny([]string{"cmd/vyre-shim/...", "internal/shim/...", "internal/confine/...", "internal/fail"}, dir) && dir != "internal/shim":
			default:
				t.Errorf("%s: vyre-shim links %s", goos, pkg)
			}
		}
	}
}
