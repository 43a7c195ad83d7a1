package view

import (
	"encoding/json"
	"fmt"
	"strings"

	"vyre"
	"vyre/internal/cli/term"
)

// Live draws a thread's events as they come: words as they are made, a tool
// call in one line, thinking short and dim. Seeing an event twice, or text that
// was drawn already, changes nothing.
type Live struct {
	out     *term.Out
	drawn   map[vyre.ItemID]int // bytes of an item's text that were drawn
	rows    map[vyre.ItemID]*row
	speaker vyre.ItemID // whose words came last
	row     vyre.ItemID // whose line is open, if any
	thought thought
	Echo    bool // also draw what people said
}

// thought is thinking that was heard and not drawn yet.
type thought struct {
	item vyre.ItemID
	text string
}

// NewLive draws on out.
func NewLive(out *term.Out) *Live {
	return &Live{out: out, drawn: map[vyre.ItemID]int{}, rows: map[vyre.ItemID]*row{}}
}

// Event draws one event. Kinds that a reader of a conversation does not need
// are passed over.
func (l *Live) Event(ev vyre.Event) {
	switch ev.Kind {
	case vyre.EvThreadText:
		draw(ev, l.text)
	case vyre.EvThreadTool:
		draw(ev, l.tool)
	case vyre.EvThreadItem:
		draw(ev, l.item)
	case vyre.EvThreadPlan:
		draw(ev, func(d vyre.ThreadPlan) { l.note(fmt.Sprintf("plan: %d of %d done", d.Done, d.Total)) })
	case vyre.EvThreadTurn:
		draw(ev, l.turn)
	case vyre.EvThreadUsage:
		draw(ev, func(d vyre.ThreadUsage) { l.note(usage(d.Usage)) })
	default:
		l.state(ev)
	}
}

// state draws what happens to the thread rather than in it.
func (l *Live) state(ev vyre.Event) {
	switch ev.Kind {
	case vyre.EvThreadMode:
		draw(ev, func(d vyre.ThreadMode) { l.note("mode: " + string(d.Mode)) })
	case vyre.EvThreadModel:
		draw(ev, func(d vyre.ThreadModel) { l.note("model: " + d.Model) })
	case vyre.EvThreadQueued:
		draw(ev, func(d vyre.ThreadQueued) { l.note("waits for this turn's end: " + d.Text) })
	case vyre.EvThreadLimit:
		draw(ev, l.limit)
	case vyre.EvThreadParked:
		draw(ev, l.parked)
	case vyre.EvThreadStopped:
		draw(ev, func(d vyre.ThreadStopped) { l.note(join("stopped: "+string(d.Reason), d.Detail)) })
	case vyre.EvThreadBreach:
		draw(ev, func(d vyre.ThreadBreach) { l.bad("it did what was not allowed and was stopped: " + d.What) })
	}
}

// draw decodes an event's data; data that can't be read is not drawn.
func draw[D any](ev vyre.Event, f func(D)) {
	var d D
	if json.Unmarshal(ev.Data, &d) == nil {
		f(d)
	}
}

func (l *Live) text(d vyre.ThreadText) {
	fresh := l.fresh(d)
	if fresh == "" {
		return
	}
	if d.Kind == vyre.ItemReasoning {
		l.think(d.Item, fresh)
		return
	}
	l.Rest()
	if l.speaker != d.Item {
		l.out.EndWords()
		l.speaker = d.Item
	}
	l.out.Words(term.Clean(fresh))
}

// fresh is the part of a piece of text that was not drawn yet.
func (l *Live) fresh(d vyre.ThreadText) string {
	have := l.drawn[d.Item]
	end := d.Offset + len(d.Text)
	if end <= have {
		return ""
	}
	l.drawn[d.Item] = end
	if d.Offset < have {
		return d.Text[have-d.Offset:]
	}
	return d.Text
}

// Drawn notes that so much of an item's text has been drawn by other means.
func (l *Live) Drawn(item vyre.ItemID, n int) { l.drawn[item] = max(l.drawn[item], n) }

