package agenttest

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"vyre/agent"
	"vyre/internal/fake"
)

// ModelAPI is the scripted model on loopback.
type ModelAPI = fake.API

// Gate holds answers of the model until it is opened.
type Gate = fake.Gate

// Words is the text that the script line "words n" makes.
func Words(n int) string { return fake.Words(n) }

// Fill is the text that "$FILL:n" in a script stands for.
func Fill(n int) string { return fake.Fill(n) }

// API starts a model API that ends with the test.
func API(t testing.TB) *ModelAPI {
	t.Helper()
	a, err := fake.Start()
	if err != nil {
		t.Fatalf("start the model API: %v", err)
	}
	t.Cleanup(a.Close)
	return a
}

// Home is one test's world: nothing in it is the person's.
type Home struct {
	Dir    string   // HOME
	Config string   // where the agent keeps its files
	CWD    string   // the session's folder, empty
	Env    []string // the agent's whole environment
	Binary string   // the agent's program
}

// Claude makes a home for Claude Code whose model is api.
func Claude(t testing.TB, api *ModelAPI) *Home {
	t.Helper()
	h := &Home{Dir: t.TempDir(), Binary: ClaudeBinary(t)}
	h.Config, h.CWD = filepath.Join(h.Dir, "config"), filepath.Join(h.Dir, "work")
	for _, d := range []string{h.Config, h.CWD} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	h.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + h.Dir, "LANG=C.UTF-8", "SHELL=/bin/bash", "USER=tester",
		"CLAUDE_CONFIG_DIR=" + h.Config,
		"ANTHROPIC_BASE_URL=" + api.URL, "ANTHROPIC_API_KEY=" + DummyKey,
		"CLAUDE_CODE_MAX_RETRIES=2",
	}
	return h
}

// DummyKey is the credential in a home's environment.
const DummyKey = "dummy-key-for-the-scripted-model"

// Options are those of Query and Open for this home.
func (h *Home) Options(more ...agent.QueryOption) []agent.QueryOption {
	return append([]agent.QueryOption{
		agent.WithCWD(h.CWD), agent.WithEnv(h.Env), agent.WithBinary(h.Binary),
	}, more...)
}

// AgentOptions are the same for callers that hold the process themselves.
func (h *Home) AgentOptions() agent.Options {
	return agent.Options{CWD: h.CWD, Env: h.Env, Binary: h.Binary}
}

// ClaudeBinary finds the pinned Claude Code, or fails the test.
func ClaudeBinary(t testing.TB) string {
	t.Helper()
	if p := os.Getenv("VYRE_TEST_CLAUDE"); p != "" {
		if _, err := os.Stat(p); err != nil {
			t.Fatalf("VYRE_TEST_CLAUDE names no program: %v", err)
		}
		return p
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	rel := filepath.Join("agents", "node_modules", "@anthropic-ai", "claude-agent-sdk-"+platform(), "claude")
	for {
		p := filepath.Join(dir, rel)
		if _, err := os.Stat(p); err == nil {
			return p
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Fatal("Claude Code is not installed for tests: run `make agents`, or set VYRE_TEST_CLAUDE to its program")
		}
		dir = up
	}
}

// platform is the vendor's word for this machine.
func platform() string {
	arch := runtime.GOARCH
	if arch == "amd64" {
		arch = "x64"
	}
	return runtime.GOOS + "-" + arch
}
