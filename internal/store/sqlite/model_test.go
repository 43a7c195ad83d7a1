package sqlite

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"vyre"
)

// model is the store as a few maps: what the real one must answer.
type model struct {
	threads  map[vyre.ThreadID]vyre.Thread
	turns    map[vyre.TurnID]vyre.Turn
	items    []vyre.Item // in order of first appearance
	asks     []vyre.Ask
	messages []vyre.Message
	sessions map[vyre.SessionID]vyre.Session
	frames   map[vyre.FrameRef]vyre.Frame
	vault    map[string][]byte
	versions map[string]int
	events   []vyre.Event
	head     vyre.Seq
}

func newModel() *model {
	return &model{
		threads: map[vyre.ThreadID]vyre.Thread{}, turns: map[vyre.TurnID]vyre.Turn{}, sessions: map[vyre.SessionID]vyre.Session{},
		frames: map[vyre.FrameRef]vyre.Frame{}, vault: map[string][]byte{}, versions: map[string]int{},
	}
}

// replace puts v in the place of the one that is the same, or at the end.
func replace[T any](list []T, v T, same func(T) bool) []T {
	if i := slices.IndexFunc(list, same); i >= 0 {
		list[i] = v
		return list
	}
	return append(list, v)
}

func (m *model) commit(c *vyre.Commit) {
	for _, e := range c.Events {
		m.head++
		m.events = append(m.events, e)
	}
	for _, v := range c.Threads {
		m.threads[v.ID] = v
	}
	for _, v := range c.Turns {
		m.turns[v.ID] = v
	}
	for _, v := range c.Items {
		v.Rev = m.head
		m.items = replace(m.items, v, func(x vyre.Item) bool { return x.ID == v.ID })
	}
	for _, v := range c.Asks {
		m.asks = replace(m.asks, v, func(x vyre.Ask) bool { return x.ID == v.ID })
	}
	for _, v := range c.Messages {
		m.messages = replace(m.messages, v, func(x vyre.Message) bool { return x.ID == v.ID && x.Thread == v.Thread })
	}
	for _, v := range c.Sessions {
		m.sessions[v.ID] = v
	}
	for _, v := range c.Frames {
		m.frames[vyre.FrameRef{Session: v.Session, N: v.N}] = v
	}
	for _, r := range c.Acked {
		delete(m.frames, r)
	}
	if c.Spool != nil {
		s := m.sessions[c.Spool.Session]
		s.Committed, s.Checkpoint = c.Spool.Committed, c.Spool.Checkpoint
		m.sessions[s.ID] = s
	}
	if c.Vault != nil {
		m.vault[c.Vault.Name], m.versions[c.Vault.Name] = c.Vault.Sealed, c.Vault.Version
	}
	if c.Rewind != nil {
		m.rewind(c.Rewind)
	}
}

func (m *model) rewind(r *vyre.RewindMark) {
	for id, v := range m.turns {
		if v.Thread == r.Thread && id.N() >= r.From {
			v.Rewound = true
			m.turns[id] = v
		}
	}
	for i, v := range m.items {
		if v.Thread == r.Thread && v.Turn.N() >= r.From && !v.Rewound {
			m.items[i].Rewound, m.items[i].Rev = true, m.head
		}
	}
}

// prune does what the pruner does at a moment.
func (m *model) prune(before vyre.Time) (floor vyre.Seq) {
	m.events = slices.DeleteFunc(m.events, func(e vyre.Event) bool {
		item := itemNamed(e)
		if item == "" || e.TS >= before || m.turns[e.Turn].Status == vyre.TurnStarted {
			return false
		}
		i := slices.IndexFunc(m.items, func(x vyre.Item) bool { return x.ID == item })
		if i >= 0 && (m.items[i].Status == vyre.ItemRunning || m.items[i].Text == "") {
			return false
		}
		floor = max(floor, e.Seq)
		return true
	})
	return floor
}

func itemNamed(e vyre.Event) vyre.ItemID {
	if v, err := itemOf(&e); err == nil && v != nil {
		return vyre.ItemID(v.(string))
	}
	return ""
}

