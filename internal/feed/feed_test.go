package feed

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"

	"vyre"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// memory is a log in a slice, with room for what is not published yet.
type memory struct {
	mu     sync.Mutex
	events []vyre.Event
	floor  vyre.Seq
	head   vyre.Seq // published
	reads  int
	during func() // called inside Since, before it reads
}

func (m *memory) Holds(_ context.Context, n vyre.Seq) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, e := range m.events {
		if e.Seq == n || e.Seq == n+1 {
			return true, nil
		}
	}
	return false, nil
}

func (m *memory) Since(_ context.Context, after vyre.Seq, limit int) ([]vyre.Event, error) {
	if m.during != nil {
		m.during()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reads++
	var out []vyre.Event
	for _, e := range m.events {
		if e.Seq > after && len(out) < limit {
			out = append(out, e)
		}
	}
	return out, nil
}

func (m *memory) Bounds(context.Context) (floor, head vyre.Seq, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.floor, m.head, nil
}

// write adds events as the store's writer does: first the table, then the feed.
func (m *memory) write(f *Feed, evs ...vyre.Event) {
	m.mu.Lock()
	m.events = append(m.events, evs...)
	m.head = evs[len(evs)-1].Seq
	m.mu.Unlock()
	f.Publish(evs)
}

// prune drops the events with these numbers.
func (m *memory) prune(seqs ...vyre.Seq) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.floor = max(m.floor, slices.Max(seqs))
	m.events = slices.DeleteFunc(m.events, func(e vyre.Event) bool { return slices.Contains(seqs, e.Seq) })
}

func event(n int) vyre.Event {
	return vyre.Event{
		Seq: vyre.Seq(n), Kind: []vyre.Kind{"k.a", "k.b", "k.c"}[n%3], Thread: vyre.ThreadID(fmt.Sprint("t", n%4)), Data: fmt.Appendf(nil, "%d", n),
	}
}

func events(from, to int) (out []vyre.Event) {
	for n := from; n <= to; n++ {
		out = append(out, event(n))
	}
	return out
}

func numbers(evs []vyre.Event) (out []int) {
	for _, e := range evs {
		out = append(out, int(e.Seq))
	}
	return out
}

// drain reads page by page until the head.
func drain(t *testing.T, f *Feed, after vyre.Seq, m Filter, limit int) (out []vyre.Event, next vyre.Seq) {
	t.Helper()
	for {
		evs, n, err := f.Since(t.Context(), after, m, limit)
		if err != nil {
			t.Fatalf("Since(%d): %v", after, err)
		}
		out, after = append(out, evs...), n
		if after >= f.Head() {
			return out, after
		}
	}
}

func TestEveryPlaceOfTheLogCanBeReadFrom(t *testing.T) {
	// From every cursor, with any filter and page, a reader gets exactly what comes
	// after and passes the filter, be it in the ring, behind it or across its edge;
	// numbers that no event has are passed over, and a cursor among them is a gap:
	// what it had seen is lost.
	log := &memory{}
	f := New(log, 16)
	log.write(f, events(1, 30)...)
	log.write(f, events(41, 60)...) // 31–40 were burned by a crash
	for _, m := range []Filter{{}, {Thread: "t1"}, {Kinds: []vyre.Kind{"k.a", "k.c"}}, {Thread: "t2", Kinds: []vyre.Kind{"k.b"}}, {Thread: "none"}} {
		for after := range vyre.Seq(61) {
			if after > 30 && after < 40 {
				if _, _, err := f.Since(t.Context(), after, m, 0); vyre.CodeOf(err) != vyre.CodeGap {
					t.Fatalf("cursor %d in a hole: %v", after, err)
				}
				continue
			}
			for _, limit := range []int{0, 1, 7, 1000} {
				var want []int
				for _, e := range log.events {
					if e.Seq > after && m.takes(&e) {
						want = append(want, int(e.Seq))
					}
				}
				got, next := drain(t, f, after, m, limit)
				if !slices.Equal(numbers(got), want) || next != 60 {
					t.Fatalf("%+v after %d by %d: %v, want %v (next %d)", m, after, limit, numbers(got), want, next)
				}
			}
		}
	}
}

func TestReadersAtTheHeadStayOffTheDisk(t *testing.T) {
	// A reader whose cursor is within the ring never asks the log for events.
	log := &memory{}
	f := New(log, 64)
	after := vyre.Seq(0)
	for n := 1; n <= 500; n += 5 {
		log.write(f, events(n, n+4)...)
		got, next := drain(t, f, after, Filter{}, 0)
		if len(got) != 5 || next != vyre.Seq(n+4) {
			t.Fatalf("at %d: %v", n, numbers(got))
		}
		after = next
	}
	if log.reads != 0 {
		t.Errorf("the log was read %d times", log.reads)
	}
}