// Missing reports whether an event tells of an item whose words only the item
// itself holds: read it and hand it to Items.
func (l *Live) Missing(d vyre.ThreadItem) bool {
	switch d.Kind {
	case vyre.ItemText:
		return d.Status != vyre.ItemRunning && l.drawn[d.Item] == 0
	case vyre.ItemUser:
		return l.Echo && d.Title == "" && l.drawn[d.Item] == 0
	case vyre.ItemError, vyre.ItemNotice:
		return d.Title == "" && l.drawn[d.Item] == 0
	default:
		return false
	}
}

// maxThought bounds what is kept of thinking: one line of it is drawn.
const maxThought = 400

func (l *Live) think(item vyre.ItemID, s string) {
	if l.thought.item != item {
		l.Rest()
		l.thought = thought{item: item}
	}
	if len(l.thought.text) < maxThought {
		l.thought.text += s
	}
}

// Rest draws what is held back: the one line that thinking gets.
func (l *Live) Rest() {
	t := l.thought
	l.thought = thought{}
	if line := firstLine(t.text); line != "" {
		l.notice(l.out.Notes.Signs().Dot+" "+line, l.out.Notes.Dim)
	}
}

// End draws what is held back and closes open lines.
func (l *Live) End() {
	l.Rest()
	l.out.EndWords()
	if l.out.PartOpen() {
		l.out.EndPart("")
	}
	l.speaker, l.row = "", ""
}

func (l *Live) item(d vyre.ThreadItem) {
	switch d.Kind {
	case vyre.ItemUser:
		if l.Echo && d.Title != "" {
			l.Rest()
			l.notice(l.out.Notes.Signs().Me+" "+d.Title, l.out.Notes.Bold)
		}
	case vyre.ItemError:
		if d.Title != "" {
			l.bad(d.Title)
		}
	case vyre.ItemNotice, vyre.ItemCompaction:
		if d.Title != "" {
			l.note(d.Title)
		}
	}
}

func (l *Live) turn(d vyre.ThreadTurn) {
	switch d.Status {
	case vyre.TurnFailed:
		l.bad(join("the turn failed", d.Error))
	case vyre.TurnCanceled:
		l.note(join("the turn was interrupted", d.Error))
	case vyre.TurnStarted, vyre.TurnCompleted:
	}
}

func (l *Live) limit(d vyre.ThreadLimit) {
	s := join("the provider's limit: "+d.Status, d.Window)
	if d.ResetsAt != 0 {
		s += ", until " + d.ResetsAt.Std().Local().Format("Mon 15:04")
	}
	l.note(s)
}

func (l *Live) note(s string) {
	l.Rest()
	l.notice(l.out.Notes.Signs().Dot+" "+s, l.out.Notes.Dim)
}

func (l *Live) bad(s string) {
	l.Rest()
	l.notice(l.out.Notes.Signs().Fail+" "+s, l.out.Notes.Bad)
}

// notice writes one line, cut to the screen.
func (l *Live) notice(s string, paint func(string) string) {
	l.spoken()
	l.out.Note(paint(term.Line(s, l.out.Notes.Width)))
}

// spoken ends the words of an item: what comes next is about something else, so
// its line ends, also where nobody looks.
func (l *Live) spoken() {
	l.out.EndWords()
	l.speaker = ""
}

// usage says in a line what a turn used.
func usage(u vyre.Usage) string {
	s := fmt.Sprintf("%s in, %s out", count(u.InputTokens+u.CacheReadTokens+u.CacheWriteTokens), count(u.OutputTokens))
	if u.CostMicros > 0 {
		s += fmt.Sprintf(", $%d.%04d", u.CostMicros/1e6, u.CostMicros%1e6/100)
	}
	return s
}

func count(n int64) string {
	if n >= 10_000 {
		return fmt.Sprintf("%dk", n/1000)
	}
	return fmt.Sprint(n)
}

func join(what, detail string) string {
	if detail == "" {
		return what
	}
	return what + ": " + detail
}

func firstLine(s string) string {
	for line := range strings.Lines(s) {
		if line = strings.Trim(strings.TrimSpace(line), "*#"); line != "" {
			return line
		}
	}
	return ""
}
