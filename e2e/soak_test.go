package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vyre"
	"vyre/internal/client"
	"vyre/internal/config"
)

// The bounds of a soak. VYRE_SOAK sets how long it lasts (make soak: 30m).
const (
	soakShort   = 2 * time.Minute
	soakThreads = 20
	soakReal    = 2 // of them on the real agent; the others on a light peer of its protocol
	soakKills   = 20 * time.Second
)

// Twenty threads work while the daemon is killed with -9 at random moments, two
// clients answer what is asked, and turns are interrupted: no acknowledged message
// is lost and none runs twice, each ask has one end, nothing is left running, and
// the daemon's memory stays flat.
func TestSoak(t *testing.T) {
	long := soakShort
	if v := os.Getenv("VYRE_SOAK"); v != "" {
		var err error
		if long, err = time.ParseDuration(v); err != nil {
			t.Fatal(err)
		}
	} else if testing.Short() {
		long = 20 * time.Second
	}
	s := newSoak(t)
	ctx, end := context.WithTimeout(t.Context(), long)
	defer end()
	answers, done := context.WithCancel(t.Context())
	var senders, clients sync.WaitGroup
	for range 2 {
		clients.Go(func() { s.answers(answers) })
	}
	for _, th := range s.threads {
		senders.Go(func() { s.sends(ctx, th) })
	}
	s.killing(ctx)
	senders.Wait()
	s.drain()
	done()
	clients.Wait()
	s.check()
}

// soak is a home under load.
type soak struct {
	*home
	threads []*soakThread
	rss     []int64 // of each daemon before it was killed, bytes

	mu      sync.Mutex
	decided map[vyre.AskID]vyre.Decision // as a client was told
	wrong   []string
}

// soakThread is one thread and what it was sent: only its sender writes it.
type soakThread struct {
	id   vyre.ThreadID
	cwd  string
	real bool
	sent []soakMessage
}

// soakMessage is an acknowledged message.
type soakMessage struct {
	id   vyre.MessageID
	mark string // said once by a turn that completes
	file string // gets one line from a turn that completes and may
}

func newSoak(t *testing.T) *soak {
	t.Helper()
	peer := filepath.Join(t.TempDir(), "claude")
	if err := goBuild("-o", peer, "./internal/fake/claudepeer"); err != nil {
		t.Fatal(err)
	}
	h := newHomeAt(t, filepath.Join(t.TempDir(), "home"), "")
	h.call("daemon.stop", map[string]any{}, nil)
	<-h.exited
	h.client.Close()
	h.config(fmt.Sprintf("[sessions]\nmax_live = %d\nidle_minutes = 0\n[providers.claude]\nruntime = %q\n", soakThreads+5, peer))
	add(t, filepath.Join(h.dir, "config.toml"), fmt.Sprintf("CLAUDEPEER_REAL = %q\n", h.agent.Binary))
	h.start()
	s := &soak{home: h, decided: map[vyre.AskID]vyre.Decision{}}
	for i := range soakThreads {
		th := &soakThread{cwd: filepath.Join(h.agent.CWD, fmt.Sprint("t", i)), real: i < soakReal}
		if err := os.Mkdir(th.cwd, 0o700); err != nil {
			t.Fatal(err)
		}
		if th.real {
			add(t, filepath.Join(th.cwd, "real-agent"), "")
		}
		var out struct{ Thread vyre.ThreadID }
		h.call("threads.start", map[string]any{"provider": "claude", "cwd": th.cwd}, &out)
		th.id = out.Thread
		s.threads = append(s.threads, th)
	}
	return s
}

