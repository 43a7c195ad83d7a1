package cli

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"vyre"
	"vyre/internal/cli/term"
	"vyre/internal/cli/view"
)

// settleFor is how long an ask stands on the screen before a key counts: a key
// that was on its way when it appeared is no answer to it.
const settleFor = 250 * time.Millisecond

// asking is one ask on the screen. It goes through its stages in order: pages
// until the whole was printed, then the keys or the questions, then perhaps a
// note.
type asking struct {
	f     *follow
	ask   vyre.Ask
	lines []string // of the card, not printed yet
	keys  []view.Key
	undo  func() // leaves single keys, or nil

	questions []view.Question
	at        int // the question that is being asked
	answers   map[string]string

	note *view.Key // the note of this answer is being typed
	sent string    // label of the answer that was sent
	stage
}

type stage int

const (
	stagePage stage = iota
	stageSettle
	stageKeys
	stageQuestion
	stageNote
	stageSent
)

func data[D any](ev vyre.Event, use func(D)) {
	var d D
	if json.Unmarshal(ev.Data, &d) == nil {
		use(d)
	}
}

// raised takes notice of an ask that an event told of.
func (f *follow) raised(ctx context.Context, id vyre.AskID) {
	if f.known[id] {
		return
	}
	if f.a.json {
		f.known[id] = true
		f.a.note("An ask is open: vyre answer %s allow|deny", view.Short(id))
		return
	}
	asks, err := openAsks(ctx, f.c, f.thread)
	if err != nil {
		f.problem(err)
		return
	}
	for _, a := range asks {
		if a.ID == id {
			f.raise(a)
		}
	}
	f.next(ctx)
}

// raise puts an ask into the line.
func (f *follow) raise(a vyre.Ask) {
	if !f.known[a.ID] {
		f.known[a.ID] = true
		f.asks = append(f.asks, a)
	}
}

// next puts the next ask on the screen, or reads messages when there is none.
func (f *follow) next(ctx context.Context) {
	if f.asking != nil || f.over {
		return
	}
	if len(f.asks) == 0 {
		f.flush(ctx)
		if f.compose && !f.a.json && !f.saying {
			f.listen(ctx, f.line)
		}
		return
	}
	f.quiet()
	ask := f.asks[0]
	f.asks = f.asks[1:]
	f.live.End()
	f.show(ctx, ask)
}

// show begins an ask. At a terminal what was typed before is dropped and nothing
// counts until the whole was printed.
func (f *follow) show(ctx context.Context, a vyre.Ask) {
	card := view.AskCard(f.out.Notes, a)
	k := &asking{f: f, ask: a, lines: card.Lines, keys: view.Keys(a, card.Hidden)}
	if a.Kind == vyre.AskQuestion {
		k.questions, k.answers = view.Questions(a), map[string]string{}
	}
	f.asking = k
	if f.a.in.TTY() {
		undo, err := f.a.in.Keys()
		if err != nil {
			f.problem(err)
		}
		k.undo = undo
	}
	k.page(ctx)
}

// page prints what fits on the screen, or everything where nobody looks.
func (k *asking) page(ctx context.Context) {
	n := len(k.lines)
	if height := k.f.out.Notes.Height; k.undo != nil && height > 4 {
		n = min(n, height-2)
	}
	for _, line := range k.lines[:n] {
		k.f.out.Note(line)
	}
	k.lines = k.lines[n:]
	if len(k.lines) > 0 {
		k.f.out.Part(k.f.out.Notes.Dim("  there is more: space shows it "))
		k.stage = stagePage
		k.f.listen(ctx, k.key)
		return
	}
	if k.undo != nil {
		k.stage = stageSettle
		k.f.listen(ctx, func(ctx context.Context) typed { return typed{err: k.f.a.in.Settle(ctx, settleFor)} })
		return
	}
	k.offer(ctx)
}

// offer names what can be answered, now that all of it was read.
func (k *asking) offer(ctx context.Context) {
	if len(k.questions) > 0 {
		k.restore()
		k.stage = stageQuestion
		k.prompt(ctx)
		return
	}
	for _, line := range view.Legend(k.f.out.Notes, k.keys) {
		k.f.out.Note(line)
	}
	k.stage = stageKeys
	k.await(ctx)
}

// await reads a key where there are keys, else a line.
func (k *asking) await(ctx context.Context) {
	if k.f.deaf {
		k.unanswered(ctx)
		return
	}
	if k.undo != nil {
		k.f.listen(ctx, k.key)
	} else {
		k.f.listen(ctx, k.f.line)
	}
}

func (k *asking) key(ctx context.Context) typed {
	r, err := k.f.a.in.Key(ctx)
	return typed{key: r, err: err}
}

// prompt asks the next question.
func (k *asking) prompt(ctx context.Context) {
	q := k.questions[k.at]
	if len(k.questions) > 1 {
		k.f.out.Note(k.f.out.Notes.Bold(visibleLine(q.Text)))
	}
	k.f.out.Part(k.f.out.Notes.You("  " + q.Prompt()))
	k.await(ctx)
}

func visibleLine(s string) string {
	shown, _ := term.Visible(s)
	return term.Line(shown, 0)
}

// heard takes what was typed at this ask.
func (k *asking) heard(ctx context.Context, t typed) {
	if t.err != nil {
		k.f.deaf = !k.f.a.in.TTY()
		k.unanswered(ctx)
		return
	}
	switch k.stage {
	case stagePage:
		if t.key == ' ' || t.key == '\n' || t.key == '\r' {
			k.f.out.EndPart("")
			k.page(ctx)
		} else {
			k.f.listen(ctx, k.key)
		}
	case stageSettle:
		k.offer(ctx)
	case stageKeys:
		k.press(ctx, t)
	case stageQuestion:
		k.reply(ctx, t.line)
	case stageNote:
		k.noted(ctx, t.line)
	case stageSent: // what is typed while an answer is on its way answers nothing
	}
}