var (
	someThreads  = []vyre.ThreadID{"ta", "tb", "tc"}
	someSessions = []vyre.SessionID{"sa", "sb"}
)

// draw makes a change over few ids, so that rows meet. Every field that is not
// an id or a word of a list is anything.
func (m *model) draw(t *rapid.T) *vyre.Commit {
	c := &vyre.Commit{Durable: rapid.Bool().Draw(t, "durable")}
	thread := func() vyre.ThreadID { return rapid.SampledFrom(someThreads).Draw(t, "thread") }
	for _, id := range someThreads {
		if _, ok := m.threads[id]; !ok || rapid.IntRange(0, 3).Draw(t, "touch") == 0 {
			v := rapid.Make[vyre.Thread]().Draw(t, "t")
			v.ID, v.Mode, v.State = id, pick(t, vyre.Modes), pick(t, vyre.States)
			v.Reason, v.Key = pick(t, append([]vyre.StopReason{""}, vyre.StopReasons...)), ""
			v.Parked = pick(t, append([]vyre.Parking{""}, vyre.Parkings...))
			c.Threads = append(c.Threads, v)
		}
	}
	for range rapid.IntRange(0, 2).Draw(t, "turns") {
		v := rapid.Make[vyre.Turn]().Draw(t, "turn")
		v.Thread, v.Status, v.Origin = thread(), pick(t, vyre.TurnStatuses), pick(t, []vyre.Origin{vyre.OriginAgent, vyre.OriginPerson})
		v.ID = vyre.MakeTurnID(v.Thread, rapid.IntRange(1, 3).Draw(t, "n"))
		c.Turns = append(c.Turns, v)
	}
	for range rapid.IntRange(0, 3).Draw(t, "items") {
		v := rapid.Make[vyre.Item]().Draw(t, "item")
		v.ID = vyre.ItemID(fmt.Sprint("i", rapid.IntRange(0, 5).Draw(t, "id")))
		v.Thread, v.Kind, v.Status = someThreads[int(v.ID[1])%3], pick(t, vyre.ItemKinds), pick(t, vyre.ItemStatuses)
		v.Turn = someTurn(t, v.Thread)
		c.Items = append(c.Items, v)
	}
	for range rapid.IntRange(0, 1).Draw(t, "asks") {
		v := rapid.Make[vyre.Ask]().Draw(t, "ask")
		v.ID, v.Thread = vyre.AskID(fmt.Sprint("a", rapid.IntRange(0, 3).Draw(t, "id"))), thread()
		v.Turn, v.Kind, v.State = someTurn(t, v.Thread), pick(t, vyre.AskKinds), pick(t, vyre.AskStates)
		v.Decision, v.Scope = pick(t, []vyre.Decision{"", vyre.Allow, vyre.Deny}), pick(t, []vyre.Scope{"", vyre.ScopeOnce, vyre.ScopeProject})
		v.Mode = pick(t, append([]vyre.Mode{""}, vyre.Modes...))
		c.Asks = append(c.Asks, v)
	}
	for range rapid.IntRange(0, 2).Draw(t, "messages") {
		v := rapid.Make[vyre.Message]().Draw(t, "message")
		v.ID, v.Thread, v.State = vyre.MessageID(fmt.Sprint("m", rapid.IntRange(0, 3).Draw(t, "id"))), thread(), pick(t, vyre.MessageStates)
		v.Turn, v.Order, v.Via = someTurn(t, v.Thread), int64(rapid.IntRange(0, 3).Draw(t, "order")), pick(t, []vyre.Via{"", vyre.ViaTurn, vyre.ViaResume})
		c.Messages = append(c.Messages, v)
	}
	m.drawSessions(t, c)
	for i := range rapid.IntRange(0, 4).Draw(t, "events") + min(len(c.Items), 1) {
		v := vyre.Event{Kind: "x.y", Thread: thread(), Data: fmt.Appendf(nil, `{"n":%d}`, i)}
		if rapid.Bool().Draw(t, "text") {
			v = textEvent(v.Thread, 1, vyre.ItemID(fmt.Sprint("i", rapid.IntRange(0, 6).Draw(t, "of"))), i, "w")
		}
		c.Events = append(c.Events, v)
	}
	return c
}

