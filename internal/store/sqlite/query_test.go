package sqlite

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vyre"
)

func TestThreadsPageNewestFirst(t *testing.T) {
	// Pages put together hold every thread that the filters take, newest Updated
	// first, once, also where many share one moment.
	db := openRunning(t, Options{})
	var want []vyre.ThreadID
	for i := range 25 {
		th := aThread(vyre.ThreadID(fmt.Sprintf("t%02d", i)))
		th.Updated = vyre.Time(100 - i/5)
		th.Archived = i%2 == 1
		th.Project = []string{"p", "q"}[i%3/2]
		must(t, db.Commit(t.Context(), &vyre.Commit{Threads: []vyre.Thread{th}}))
		if !th.Archived && th.Project == "p" {
			want = append(want, th.ID)
		}
	}
	var got []vyre.ThreadID
	for next, more := "", true; more; more = next != "" {
		page, n, err := db.Threads(t.Context(), ThreadQuery{Archived: new(false), Project: "p", Limit: 2, Next: next})
		must(t, err)
		for _, th := range page {
			got = append(got, th.ID)
		}
		next = n
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	one, _, err := db.Threads(t.Context(), ThreadQuery{Thread: "t03"})
	if err != nil || len(one) != 1 || one[0].ID != "t03" {
		t.Errorf("by id: %v %v", one, err)
	}
	for _, bad := range []string{"!", "aGk", makeCursor("x", "y")} {
		if _, _, err := db.Threads(t.Context(), ThreadQuery{Next: bad}); vyre.CodeOf(err) != vyre.CodeInvalid {
			t.Errorf("cursor %q: %v", bad, err)
		}
	}
}

func itemIDs(list []vyre.Item) string {
	var s []string
	for _, i := range list {
		s = append(s, string(i.ID))
	}
	return strings.Join(s, " ")
}

func TestItemsPages(t *testing.T) {
	// Items come in order of first appearance whatever changed later. Without edges
	// it is the last page and its cursor goes back; after and since_rev go forward;
	// an item of another thread is no edge.
	db := openRunning(t, Options{})
	seedThread(t, db, "t")
	seedThread(t, db, "u")
	put := func(thread vyre.ThreadID, id vyre.ItemID) vyre.Seq {
		c := &vyre.Commit{
			Items:  []vyre.Item{{ID: id, Thread: thread, Turn: vyre.MakeTurnID(thread, 1), Kind: vyre.ItemTool, Status: vyre.ItemCompleted}},
			Events: []vyre.Event{{Kind: "x.a"}, {Kind: "x.b"}},
		}
		must(t, db.Commit(t.Context(), c))
		if c.Items[0].Rev != c.Events[1].Seq {
			t.Errorf("rev %d, want %d", c.Items[0].Rev, c.Events[1].Seq)
		}
		return c.Items[0].Rev
	}
	put("u", "z")
	var rev vyre.Seq
	for _, id := range []vyre.ItemID{"e", "d", "c", "b", "a"} {
		rev = put("t", id)
	}
	put("t", "d") // changed last
	for _, c := range []struct {
		q          ItemQuery
		want, next string
	}{
		{ItemQuery{}, "e d c b a", ""},
		{ItemQuery{Limit: 2}, "b a", "b"},
		{ItemQuery{Limit: 2, Before: "b"}, "d c", "d"},
		{ItemQuery{Limit: 2, Before: "d"}, "e", ""},
		{ItemQuery{Limit: 2, After: "e"}, "d c", "c"},
		{ItemQuery{Limit: 3, After: "c"}, "b a", ""},
		{ItemQuery{SinceRev: new(rev - 1)}, "d a", ""},
		{ItemQuery{SinceRev: new(rev - 1), Limit: 1}, "d", "d"},
		{ItemQuery{SinceRev: new(rev - 1), Limit: 1, After: "d"}, "a", ""},
		{ItemQuery{SinceRev: new(rev + 2)}, "", ""},
	} {
		c.q.Thread = "t"
		got, next, err := db.Items(t.Context(), c.q)
		if err != nil || itemIDs(got) != c.want || next != c.next {
			t.Errorf("%+v: %q next %q %v", c.q, itemIDs(got), next, err)
		}
	}
	if _, _, err := db.Items(t.Context(), ItemQuery{Thread: "t", After: "z"}); vyre.CodeOf(err) != vyre.CodeNotFound {
		t.Errorf("edge of another thread: %v", err)
	}
	if _, _, err := db.Items(t.Context(), ItemQuery{Thread: "t", After: "a", Before: "b"}); vyre.CodeOf(err) != vyre.CodeInvalid {
		t.Errorf("two edges: %v", err)
	}
}

func TestStreamingTextIsPutTogether(t *testing.T) {
	// The text of an item that still streams is that of its events by offset; what
	// came twice is there once. A text that is stored stands.
	db := openRunning(t, Options{})
	seedThread(t, db, "t")
	ev := func(offset int, s string) vyre.Event { return textEvent("t", 1, "i", offset, s) }
	must(t, db.Commit(t.Context(), &vyre.Commit{
		Items: []vyre.Item{
			{ID: "i", Thread: "t", Turn: "t:1", Kind: vyre.ItemReasoning, Status: vyre.ItemRunning},
			{ID: "k", Thread: "t", Turn: "t:1", Kind: vyre.ItemText, Status: vyre.ItemRunning, Text: "stored"},
		},
		Events: []vyre.Event{ev(0, "Grü"), ev(4, "ße\x00 "), textEvent("t", 1, "k", 0, "other"), ev(9, "an <alle>"), ev(4, "ße\x00 "), ev(0, "Grüße")},
	}))
	const want = "Grüße\x00 an <alle>"
	if got, err := db.ItemText(t.Context(), "i"); err != nil || got != want {
		t.Errorf("ItemText = %q %v", got, err)
	}
	list, _, err := db.Items(t.Context(), ItemQuery{Thread: "t"})
	if err != nil || list[0].Text != want || list[1].Text != "stored" {
		t.Errorf("Items: %+v %v", list, err)
	}
	if got, err := db.ItemText(t.Context(), "nobody"); err != nil || got != "" {
		t.Errorf("no item: %q %v", got, err)
	}
}

func TestUnsettledThreads(t *testing.T) {
	// A start has to look after threads without an open session that are starting,
	// running or waiting, and those with a message queued or sent in any state; not
	// after idle ones with nothing to send, nor after what has an open session.
	db := openRunning(t, Options{})
	n := 0
	add := func(state vyre.State, session vyre.SessionState, msgs ...vyre.MessageState) vyre.ThreadID {
		n++
		id := vyre.ThreadID(fmt.Sprintf("t%02d", n))
		th := aThread(id)
		th.State = state
		c := &vyre.Commit{Threads: []vyre.Thread{th}}
		if session != "" {
			c.Sessions = []vyre.Session{{ID: vyre.SessionID("s-" + id), Thread: id, State: session}}
		}
		for i, m := range msgs {
			c.Messages = append(c.Messages, vyre.Message{ID: vyre.MessageID(fmt.Sprint(i)), Thread: id, State: m})
		}
		must(t, db.Commit(t.Context(), c))
		return id
	}
	want := []vyre.ThreadID{
		add(vyre.StateStarting, ""), add(vyre.StateRunning, vyre.SessionEnded), add(vyre.StateWaiting, ""),
		add(vyre.StateIdle, "", vyre.MessageQueued), add(vyre.StateStopped, vyre.SessionEnded, vyre.MessageDone, vyre.MessageSent),
		add(vyre.StateFailed, "", vyre.MessageQueued, vyre.MessageSent),
	}
	add(vyre.StateIdle, "")
	add(vyre.StateIdle, "", vyre.MessageDone, vyre.MessageTaken, vyre.MessageUnknown)
	add(vyre.StateStopped, "")
	add(vyre.StateFailed, "")
	for _, open := range []vyre.SessionState{vyre.SessionStarting, vyre.SessionPrepared, vyre.SessionLive} {
		add(vyre.StateRunning, open, vyre.MessageQueued)
	}
	got, err := db.Unsettled(t.Context())
	must(t, err)
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	open, err := db.OpenSessions(t.Context())
	if err != nil || len(open) != 3 {
		t.Errorf("open sessions: %v %v", open, err)
	}
}

func TestAsksPageAsRaised(t *testing.T) {
	// Without a state the open and answering asks come, oldest first, page by page.
	db := openRunning(t, Options{})
	seedThread(t, db, "t")
	seedThread(t, db, "u")
	for i := range 12 {
		a := vyre.Ask{ID: vyre.AskID(fmt.Sprintf("%02d", 50-i)), Thread: "t", Kind: vyre.AskTool, State: vyre.AskStates[i%4]}
		if i >= 8 {
			a.Thread = "u"
		}
		must(t, db.Commit(t.Context(), &vyre.Commit{Asks: []vyre.Ask{a}}))
	}
	all := func(q AskQuery) (ids []string) {
		for more := true; more; more = q.Next != "" {
			page, next, err := db.Asks(t.Context(), q)
			must(t, err)
			for _, a := range page {
				ids = append(ids, string(a.ID))
			}
			q.Next = next
		}
		return ids
	}
	for _, c := range []struct {
		q    AskQuery
		want []string
	}{
		{AskQuery{Limit: 2}, []string{"50", "49", "46", "45", "42", "41"}},
		{AskQuery{Thread: "t"}, []string{"50", "49", "46", "45"}},
		{AskQuery{Thread: "u", State: vyre.AskAnswering}, []string{"41"}},
		{AskQuery{State: vyre.AskCancelled, Limit: 1}, []string{"47", "43", "39"}},
	} {
		if got := all(c.q); !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v, want %v", c.q, got, c.want)
		}
	}
}
