package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"vyre"
	"vyre/internal/store/sqlite"
)

// stored opens the store of a home that does not run, lets f write, and closes it.
func stored(b *testing.B, dir string, f func(ctx context.Context, commit func(*vyre.Commit))) {
	db, err := sqlite.Open(b.Context(), filepath.Join(dir, "private", "vyre.db"), sqlite.Options{})
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.Context())
	var wg sync.WaitGroup
	wg.Go(func() { _ = db.Run(ctx) })
	f(ctx, func(c *vyre.Commit) {
		if err := db.Commit(ctx, c); err != nil {
			b.Fatal(err)
		}
	})
	if err := db.Close(); err != nil {
		b.Fatal(err)
	}
	cancel()
	wg.Wait()
}

func thread(i int) vyre.Thread {
	return vyre.Thread{
		ID: vyre.NewThreadID(), Provider: "claude", Driver: "claude", Mode: vyre.ModeAsk, State: vyre.StateStopped,
		Reason: vyre.StopPerson, Purpose: "chat", Project: fmt.Sprint("project ", i%50), CWD: "/home/someone/work",
		Name: fmt.Sprint("thread ", i), Created: 1, Updated: vyre.Time(i/3 + 1), Archived: i%10 == 0,
	}
}

// BenchmarkList: threads.list over 5,000 threads, as a client of the socket sees it.
func BenchmarkList(b *testing.B) {
	h := newHome(b)
	const n = 5000
	stored(b, h.dir, func(_ context.Context, commit func(*vyre.Commit)) {
		for i := 0; i < n; i += 500 {
			c := &vyre.Commit{}
			for j := range 500 {
				c.Threads = append(c.Threads, thread(i+j))
			}
			commit(c)
		}
	})
	h.start()
	measure := func(what string, in map[string]any) {
		var all []time.Duration
		for range 40 {
			begun := time.Now()
			h.call("threads.list", in, nil)
			all = append(all, time.Since(begun))
		}
		report(what, fmt.Sprintf("p50 %s, p95 %s", ms(at(all, .5)), ms(at(all, .95))), "≤ 50 ms", "over the socket, 40 calls")
	}
	measure("threads.list of 5,000 threads, first page of 50", map[string]any{})
	measure("threads.list of 5,000 threads, first page of 200", map[string]any{"limit": 200})
	measure("threads.list of 5,000 threads, one project of 50", map[string]any{"project": "project 7", "limit": 200})
	measure("threads.list of 5,000 threads, a filter that nothing fits", map[string]any{"state": "running"})
	var walks []time.Duration
	for range 5 {
		begun, seen, next := time.Now(), 0, ""
		for {
			var page struct {
				Threads []struct{ Thread vyre.ThreadID }
				Next    string
			}
			h.call("threads.list", map[string]any{"limit": 200, "next": next}, &page)
			if seen += len(page.Threads); page.Next == "" {
				break
			}
			next = page.Next
		}
		if seen != n-n/10 {
			b.Fatalf("%d of %d threads were listed", seen, n-n/10)
		}
		walks = append(walks, time.Since(begun))
	}
	report("threads.list of 5,000 threads, every page", ms(at(walks, .5)), "", "200 a page, 4,500 that are not archived")
}

// BenchmarkTimeline: the last page of a timeline of 100,000 items with outputs of
// megabytes in it, and what that costs the daemon in memory.
func BenchmarkTimeline(b *testing.B) {
	h := newHome(b)
	const n = 100_000
	th := thread(1)
	stored(b, h.dir, func(_ context.Context, commit func(*vyre.Commit)) {
		commit(&vyre.Commit{Threads: []vyre.Thread{th}})
		for i := 0; i < n; i += 1000 {
			c := &vyre.Commit{Events: []vyre.Event{{Kind: "x.y", Thread: th.ID}}}
			for j := range 1000 {
				c.Items = append(c.Items, vyre.Item{
					ID: vyre.ItemID(fmt.Sprint("i", i+j)), Thread: th.ID, Kind: vyre.ItemText, Status: vyre.ItemCompleted,
					Text: strings.Repeat("some words of an answer ", 20), Created: 1,
				})
			}
			commit(c)
		}
		for i, size := range []int{5 << 20, 50 << 20} {
			id := vyre.ItemID(fmt.Sprint("out", i))
			body, err := json.Marshal(vyre.ToolBody{
				Tool: "Bash", Output: json.RawMessage(`"the beginning"`),
				OutputRef: &vyre.OutputRef{Ref: id, Bytes: int64(size), Form: vyre.OutputText, Truncated: true},
			})
			if err != nil {
				b.Fatal(err)
			}
			commit(&vyre.Commit{
				Items:   []vyre.Item{{ID: id, Thread: th.ID, Kind: vyre.ItemTool, Status: vyre.ItemCompleted, Body: body, Created: 1}},
				Outputs: []vyre.Output{{Item: id, Bytes: []byte(strings.Repeat("x", size))}},
				Events:  []vyre.Event{{Kind: "x.y", Thread: th.ID}},
			})
		}
	})
	h.start()
	settle()
	before := rss(b, h.cmd.Process.Pid)
	var last, out []time.Duration
	for range 40 {
		begun := time.Now()
		h.call("threads.items", map[string]any{"thread": th.ID}, nil)
		last = append(last, time.Since(begun))
		begun = time.Now()
		h.call("threads.output", map[string]any{"thread": th.ID, "item": "out1", "offset": 40 << 20}, nil)
		out = append(out, time.Since(begun))
	}
	report("last page of a timeline of 100,000 items", fmt.Sprintf("p50 %s, p95 %s", ms(at(last, .5)), ms(at(last, .95))), "≤ 50 ms",
		"50 items, outputs of 5 and 50 MB among them")
	report("64 KB from the middle of an output of 50 MB", fmt.Sprintf("p50 %s, p95 %s", ms(at(out, .5)), ms(at(out, .95))), "≤ 50 ms", "over the socket")
	report("daemon RSS that 40 such pages and pieces add", mb(rss(b, h.cmd.Process.Pid)-before), "≤ 16 MB", "before "+mb(before))
}

// BenchmarkLargeStore: from exec to the first answer on a database of hundreds of
// megabytes that a crash left with its write-ahead log. Two gigabytes would take
// minutes to write; a start reads a handful of rows whatever the size.
func BenchmarkLargeStore(b *testing.B) {
	h := newHome(b)
	const size = 400 << 20
	stored(b, h.dir, func(_ context.Context, commit func(*vyre.Commit)) {
		th := thread(1)
		commit(&vyre.Commit{Threads: []vyre.Thread{th}})
		for i := range size >> 20 {
			commit(&vyre.Commit{
				Items:  []vyre.Item{{ID: vyre.ItemID(fmt.Sprint(i)), Thread: th.ID, Kind: vyre.ItemRaw, Status: vyre.ItemCompleted, Text: strings.Repeat("x", 1<<20)}},
				Events: []vyre.Event{{Kind: "x.y", Thread: th.ID}},
			})
		}
	})
	h.start()
	h.begin("say something to write")
	h.kill()
	all := readies(h)
	h.start()
	report("ready, a database of 400 MB, after kill -9", ms(at(all, .5)), "≤ 1 s", "max "+ms(at(all, 1)))
}