// press takes a key, or a line that stands for one.
func (k *asking) press(ctx context.Context, t typed) {
	var key view.Key
	var ok bool
	if k.undo != nil {
		key, ok = view.Press(k.keys, t.key)
	} else {
		key, ok = view.Typed(k.keys, t.line)
	}
	switch {
	case !ok && k.undo == nil && t.line != "":
		k.f.tell("Not understood; nothing was answered.")
		k.await(ctx)
	case !ok:
		k.await(ctx)
	case key.Later:
		k.later(ctx)
	case key.Note:
		k.restore()
		k.note, k.stage = &key, stageNote
		k.f.out.Part(k.f.out.Notes.You("  note to the agent (empty: none): "))
		k.await(ctx)
	default:
		k.send(ctx, key.Send, key.Label)
	}
}

func (k *asking) noted(ctx context.Context, line string) {
	k.f.out.EndPart("")
	in := k.note.Send
	in.Message = line
	k.send(ctx, in, k.note.Label)
}

func (k *asking) reply(ctx context.Context, line string) {
	k.f.out.EndPart("")
	switch line {
	case "/d":
		k.send(ctx, view.Answer{Ask: k.ask.ID, Digest: k.ask.Digest, Decision: vyre.Deny}, "declined")
		return
	case "/l":
		k.later(ctx)
		return
	}
	q := k.questions[k.at]
	answer, ok := q.Reply(line)
	if !ok {
		k.prompt(ctx)
		return
	}
	k.answers[q.Text] = answer
	if k.at++; k.at < len(k.questions) {
		k.prompt(ctx)
		return
	}
	k.send(ctx, view.Answer{Ask: k.ask.ID, Digest: k.ask.Digest, Decision: vyre.Allow, Answers: k.answers}, k.given())
}

// given are the answers in a line.
func (k *asking) given() string {
	parts := make([]string, 0, len(k.questions))
	for _, q := range k.questions {
		parts = append(parts, visibleLine(k.answers[q.Text]))
	}
	return strings.Join(parts, "; ")
}

// send gives the answer. It is believed only when the event says so.
func (k *asking) send(ctx context.Context, in view.Answer, label string) {
	k.restore()
	k.stage, k.sent = stageSent, label
	k.f.tell("Sending: " + label)
	k.f.call(ctx, "threads.answer", in, nil, func(err error) { k.replied(ctx, err) })
}

// replied takes what the daemon says to the answer; the ask may be over by then.
func (k *asking) replied(ctx context.Context, err error) {
	switch {
	case err == nil:
	case k.f.asking != k:
		k.f.problem(err)
	case vyre.CodeOf(err) == vyre.CodeUnavailable || vyre.CodeOf(err) == vyre.CodeTimeout:
		k.f.problem(err)
		k.again(ctx)
	default:
		k.f.problem(err)
		k.end(ctx, "")
	}
}

// again shows the ask anew, after an answer that may not have arrived.
func (k *asking) again(ctx context.Context) {
	k.f.asking = nil
	k.f.show(ctx, k.ask)
}

// later leaves the ask open and goes on.
func (k *asking) later(ctx context.Context) {
	k.end(ctx, "Left open: vyre answer "+view.Short(k.ask.ID)+" allow|deny")
}

// unanswered leaves the ask open because nobody is there to answer it.
func (k *asking) unanswered(ctx context.Context) {
	k.f.out.EndPart("")
	k.f.tell("The question stays open. Answer it on the page (vyre open), or with:")
	k.f.tell("  " + howToAnswer(k.ask))
	k.end(ctx, "")
}

func howToAnswer(a vyre.Ask) string {
	var s strings.Builder
	s.WriteString("vyre answer " + view.Short(a.ID) + " allow")
	for i := range view.Questions(a) {
		s.WriteString(" --answers '" + string(rune('1'+i)) + "=…'")
	}
	return s.String()
}

// settled takes notice that an ask is over.
func (f *follow) settled(ctx context.Context, id vyre.AskID, how string) {
	f.known[id] = true
	kept := f.asks[:0]
	for _, a := range f.asks {
		if a.ID != id {
			kept = append(kept, a)
		}
	}
	f.asks = kept
	if k := f.asking; k != nil && k.ask.ID == id {
		k.end(ctx, how)
	} else if !f.a.json {
		f.live.Rest()
		f.tell(how)
	}
}

// end takes the ask off the screen and goes on.
func (k *asking) end(ctx context.Context, how string) {
	k.f.quiet()
	k.leave()
	k.f.asking = nil
	if how != "" {
		k.f.tell(how)
	}
	k.f.next(ctx)
}

// leave gives the terminal back.
func (k *asking) leave() { k.restore() }

func (k *asking) restore() {
	if k.undo != nil {
		k.undo()
		k.undo = nil
	}
}

func verdict(d vyre.AskAnsweredData) string {
	s := answered(d.Decision)
	if d.Decision == vyre.Allow && d.Scope != "" {
		s += " (" + string(d.Scope) + ")"
	}
	if d.By != "" {
		s += " by " + d.By
	}
	return s
}

func withdrawn(d vyre.AskCancelledData) string {
	if d.Why == "" {
		return "The question was withdrawn."
	}
	return "The question was withdrawn: " + d.Why
}
