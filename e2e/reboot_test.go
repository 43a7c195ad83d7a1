package e2e

import (
	"database/sql"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"
	_ "modernc.org/sqlite" // the store of a daemon that does not run

	"vyre"
)

// anotherBoot is the boot id of a machine that was restarted since.
const anotherBoot = "00000000-0000-4000-8000-000000000000"

// cmdReboot leaves the home as a machine's restart does: every process is gone at once,
// the parents of sessions without a word, and what they recorded is of another boot.
// The sockets' folder is gone too, as it lies in memory.
func cmdReboot(ts *testscript.TestScript, _ bool, _ []string) {
	s := stageOf(ts)
	var out struct{ Threads []vyre.Thread }
	s.call("threads.list", map[string]any{"limit": 200}, &out)
	var pids []int
	for _, th := range out.Threads {
		pids = append(pids, s.pids(th.ID)...)
	}
	ts.Check(s.cmd.Process.Kill())
	<-s.exited
	for _, parents := range []bool{true, false} { // else they would note how their agents ended
		for _, pid := range pids {
			b, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
			if strings.HasPrefix(string(b), "vyre-shim") == parents {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
	}
	s.goneAll(pids)
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	ts.Check(err)
	records, err := filepath.Glob(filepath.Join(s.dir, "private", "sessions", "*", "shim.json"))
	ts.Check(err)
	for _, path := range records {
		b, err := os.ReadFile(path)
		ts.Check(err)
		ts.Check(os.WriteFile(path, []byte(strings.ReplaceAll(string(b), strings.TrimSpace(string(boot)), anotherBoot)), 0o600))
	}
	ts.Check(os.RemoveAll(s.runtimeDir()))
	db, err := sql.Open("sqlite", filepath.Join(s.dir, "private", "vyre.db"))
	ts.Check(err)
	defer db.Close()
	res, err := db.Exec("UPDATE sessions SET boot_id = ? WHERE state <> 'ended'", anotherBoot)
	ts.Check(err)
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		ts.Fatalf("no session was running: %v", err)
	}
}