func (m *model) drawSessions(t *rapid.T, c *vyre.Commit) {
	for _, id := range someSessions {
		if _, ok := m.sessions[id]; !ok || rapid.IntRange(0, 4).Draw(t, "touch") == 0 {
			v := rapid.Make[vyre.Session]().Draw(t, "session")
			v.ID, v.Thread, v.State = id, "ta", pick(t, vyre.SessionStates)
			c.Sessions = append(c.Sessions, v)
		}
	}
	frame := vyre.FrameRef{Session: pick(t, someSessions), N: uint64(rapid.IntRange(1, 4).Draw(t, "n"))}
	switch rapid.IntRange(0, 5).Draw(t, "other") {
	case 0:
		c.Frames = []vyre.Frame{{Session: frame.Session, N: frame.N, Bytes: rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"), Ask: "a", Message: "m", Request: "r"}}
	case 1:
		c.Acked = []vyre.FrameRef{frame}
	case 2:
		c.Spool = &vyre.SpoolMark{Session: frame.Session, Committed: rapid.Int64().Draw(t, "to"), Checkpoint: 7}
	case 3:
		name := rapid.StringN(1, 2, -1).Draw(t, "name")
		c.Vault = &vyre.VaultWrite{Name: name, Version: m.versions[name] + 1, Sealed: []byte(rapid.String().Draw(t, "sealed")), At: 1}
	case 4:
		c.Rewind = &vyre.RewindMark{Thread: pick(t, someThreads), From: rapid.IntRange(1, 4).Draw(t, "from")}
	}
}

func pick[T any](t *rapid.T, list []T) T { return rapid.SampledFrom(list).Draw(t, "pick") }

func someTurn(t *rapid.T, thread vyre.ThreadID) vyre.TurnID {
	return turnID(thread, int64(rapid.IntRange(0, 3).Draw(t, "turn")))
}

// spoil makes a change one that the store must refuse whole.
func spoil(t *rapid.T, c *vyre.Commit) {
	switch rapid.IntRange(0, 3).Draw(t, "how") {
	case 0:
		c.Threads = append(c.Threads, vyre.Thread{ID: "bad", Mode: "free", State: vyre.StateIdle})
	case 1:
		c.Asks = append(c.Asks, vyre.Ask{ID: "bad", Thread: "nobody", Kind: vyre.AskTool, State: vyre.AskOpen})
	case 2:
		c.Turns = append(c.Turns, vyre.Turn{ID: "ta:0", Thread: "ta", Status: vyre.TurnStarted, Origin: vyre.OriginAgent})
	case 3:
		c.Spool = &vyre.SpoolMark{Session: "nobody"}
	}
}

func TestStoreAgainstModel(t *testing.T) {
	// Whatever changes are made, refused, pruned and restarted over, every read
	// gives what a few maps would, and the chain verifies.
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "")
		must(t, err)
		c := newClock()
		path := filepath.Join(dir, "vyre.db")
		db := openAt(t, path, c.options())
		stop := run(t, db)
		m := newModel()
		var floor vyre.Seq
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			switch rapid.IntRange(0, 9).Draw(rt, "step") {
			case 0:
				stop()
				must(t, db.Close())
				c.armed = make(chan time.Duration, 100)
				db = openAt(t, path, c.options())
				stop = run(t, db)
			case 1:
				c.pass(25 * time.Hour)
				c.prune()
				floor = max(floor, m.prune(vyre.Time(c.now.Load()-keepWords.Milliseconds())))
			case 2:
				bad := m.draw(rt)
				spoil(rt, bad)
				if err := db.Commit(t.Context(), bad); err == nil {
					rt.Fatalf("a bad change was made: %+v", bad)
				}
			default:
				good := m.draw(rt)
				if err := db.Commit(t.Context(), good); err != nil {
					rt.Fatal(err)
				}
				m.commit(good)
			}
			c.pass(time.Minute)
			m.check(t, rt, db, floor)
		}
		stop()
		must(t, db.Close())
	})
}