func TestReaderCutOffFiftyTimes(t *testing.T) {
	// A reader that is cut off 50 times and goes on from its cursor has the same
	// bytes as one never cut, while events keep coming faster than the ring holds.
	log := &memory{}
	f := New(log, 32)
	const total = 20_000
	var wg sync.WaitGroup
	wg.Go(func() {
		for n := 1; n <= total; {
			k := min(1+rand.IntN(20), total-n+1)
			log.write(f, events(n, n+k-1)...)
			n += k
		}
	})
	read := func(cuts int) (out []byte) {
		after := vyre.Seq(0)
		for page := 1; after < total; page++ {
			ctx, leave := context.WithCancel(t.Context())
			if cuts > 0 && page%3 == 0 { // the connection is gone; the cursor is all that the client has
				cuts--
				leave()
			}
			more := readPage(ctx, t, f, &after)
			leave()
			out = append(out, more...)
		}
		if cuts > 0 {
			t.Errorf("%d cuts left", cuts)
		}
		return out
	}
	var whole, cut []byte
	wg.Go(func() { whole = read(0) })
	wg.Go(func() { cut = read(50) })
	wg.Wait()
	var want []byte
	for _, e := range log.events {
		want = fmt.Appendf(want, "%d %s %s\n", e.Seq, e.Kind, e.Data)
	}
	if string(whole) != string(want) || string(cut) != string(want) {
		t.Errorf("lengths: never cut %d, cut %d, want %d", len(whole), len(cut), len(want))
	}
}

func TestGapIsSaid(t *testing.T) {
	// A cursor beyond the head and one below the floor get gap with both bounds,
	// also when the ring still has the events; the floor itself and 0 are served.
	log := &memory{}
	f := New(log, 4)
	log.write(f, events(1, 20)...)
	log.prune(3, 18)
	for after, want := range map[vyre.Seq]vyre.Code{0: "", 1: vyre.CodeGap, 17: vyre.CodeGap, 18: "", 20: "", 21: vyre.CodeGap, 1 << 40: vyre.CodeGap} {
		_, _, err := f.Since(t.Context(), after, Filter{}, 0)
		if vyre.CodeOf(err) != want {
			t.Errorf("after %d: %v", after, err)
		}
		if want != "" {
			if d := vyre.AsError(err).Details; d["floor"] != vyre.Seq(18) || d["head"] != vyre.Seq(20) {
				t.Errorf("details %v", d)
			}
		}
	}
}

func TestCatchingUpFromTheStartIsNoGap(t *testing.T) {
	// A reader that began at 0 gets every event that is kept, page by page, although
	// others between them were pruned; one that had been at the same place before
	// the pruning gets gap.
	log := &memory{}
	f := New(log, 4)
	log.write(f, events(1, 20)...)
	log.prune(2, 3, 9, 15)
	got, next := drain(t, f, 0, Filter{}, 3)
	if want := []int{1, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 16, 17, 18, 19, 20}; !slices.Equal(numbers(got), want) || next != 20 {
		t.Errorf("%v, next %d", numbers(got), next)
	}
	if _, _, err := f.Since(t.Context(), 5, Filter{}, 3); vyre.CodeOf(err) != vyre.CodeGap {
		t.Errorf("a reader from before: %v", err)
	}
}

func TestPrunedWhileRead(t *testing.T) {
	// Events that are pruned between the look at the floor and the read are not
	// passed over in silence.
	log := &memory{}
	f := New(log, 2)
	log.write(f, events(1, 20)...)
	log.during = func() { log.prune(8) }
	if evs, _, err := f.Since(t.Context(), 5, Filter{}, 0); vyre.CodeOf(err) != vyre.CodeGap {
		t.Errorf("%v %v", numbers(evs), err)
	}
}

func TestWhatIsNotPublishedIsNotRead(t *testing.T) {
	// Events that are in the table but not published yet wait: a cursor never gets
	// ahead of the head.
	log := &memory{}
	f := New(log, 2)
	log.write(f, events(1, 20)...)
	log.events = append(log.events, events(21, 25)...)
	got, next := drain(t, f, 0, Filter{}, 0)
	if len(got) != 20 || next != 20 {
		t.Fatalf("%v, next %d", numbers(got), next)
	}
	f.Publish(events(21, 25))
	if got, next = drain(t, f, next, Filter{}, 0); !slices.Equal(numbers(got), []int{21, 22, 23, 24, 25}) || next != 25 {
		t.Fatalf("%v, next %d", numbers(got), next)
	}
}

