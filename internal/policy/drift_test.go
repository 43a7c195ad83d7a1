package policy

import (
	"bufio"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vyre/agent/agenttest"
	"vyre/agent/claude"
)

// TestEveryNameOfTheAgentIsClassified is the gate against drift: each name of an
// environment variable in the pinned agent's program that has the shape of a
// credential, of something that changes how programs run, or of an address, is
// allowed, refused, or was looked at and written down for that version. A release of
// the agent that brings a new one fails here, with the name.
func TestEveryNameOfTheAgentIsClassified(t *testing.T) {
	bin := agenttest.ClaudeBinary(t)
	version, reviewed := reviewedNames(t, "testdata/reviewed/claude.txt")
	in, err := claude.New().Detect(t.Context(), bin)
	if err != nil {
		t.Fatal(err)
	}
	if in.Version != version {
		t.Errorf("the names were reviewed for %s, the agent is %s: look through what is new below and in its notes, then change the first line", version, in.Version)
	}
	found := namesIn(t, bin)
	if len(found) < 1000 { // 2.1.332 has about 1,900
		t.Fatalf("only %d names were found in %s: the scan does not fit this program any more", len(found), bin)
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if shaped.MatchString(name) && !allowed(name) && refusedReason(name) == "" && !slices.ContainsFunc(reviewed, func(r string) bool { return names(r, name) }) {
			t.Errorf("%s is classified by nothing: refuse it (refuse.go), allow it (allow.go), or write it into testdata/reviewed/claude.txt with what it does", name)
		}
	}
}

// A name that nobody has seen yet fails the gate, and one that was reviewed does not.
func TestDriftIsSeen(t *testing.T) {
	_, reviewed := reviewedNames(t, "testdata/reviewed/claude.txt")
	for name, known := range map[string]bool{
		"CLAUDE_CODE_NEW_HOOK_COMMAND": false, "ANTHROPIC_SECOND_API_KEY": false, "CLAUDE_CODE_OTHER_SHELL": false,
		"ANTHROPIC_API_KEY": true, "ANTHROPIC_BASE_URL": true, "CLAUDE_CODE_SHELL_PREFIX": true, "NODE_OPTIONS": true,
	} {
		got := allowed(name) || refusedReason(name) != "" || slices.ContainsFunc(reviewed, func(r string) bool { return names(r, name) })
		if !shaped.MatchString(name) || got != known {
			t.Errorf("%s: shaped %v, classified %v, want %v", name, shaped.MatchString(name), got, known)
		}
	}
}

// shaped are the names that have to be looked at: what may hold a credential, what may
// name something to run or to load, what loosens, and where requests go.
var shaped = regexp.MustCompile(`TOKEN|SECRET|PASSW|PASSPHRASE|CRED|APIKEY|` +
	`(^|_)(KEYS?|AUTH|COOKIE|DSN|PAT|PRIVATE|SIGNATURE|JWT|BEARER|HEADERS?|CERT|PWD|PASS|DESCRIPTOR|` +
	`EXEC|EXECPATH|EXECUTABLES?|COMMAND|CMD|HOOKS?|PLUGINS?|WRAPPER|BINARY|BIN|PRELOAD|LOADER|SHELL|SCRIPTS?|HELPER|LAUNCHER|` +
	`SETTINGS|SANDBOX|SANDBOXED|PERMISSIONS?|TRUST|BYPASS|DANGEROUSLY|INSPECT|INSPECTOR|UNATTENDED|OVERRIDES?|MODULES?|PATH|DIRS?|ENV|CONFIG|OPTIONS|` +
	`URL|ENDPOINT|HOST|HOSTS|PROXY|SOCKET|REJECT|INSECURE|UNSAFE)(_|$)`)

// names reports whether a reviewed name, or a family that ends in *, is this one.
func names(reviewed, name string) bool {
	prefix, family := strings.CutSuffix(reviewed, "*")
	return reviewed == name || family && strings.HasPrefix(name, prefix)
}

// reviewedNames reads the version and the names of a list. A line that begins with #
// says of what follows why it may stand as it is.
func reviewedNames(t *testing.T, path string) (version string, list []string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	reason := false
	for i, line := range strings.Split(strings.TrimSpace(string(b)), "\n") {
		switch {
		case i == 0:
			version = strings.TrimPrefix(line, "version ")
		case strings.HasPrefix(line, "#"):
			reason = true
		case !reason && line != "":
			t.Errorf("%s: line %d has no reason above it", path, i+1)
		default:
			list = append(list, strings.Fields(line)...)
		}
	}
	return version, list
}

// read names one way in which the agent's own code says that it reads a variable, and
// families the beginnings of names that count wherever they stand as a word.
var (
	read     = "env."
	families = []string{
		"ANTHROPIC_", "CLAUDE", "DISABLE_", "ENABLE_", "MCP_", "BASH_", "BUN_", "NODE_", "GIT_", "LD_", "DYLD_",
		"AWS_", "AZURE_", "GOOGLE_", "GCE_", "GH_", "GITHUB_", "OTEL_", "VERTEX_", "HTTP_", "HTTPS_", "SSL_", "SELF_HOSTED_", "CCR_",
	}
)

// namesIn finds the names of environment variables in a program: what its code reads
// from the environment, and quoted words of the families.
func namesIn(t *testing.T, path string) map[string]bool {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	out := map[string]bool{}
	r := bufio.NewReaderSize(f, 1<<20)
	var word []byte
	before := make([]byte, 0, len(read)) // what stood before the word
	for {
		c, err := r.ReadByte()
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		if c >= 'A' && c <= 'Z' || len(word) > 0 && (c == '_' || c >= '0' && c <= '9') {
			if len(word) < 128 {
				word = append(word, c)
			}
			continue
		}
		whole := !(c >= 'a' && c <= 'z' || c == '$')
		if len(word) > 3 && whole && variable(string(before), string(word)) {
			out[string(word)] = true
		}
		if len(word) > 0 {
			word, before = word[:0], before[:0]
		}
		if len(before) == len(read) {
			before = append(before[:0], before[1:]...)
		}
		before = append(before, c)
	}
}

func variable(before, word string) bool {
	if before == read {
		return true
	}
	return before != "" && strings.ContainsRune(".\"'`", rune(before[len(before)-1])) && strings.Contains(word, "_") &&
		slices.ContainsFunc(families, func(f string) bool { return strings.HasPrefix(word, f) && len(word) > len(f) })
}