func add(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = f.WriteString(text)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

func (s *soak) blame(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wrong = append(s.wrong, fmt.Sprintf(format, args...))
}

// door is a client of the worker's own: the home's is the killer's.
func (s *soak) door() *client.Client { return client.Socket(config.SocketPath(s.runtimeDir())) }

// pause waits about d, less when ctx ends; a soak is made of time.
func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d/2 + time.Duration(rand.Int64N(int64(d))))
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// insist calls until the daemon, or the next one, has an answer.
func insist(ctx context.Context, c *client.Client, tool string, in map[string]any, out any) error {
	for {
		try, cancel := context.WithTimeout(ctx, 30*time.Second)
		err := c.Call(try, tool, in, out)
		cancel()
		code := vyre.CodeOf(err)
		if err == nil || ctx.Err() != nil || !slices.Contains([]vyre.Code{vyre.CodeUnavailable, vyre.CodeTimeout, vyre.CodeInternal, vyre.CodeBusy}, code) {
			return err
		}
		pause(ctx, 50*time.Millisecond)
	}
}

// sends sends messages of every kind until ctx ends. What was begun is finished,
// so that it is known whether a message was acknowledged.
func (s *soak) sends(ctx context.Context, th *soakThread) {
	c := s.door()
	defer c.Close()
	every := 1500 * time.Millisecond
	if th.real {
		every = 4 * time.Second
	}
	for n := 0; ctx.Err() == nil; n++ {
		m := soakMessage{id: vyre.MessageID(fmt.Sprintf("key-%s-%d", th.id[:8], n)), mark: fmt.Sprintf("<m%05d>", n)}
		text, hold := "say "+m.mark, false
		switch k := rand.IntN(10); {
		case k < 2:
			m.file = fmt.Sprintf("f%05d", n)
			text = "append " + m.file + "\nsay " + m.mark
			if th.real {
				text = fmt.Sprintf("tool Bash {\"command\":\"echo x >> %s\"}\nsay %s", m.file, m.mark)
			}
		case k < 4:
			text = "words 20 every 10ms\nsay " + m.mark
		case k == 4 && !th.real:
			text, hold = "say "+m.mark+"\nhold", true
		}
		in := map[string]any{"thread": th.id, "text": text, "key": m.id}
		if rand.IntN(2) == 0 { // else it steers where a turn runs
			in["mode"] = "queue"
		}
		err := insist(s.t.Context(), c, "threads.send", in, nil)
		if err != nil {
			s.blame("a send to %s: %v", th.id, err)
			return
		}
		th.sent = append(th.sent, m)
		if hold {
			s.interrupts(c, th)
		}
		pause(ctx, every)
	}
}

// interrupts ends turns of the thread until it rests.
func (s *soak) interrupts(c *client.Client, th *soakThread) {
	for s.t.Context().Err() == nil {
		var now vyre.Thread
		if err := insist(s.t.Context(), c, "threads.get", map[string]any{"thread": th.id}, &now); err != nil {
			s.blame("get %s: %v", th.id, err)
			return
		}
		if resting(now) {
			return
		}
		if err := insist(s.t.Context(), c, "threads.interrupt", map[string]any{"thread": th.id}, nil); err != nil {
			s.blame("interrupt %s: %v", th.id, err)
			return
		}
		pause(s.t.Context(), 100*time.Millisecond)
	}
}

// resting: nothing goes on any more. A stop is not what a soak asks for: the turn it
// cut is a failed one, which check reports.
func resting(th vyre.Thread) bool {
	return th.State == vyre.StateIdle || th.State == vyre.StateStopped || th.State == vyre.StateFailed
}

// answers answers whatever is asked. Both clients see each ask; what they decide
// follows from its id, but now and then one decides otherwise and must lose.
func (s *soak) answers(ctx context.Context) {
	c := s.door()
	defer c.Close()
	for ctx.Err() == nil {
		var out struct{ Asks []vyre.Ask }
		if err := insist(ctx, c, "threads.asks", map[string]any{}, &out); err != nil && ctx.Err() == nil {
			s.blame("asks: %v", err)
			return
		}
		for _, a := range out.Asks {
			s.answerOne(ctx, c, a.ID)
		}
		pause(ctx, 100*time.Millisecond)
	}
}

