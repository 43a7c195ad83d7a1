package sqlite

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"vyre"
)

// crashChild names the environment variable that makes this test binary the
// process that is killed: its value is the path of the store.
const crashChild = "VYRE_STORE_CRASH_CHILD"

type acknowledged struct {
	Seq   vyre.Seq
	Label string
}

// crashMain commits from many goroutines for ever and tells each acknowledged
// event on standard output, one line in one write.
func crashMain(path string) error {
	ctx := context.Background()
	db, err := Open(ctx, path, Options{})
	if err != nil {
		return err
	}
	go func() { _ = db.Run(ctx) }()
	var n atomic.Int64
	failed := make(chan error, 1)
	for range 16 {
		go func() {
			for {
				label := fmt.Sprintf("%d-%d", os.Getpid(), n.Add(1))
				data, _ := json.Marshal(label)
				c := &vyre.Commit{Durable: len(label)%2 == 0, Events: []vyre.Event{{Kind: "x.a", Data: data}, {Kind: "x.b", Data: data}}}
				if err := db.Commit(ctx, c); err != nil {
					failed <- err
					return
				}
				line, _ := json.Marshal(acknowledged{c.Events[0].Seq, label})
				if _, err := os.Stdout.Write(append(line, '\n')); err != nil {
					failed <- err
					return
				}
			}
		}()
	}
	return <-failed
}

func TestKilledStoreKeepsWhatItAcknowledged(t *testing.T) {
	// 30 times, a process that commits is killed with -9 at a random moment: after
	// each, all that it acknowledged is there under the number it was told, no
	// number was ever given to two events, and the chain verifies.
	path := filepath.Join(t.TempDir(), "vyre.db")
	known := map[vyre.Seq]string{}
	loops := 30
	if testing.Short() {
		loops = 5
	}
	for loop := range loops {
		acked := runAndKill(t, path, 1+rand.IntN(600))
		db, err := Open(t.Context(), path, Options{})
		must(t, err)
		stored := map[vyre.Seq]string{}
		for _, e := range readAll(t, db) {
			var label string
			must(t, json.Unmarshal(e.Data, &label))
			stored[e.Seq] = label
		}
		for _, a := range acked {
			if was, ok := known[a.Seq]; ok && was != a.Label {
				t.Fatalf("loop %d: number %d was given to %q and %q", loop, a.Seq, was, a.Label)
			}
			known[a.Seq], known[a.Seq+1] = a.Label, a.Label
		}
		for seq, label := range known {
			if stored[seq] != label {
				t.Fatalf("loop %d: event %d was acknowledged as %q, is %q", loop, seq, label, stored[seq])
			}
		}
		// unacknowledged ones that made it count too
		maps.Copy(known, stored)
		must(t, db.Verify(t.Context()))
		must(t, db.Close())
	}
}

// runAndKill runs the child until it has told n lines, kills it, and returns all
// lines that it told.
func runAndKill(t *testing.T, path string, n int) []acknowledged {
	t.Helper()
	exe, err := os.Executable()
	must(t, err)
	cmd := exec.CommandContext(t.Context(), exe)
	cmd.Env = append(os.Environ(), crashChild+"="+path)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	var once sync.Once
	var acked []acknowledged
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var a acknowledged
		if json.Unmarshal(lines.Bytes(), &a) != nil {
			continue // the last line, cut by the kill
		}
		acked = append(acked, a)
		if len(acked) >= n {
			once.Do(func() { must(t, cmd.Process.Kill()) })
		}
	}
	_ = cmd.Wait() // killed
	if len(acked) < n {
		t.Fatalf("the child ended after %d lines", len(acked))
	}
	return acked
}

func readAll(tb testing.TB, db *DB) []vyre.Event {
	tb.Helper()
	var out []vyre.Event
	for after := vyre.Seq(0); ; {
		evs, err := db.Since(tb.Context(), after, 1000)
		must(tb, err)
		if len(evs) == 0 {
			return out
		}
		out, after = append(out, evs...), evs[len(evs)-1].Seq
	}
}
