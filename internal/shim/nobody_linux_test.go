package shim

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"vyre/internal/shim/shimtest"
)

// runAsNobody runs this test again as an ordinary user, as root may read
// everything.
func runAsNobody(t *testing.T, _ *bench) {
	t.Helper()
	dir, err := os.MkdirTemp("", "vyre-nobody-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	self, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(dir, "test")
	if err := os.WriteFile(bin, self, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "program"), shimtest.Program(t), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(bin, "-test.run=^"+t.Name()+"$", "-test.v", "-test.timeout=30s")
	cmd.Dir = dir
	cmd.Env = []string{"TMPDIR=" + dir, "PATH=/usr/bin:/bin", shimtest.ProgramFile + "=" + filepath.Join(dir, "program")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Fatal(fmt.Errorf("as an ordinary user: %w\n%s", err, out))
	}
}
