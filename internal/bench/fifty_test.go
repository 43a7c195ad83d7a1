package bench

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"vyre"
	"vyre/internal/client"
)

// BenchmarkFifty: fifty threads that stream at once, on a light peer of Claude
// Code's protocol through the real session parents: what is measured is the daemon.
func BenchmarkFifty(b *testing.B) {
	const threads, words = 50, 200
	h := newHome(b)
	peer := filepath.Join(b.TempDir(), "claude")
	build := exec.Command("go", "build", "-o", peer, "./internal/fake/claudepeer")
	build.Dir = filepath.Join("..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	cfg := fmt.Sprintf("[sessions]\nmax_live = %d\nidle_minutes = 0\n[providers.claude]\nruntime = %q\n", threads, peer)
	if err := os.WriteFile(filepath.Join(h.dir, "config.toml"), []byte(cfg), 0o600); err != nil {
		b.Fatal(err)
	}
	h.start()
	settle()
	pid := h.cmd.Process.Pid
	empty := rss(b, pid)
	ids := make([]vyre.ThreadID, threads)
	for i := range ids {
		ids[i] = h.begin("")
	}
	settle()
	idle, idleCPU := rss(b, pid), cpu(b, pid)
	settle()
	idleCPU = cpu(b, pid) - idleCPU

	head := h.head()
	script := fmt.Sprintf("words %d every 50ms", words)
	before, begun := cpu(b, pid), time.Now()
	var senders sync.WaitGroup
	for _, id := range ids {
		senders.Go(func() {
			in := map[string]any{"thread": id, "text": script}
			if err := h.client.Call(b.Context(), "threads.send", in, nil); err != nil {
				b.Error(err)
			}
		})
	}
	finished, deltas, peak := 0, 0, int64(0)
	ctx, cancel := context.WithTimeout(b.Context(), 2*time.Minute)
	defer cancel()
	for e, err := range h.client.Events(ctx, head, client.EventsOptions{Follow: true}) {
		if err != nil {
			b.Fatal(err)
		}
		switch e.Kind {
		case vyre.EvThreadText:
			if deltas++; deltas%500 == 0 {
				peak = max(peak, rss(b, pid))
			}
		case vyre.EvThreadFinished:
			finished++
		}
		if finished == threads {
			break
		}
	}
	senders.Wait()
	took, used := time.Since(begun), cpu(b, pid)-before
	if deltas == 0 {
		b.Fatal("nothing streamed")
	}
	report("daemon RSS, 50 idle threads", mb(idle), "≤ 80 MB", fmt.Sprintf("%s each over an empty home's %s", mb((idle-empty)/threads), mb(empty)))
	report("daemon CPU, 50 idle threads", fmt.Sprintf("%.2f %% of a core", 100*idleCPU.Seconds()/10), "≤ 1 %", "over 10 s")
	report("daemon CPU, 50 threads streaming 20 words a second each", fmt.Sprintf("%.0f %% of a core, %s a delta", 100*used.Seconds()/took.Seconds(), ms(used/time.Duration(deltas))),
		"≤ 0.3 ms a delta", fmt.Sprintf("%d events with words in %.1f s, one subscriber", deltas, took.Seconds()))
	report("daemon RSS, at most, meanwhile", mb(peak), "≤ 120 MB", "")
}