// check compares every read.
func (m *model) check(t *testing.T, rt *rapid.T, db *DB, floor vyre.Seq) {
	ctx := t.Context()
	same := func(what string, want, got any, err error) {
		if d := gocmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" || err != nil {
			rt.Fatalf("%s: %v %s", what, err, d)
		}
	}
	same("verify", nil, nil, db.Verify(ctx))
	same("events", m.events, readAll(t, db), nil)
	f, h, err := db.Bounds(ctx)
	same("bounds", []vyre.Seq{floor, m.head}, []vyre.Seq{f, h}, err)
	var ids []vyre.ThreadID
	for _, id := range someThreads {
		want, ok := m.threads[id]
		if !ok {
			continue
		}
		ids = append(ids, id)
		got, err := db.Thread(ctx, id)
		same("thread", want, got, err)
		m.checkThread(t, rt, db, id)
	}
	slices.SortFunc(ids, func(a, b vyre.ThreadID) int {
		return cmp.Or(cmp.Compare(m.threads[b].Updated, m.threads[a].Updated), cmp.Compare(a, b))
	})
	list, _, err := db.Threads(ctx, ThreadQuery{})
	var got []vyre.ThreadID
	for _, th := range list {
		got = append(got, th.ID)
	}
	same("threads", ids, got, err)
	for id, want := range m.turns {
		got, ok, err := db.Turn(ctx, id)
		same("turn", want, got, err)
		same("turn there", true, ok, nil)
	}
	m.checkSessions(t, rt, db)
	for name, want := range m.vault {
		got, version, err := db.VaultGet(ctx, name)
		same("vault", want, got, err)
		same("version", m.versions[name], version, nil)
	}
}

func where[T any](list []T, ok func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(list), func(v T) bool { return !ok(v) })
}

func (m *model) checkThread(t *testing.T, rt *rapid.T, db *DB, id vyre.ThreadID) {
	ctx := t.Context()
	same := func(what string, want, got any, err error) {
		if d := gocmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" || err != nil {
			rt.Fatalf("%s: %v %s", what, err, d)
		}
	}
	turn := vyre.MakeTurnID(id, 1)
	working, err := db.WorkingItems(ctx, id, turn)
	same("working items", where(m.items, func(i vyre.Item) bool {
		return i.Thread == id && (i.Turn == turn || i.Status == vyre.ItemRunning)
	}), working, err)
	open, err := db.UnsettledAsks(ctx, id)
	same("unsettled asks", where(m.asks, func(a vyre.Ask) bool {
		return a.Thread == id && (a.State == vyre.AskOpen || a.State == vyre.AskAnswering)
	}), open, err)
	queued := where(m.messages, func(x vyre.Message) bool { return x.Thread == id && x.State == vyre.MessageQueued })
	slices.SortStableFunc(queued, func(a, b vyre.Message) int { return cmp.Compare(a.Order, b.Order) })
	queue, err := db.Queue(ctx, id)
	same("queue", queued, queue, err)
	unfinished, err := db.Unfinished(ctx, id)
	same("unfinished", where(m.messages, func(x vyre.Message) bool {
		return x.Thread == id && (x.State == vyre.MessageSent || x.State == vyre.MessageTaken)
	}), unfinished, err)
}

func (m *model) checkSessions(t *testing.T, rt *rapid.T, db *DB) {
	ctx := t.Context()
	open, err := db.OpenSessions(ctx)
	must(t, err)
	want := 0
	for _, s := range m.sessions {
		if s.State != vyre.SessionEnded {
			want++
		}
	}
	if len(open) != want {
		rt.Fatalf("%d open sessions, want %d", len(open), want)
	}
	for _, s := range open {
		if d := gocmp.Diff(m.sessions[s.ID], s); d != "" {
			rt.Fatal(d)
		}
	}
	for _, id := range someSessions {
		got, err := db.Frames(ctx, id)
		must(t, err)
		var want []vyre.Frame
		for n := uint64(1); n <= 4; n++ {
			if f, ok := m.frames[vyre.FrameRef{Session: id, N: n}]; ok {
				want = append(want, f)
			}
		}
		if d := gocmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
			rt.Fatal(d)
		}
	}
}
