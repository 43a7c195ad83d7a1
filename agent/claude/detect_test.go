package claude_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vyre"
	"vyre/agent/agenttest"
	"vyre/agent/claude"
)

// program writes a shell script and returns its path.
func program(t *testing.T, body string, mode os.FileMode) string {
	t.Helper()
	p := filepath.Join(t.TempDir(), "claude")
	if err := os.WriteFile(p, []byte("#!/bin/sh\n"+body+"\n"), mode); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestDetect(t *testing.T) {
	// The pinned program is found without a warning; another version runs and says so.
	in, err := provider.Detect(t.Context(), agenttest.ClaudeBinary(t))
	if err != nil || in.Version != claude.Pinned || in.Warning != "" {
		t.Errorf("the pinned one: %+v, %v", in, err)
	}
	p := program(t, `echo "99.1.0 (Claude Code)"`, 0o755)
	in, err = claude.New(claude.WithSearchPath(filepath.Dir(p)), claude.WithHome("")).Detect(t.Context(), "")
	if err != nil || in.Path != p || in.Version != "99.1.0" || in.Pinned != claude.Pinned || in.Warning == "" {
		t.Errorf("a newer one in the search path: %+v, %v", in, err)
	}
}

func TestDetectRefuses(t *testing.T) {
	// A program that is missing or broken is unavailable within seconds, with what helps.
	for name, c := range map[string]struct {
		path string
		says string
	}{
		"missing":        {filepath.Join(t.TempDir(), "claude"), "no program"},
		"a folder":       {t.TempDir(), "not a program"},
		"not executable": {program(t, "", 0o644), "not a program"},
		"too old":        {program(t, "echo '2.0.1 (Claude Code)'", 0o755), "too old"},
		"dies at once":   {program(t, "echo broken pipe fitting >&2; exit 3", 0o755), "broken pipe fitting"},
		"prints nothing": {program(t, "", 0o755), "does not say its version"},
		"something else": {program(t, "echo hello", 0o755), "does not say its version"},
		"hangs":          {program(t, "sleep 60 & sleep 60", 0o755), "did not answer"},
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			_, err := provider.Detect(t.Context(), c.path)
			e := vyre.AsError(err)
			if e == nil || e.Code != vyre.CodeUnavailable || !strings.Contains(e.Message, c.says) || e.Hint == "" {
				t.Errorf("got %v", err)
			}
			if d := time.Since(began); d > 8*time.Second {
				t.Errorf("it took %s", d)
			}
		})
	}
	_, err := claude.New(claude.WithSearchPath(""), claude.WithHome(t.TempDir())).Detect(t.Context(), "")
	if vyre.CodeOf(err) != vyre.CodeUnavailable && err != nil { // a machine may have one in its common places
		t.Errorf("nowhere: %v", err)
	}
}

func TestDetectIsCutShort(t *testing.T) {
	// A caller that gives up is not kept waiting.
	ctx, cancel := context.WithTimeoutCause(t.Context(), 100*time.Millisecond, errors.New("enough"))
	defer cancel()
	_, err := provider.Detect(ctx, program(t, "sleep 60", 0o755))
	if vyre.CodeOf(err) != vyre.CodeTimeout {
		t.Errorf("got %v", err)
	}
}
