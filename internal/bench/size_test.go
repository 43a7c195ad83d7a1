package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"vyre"
	"vyre/internal/store/sqlite"
)

// BenchmarkSize: the binary, the daemon's memory idle and for each idle thread,
// and the shim's.
func BenchmarkSize(b *testing.B) {
	st, err := os.Stat(vyreBin(b))
	if err != nil {
		b.Fatal(err)
	}
	report("binary", mb(st.Size()), "≤ 25 MB", "stripped, with the page and the shim in it")
	h := newHome(b)
	h.start()
	settle()
	idle := rss(b, h.cmd.Process.Pid)
	report("daemon RSS, idle, empty home", mb(idle), "≤ 25 MB", "10 s after it was ready")
	const n = 5
	var shims []int64
	for range n {
		id := h.begin("say hello")
		shims = append(shims, rss(b, shimOf(b, h, id)))
	}
	settle()
	each := (rss(b, h.cmd.Process.Pid) - idle) / n
	report("daemon RSS for each idle thread more", mb(each), "≤ 1 MB", fmt.Sprintf("%d threads on the real agent, each after a turn", n))
	var sum int64
	for _, s := range shims {
		sum += s
	}
	report("shim RSS", mb(sum/n), "≤ 6 MB", "after a turn")
}

// settle lets a process give back what its start needed; there is no event for it.
func settle() {
	t := time.NewTimer(10 * time.Second)
	<-t.C
}

func shimOf(b *testing.B, h *home, id vyre.ThreadID) int {
	var out struct{ Pids []int }
	h.call("threads.pids", map[string]any{"thread": id}, &out)
	for _, pid := range out.Pids {
		raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		argv0, _, _ := strings.Cut(string(raw), "\x00")
		if filepath.Base(argv0) == "vyre-shim" {
			return pid
		}
	}
	b.Fatal("no shim")
	return 0
}

// BenchmarkReady: from exec to the first answer on the socket, on an empty home
// and with 100,000 events, 1,000 threads and live sessions.
func BenchmarkReady(b *testing.B) {
	h := newHome(b)
	empty := readies(h)
	fill(b, filepath.Join(h.dir, "private", "vyre.db"))
	full := readies(h)
	h.start()
	for range 6 {
		h.begin("")
	}
	h.kill()
	live := readies(h)
	h.start()
	report("ready, empty home", ms(at(empty, .5)), "≤ 150 ms", fmt.Sprintf("exec → first answer on the socket, %d starts; max %s", len(empty), ms(at(empty, 1))))
	report("ready, 100,000 events and 1,000 threads", ms(at(full, .5)), "≤ 150 ms", "max "+ms(at(full, 1)))
	report("ready, the same and 6 live sessions, after kill -9", ms(at(live, .5)), "≤ 150 ms", "max "+ms(at(live, 1)))
}

func readies(h *home) []time.Duration {
	var out []time.Duration
	for range 9 {
		h.start()
		out = append(out, h.ready)
		h.kill()
	}
	return out
}

// fill writes a store of 1,000 threads with 100 events each.
func fill(b *testing.B, path string) {
	db, err := sqlite.Open(b.Context(), path, sqlite.Options{})
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.Context())
	var wg sync.WaitGroup
	wg.Go(func() { _ = db.Run(ctx) })
	for i := range 1000 {
		th := vyre.Thread{
			ID: vyre.NewThreadID(), Provider: "claude", Driver: "claude", Mode: vyre.ModeAsk, State: vyre.StateStopped,
			Reason: vyre.StopPerson, Purpose: "chat", CWD: "/", Name: fmt.Sprint("thread ", i), Created: 1, Updated: vyre.Time(i + 1),
		}
		c := vyre.Commit{Threads: []vyre.Thread{th}}
		for range 100 {
			c.Events = append(c.Events, vyre.NewEvent(th.ID, "", vyre.ThreadText{Item: "x", Kind: vyre.ItemText, Text: "some words of a stream "}))
		}
		if err := db.Commit(ctx, &c); err != nil {
			b.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		b.Fatal(err)
	}
	cancel()
	wg.Wait()
}