func (s *soak) answerOne(ctx context.Context, c *client.Client, id vyre.AskID) {
	h := fnv.New32a()
	_, _ = h.Write([]byte(id))
	d := vyre.Allow
	if h.Sum32()%4 == 0 {
		d = vyre.Deny
	}
	if rand.IntN(10) == 0 {
		d = vyre.Decision(map[vyre.Decision]string{vyre.Allow: "deny", vyre.Deny: "allow"}[d])
	}
	var got vyre.Ask
	err := insist(ctx, c, "threads.answer", map[string]any{"ask": id, "decision": d}, &got)
	if err != nil {
		if code := vyre.CodeOf(err); code != vyre.CodeConflict && code != vyre.CodeNotFound && ctx.Err() == nil {
			s.blame("answer: %v", err)
		}
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if was, told := s.decided[id]; told && was != got.Decision {
		s.wrong = append(s.wrong, fmt.Sprintf("ask %s was told decided as %s and as %s", id, was, got.Decision))
	}
	s.decided[id] = got.Decision
}

// killing kills the daemon now and then until ctx ends.
func (s *soak) killing(ctx context.Context) {
	for {
		pause(ctx, soakKills)
		if ctx.Err() != nil {
			return
		}
		s.rss = append(s.rss, s.memory())
		s.kill()
		s.start()
	}
}

// memory is the daemon's resident memory in bytes.
func (s *soak) memory() int64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", s.cmd.Process.Pid))
	if err != nil {
		s.t.Fatal(err)
	}
	var size, pages int64
	if _, err := fmt.Sscan(string(b), &size, &pages); err != nil {
		s.t.Fatal(err)
	}
	return pages * int64(os.Getpagesize())
}

// drain waits until every thread rests with nothing in its queue.
func (s *soak) drain() {
	s.until("rest", func() bool {
		for _, th := range s.threads {
			var q struct{ Messages []vyre.Message }
			s.call("threads.queue", map[string]any{"thread": th.id}, &q)
			if len(q.Messages) > 0 || !resting(s.thread(th.id)) {
				return false
			}
		}
		return true
	})
	s.rss = append(s.rss, s.memory())
}

// check holds what a soak is for.
func (s *soak) check() {
	s.mu.Lock()
	for _, w := range s.wrong {
		s.t.Error(w)
	}
	s.mu.Unlock()
	log := foldLog(s.t, s.events())
	total, ran, cancelled := 0, 0, 0
	for _, th := range s.threads {
		words := log.words[th.id]
		for _, m := range th.sent {
			total++
			turns := log.turns[th.id][m.id]
			if len(turns) != 1 {
				s.t.Errorf("message %s ran in %d turns", m.id, len(turns))
				continue
			}
			status, ends := log.status[turns[0]], log.ends[turns[0]]
			told := strings.Count(words, m.mark)
			done := status == vyre.TurnCompleted
			if ends != 1 || status == vyre.TurnFailed || told > 1 || done && told != 1 {
				s.t.Errorf("message %s: its turn ended %d times, as %s, and said it %d times", m.id, ends, status, told)
			}
			if done {
				ran++
			} else {
				cancelled++
			}
			if m.file == "" {
				continue
			}
			b, _ := os.ReadFile(filepath.Join(th.cwd, m.file))
			may := log.decision[turns[0]]
			if lines := strings.Count(string(b), "x"); lines > 1 || done && lines != map[vyre.Decision]int{vyre.Allow: 1}[may] {
				s.t.Errorf("the tool of %s ran %d times, decided %q", m.id, lines, may)
			}
		}
	}
	for id, n := range log.settled {
		if n != 1 {
			s.t.Errorf("ask %s ended %d times", id, n)
		}
		if d, told := s.decided[id]; told && log.asked[id] != d {
			s.t.Errorf("ask %s was told decided as %q and stands as %q", id, d, log.asked[id])
		}
	}
	s.call("daemon.verify", map[string]any{}, nil)
	first, last := s.rss[0], slices.Max(s.rss[len(s.rss)*2/3:])
	if last > 2*first+20<<20 {
		s.t.Errorf("the daemon's memory grew: %v", s.rss)
	}
	s.t.Logf("%d messages (%d completed, %d cut off), %d asks, %d kills, %d events; daemon %d MB at first, %d MB at most at the end",
		total, ran, cancelled, len(log.settled), len(s.rss)-1, log.events, first>>20, last>>20)
	if total == 0 || ran == 0 {
		s.t.Error("nothing happened")
	}
}

