// Package shimtest builds the parent of sessions for tests.
//
// It owns nothing but that one build. Any test that starts sessions hands the
// bytes to shim.Config.Program, so that it does not depend on `make build`. It
// starts no goroutine; the build happens once per test process and leaves no
// file behind.
package shimtest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
)

// Program returns the built vyre-shim. It fails the test when it does not build.
func Program(t testing.TB) []byte {
	t.Helper()
	return result(t, plain)
}

// FailingProgram returns a vyre-shim that honours VYRE_FAIL (package fail).
func FailingProgram(t testing.TB) []byte {
	t.Helper()
	return result(t, failing)
}

// ProgramFile is an environment variable that names a built vyre-shim to take
// instead: for a test that runs itself again where there is no Go.
const ProgramFile = "VYRE_TEST_SHIM"

var (
	plain   = sync.OnceValues(func() ([]byte, error) { return build() })
	failing = sync.OnceValues(func() ([]byte, error) { return build("-tags", "failpoints") })
)

func result(t testing.TB, f func() ([]byte, error)) []byte {
	t.Helper()
	b, err := f()
	if err != nil {
		t.Fatalf("vyre-shim does not build: %v", err)
	}
	return b
}

func build(flags ...string) ([]byte, error) {
	if path := os.Getenv(ProgramFile); path != "" {
		return os.ReadFile(path)
	}
	_, file, _, ok := runtime.Caller(0)
	if !ok {
		return nil, fmt.Errorf("no source path")
	}
	dir, err := os.MkdirTemp("", "vyre-shim-build-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "vyre-shim")
	args := append([]string{"build", "-trimpath", "-ldflags", "-s -w"}, flags...)
	cmd := exec.CommandContext(context.Background(), "go", append(args, "-o", out, "vyre/cmd/vyre-shim")...)
	cmd.Dir = filepath.Dir(file) // inside the module, whatever the test's folder is
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if msg, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, msg)
	}
	return os.ReadFile(out)
}