// readPage waits and reads once, and moves the cursor only with what it returns.
func readPage(ctx context.Context, t *testing.T, f *Feed, after *vyre.Seq) (out []byte) {
	if f.Wait(ctx, *after) != nil || ctx.Err() != nil {
		return nil
	}
	evs, next, err := f.Since(ctx, *after, Filter{}, 1+rand.IntN(200))
	if err != nil {
		t.Error(err)
	}
	for _, e := range evs {
		out = fmt.Appendf(out, "%d %s %s\n", e.Seq, e.Kind, e.Data)
	}
	*after = next
	return out
}

// headed is a log that knows its head at once, as the store does.
type headed struct{ *memory }

func (h headed) Head() vyre.Seq { return h.memory.head }

func TestHeadAfterAStart(t *testing.T) {
	// A feed over a log that is not empty has its head before the first event: at
	// once where the log can tell it, else with the first read.
	log := &memory{events: events(1, 20), head: 20}
	if f := New(headed{log}, 4); f.Head() != 20 {
		t.Errorf("head %d", f.Head())
	}
	f := New(log, 4)
	if got, next := drain(t, f, 0, Filter{}, 7); len(got) != 20 || next != 20 || f.Head() != 20 {
		t.Errorf("%v, next %d, head %d", numbers(got), next, f.Head())
	}
}

func TestWaitWakes(t *testing.T) {
	// Wait returns at once when there is something after the cursor, else with the
	// next event, for all that wait, or with an error when its context ends.
	synctest.Test(t, func(t *testing.T) {
		log := &memory{}
		f := New(log, 4)
		log.write(f, event(1))
		if err := f.Wait(t.Context(), 0); err != nil {
			t.Fatal(err)
		}
		var woken sync.WaitGroup
		for range 3 {
			woken.Go(func() {
				if err := f.Wait(t.Context(), 1); err != nil {
					t.Error(err)
				}
			})
		}
		ctx, cancel := context.WithCancel(t.Context())
		left := make(chan error, 1)
		go func() { left <- f.Wait(ctx, 5) }()
		synctest.Wait()
		log.write(f, event(2))
		woken.Wait()
		synctest.Wait()
		select {
		case err := <-left:
			t.Fatalf("woken for nothing: %v", err)
		default:
		}
		cancel()
		if err := <-left; vyre.CodeOf(err) != vyre.CodeUnavailable {
			t.Errorf("after the end: %v", err)
		}
	})
}

func TestSlowReaderHoldsNobodyUp(t *testing.T) {
	// A reader that stopped in the middle of reading the log does not keep the
	// writer from publishing, nor others from reading.
	log := &memory{}
	f := New(log, 4)
	log.write(f, events(1, 20)...)
	inside, leave := make(chan struct{}), make(chan struct{})
	var once sync.Once
	log.during = func() { once.Do(func() { close(inside); <-leave }) }
	slow := make(chan []vyre.Event, 1)
	go func() {
		evs, _, _ := f.Since(context.WithoutCancel(t.Context()), 0, Filter{}, 0)
		slow <- evs
	}()
	<-inside
	log.write(f, events(21, 40)...)
	if got, _ := drain(t, f, 38, Filter{}, 0); len(got) != 2 {
		t.Errorf("%v", numbers(got))
	}
	close(leave)
	if got := <-slow; len(got) != 20 {
		t.Errorf("the slow one got %v", numbers(got))
	}
}

// BenchmarkSubscriber measures what one event costs one of eight readers at the
// head, wake-up and filter included.
func BenchmarkSubscriber(b *testing.B) {
	log := headed{&memory{}}
	f := New(log, 1024)
	const readers = 8
	var wg sync.WaitGroup
	for i := range readers {
		wg.Go(func() {
			m := Filter{Thread: vyre.ThreadID(fmt.Sprint("t", i%4))}
			for after := vyre.Seq(0); int(after) < b.N; {
				if err := f.Wait(b.Context(), after); err != nil {
					b.Error(err)
					return
				}
				_, next, err := f.Since(b.Context(), after, m, 256)
				if err != nil {
					b.Error(err)
					return
				}
				after = next
			}
		})
	}
	b.ResetTimer()
	for n := 1; n <= b.N; n++ {
		if len(log.events) >= 4096 { // the readers are near: old ones are not needed
			log.mu.Lock()
			log.events = slices.Clone(log.events[2048:])
			log.mu.Unlock()
		}
		log.write(f, event(n))
	}
	wg.Wait()
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*readers), "ns/event·reader")
}