// folded is what the log says of the whole.
type folded struct {
	events   int
	words    map[vyre.ThreadID]string
	turns    map[vyre.ThreadID]map[vyre.MessageID][]vyre.TurnID
	status   map[vyre.TurnID]vyre.TurnStatus
	ends     map[vyre.TurnID]int
	decision map[vyre.TurnID]vyre.Decision
	asked    map[vyre.AskID]vyre.Decision
	settled  map[vyre.AskID]int
}

// foldLog reads the log as a client does, failing on a number that does not rise
// and on words that come twice or are missing.
func foldLog(t *testing.T, evs []vyre.Event) folded {
	t.Helper()
	f := folded{
		events: len(evs), words: map[vyre.ThreadID]string{}, turns: map[vyre.ThreadID]map[vyre.MessageID][]vyre.TurnID{},
		status: map[vyre.TurnID]vyre.TurnStatus{}, ends: map[vyre.TurnID]int{}, decision: map[vyre.TurnID]vyre.Decision{},
		asked: map[vyre.AskID]vyre.Decision{}, settled: map[vyre.AskID]int{},
	}
	text := map[vyre.ThreadID]*strings.Builder{}
	at := map[vyre.ItemID]int{}
	turn := map[vyre.AskID]vyre.TurnID{}
	var last vyre.Seq
	for _, e := range evs {
		if e.Seq <= last {
			t.Fatalf("number %d after %d", e.Seq, last)
		}
		last = e.Seq
		switch e.Kind {
		case vyre.EvThreadText:
			d := read[vyre.ThreadText](t, e)
			if d.Offset != at[d.Item] {
				t.Errorf("seq %d: words at %d, expected at %d", e.Seq, d.Offset, at[d.Item])
			}
			at[d.Item] += len(d.Text)
			if text[e.Thread] == nil {
				text[e.Thread] = &strings.Builder{}
			}
			text[e.Thread].WriteString(d.Text)
		case vyre.EvThreadTurn:
			d := read[vyre.ThreadTurn](t, e)
			f.status[e.Turn] = d.Status
			if d.Status == vyre.TurnStarted {
				continue
			}
			by := f.turns[e.Thread]
			if by == nil {
				by = map[vyre.MessageID][]vyre.TurnID{}
				f.turns[e.Thread] = by
			}
			for _, m := range d.Messages {
				by[m] = append(by[m], e.Turn)
			}
		case vyre.EvThreadFinished:
			f.ends[e.Turn]++
		case vyre.EvAskRaised:
			turn[read[vyre.AskRaised](t, e).Ask] = e.Turn
			f.settled[read[vyre.AskRaised](t, e).Ask] += 0
		case vyre.EvAskAnswered:
			d := read[vyre.AskAnsweredData](t, e)
			f.settled[d.Ask]++
			f.asked[d.Ask], f.decision[turn[d.Ask]] = d.Decision, d.Decision
		case vyre.EvAskCancelled:
			f.settled[read[vyre.AskCancelledData](t, e).Ask]++
		}
	}
	for id, b := range text {
		f.words[id] = b.String()
	}
	return f
}

func read[T any](t *testing.T, e vyre.Event) (d T) {
	t.Helper()
	if err := json.Unmarshal(e.Data, &d); err != nil {
		t.Fatalf("seq %d: %v", e.Seq, err)
	}
	return d
}
