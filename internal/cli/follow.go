package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"time"

	"vyre"
	"vyre/internal/cli/term"
	"vyre/internal/cli/view"
	"vyre/internal/client"
)

// follow watches one thread: it draws events, puts asks before the person, and
// sends what is typed. Its methods run on one goroutine, the one that called run;
// what the daemon is asked to do is waited for on goroutines of its own, since
// its answer may take as long as a turn does.
type follow struct {
	a      *app
	c      *client.Client
	thread vyre.ThreadID
	after  vyre.Seq
	out    *term.Out
	live   *view.Live

	turn    vyre.TurnID // follow to this turn's end; empty: until the person leaves
	busy    bool        // a turn runs
	compose bool        // lines that answer nothing are messages

	asks    []vyre.Ask          // waiting for their place on the screen
	known   map[vyre.AskID]bool // asks that were put there, or are over
	asking  *asking             // the one that is there now
	held    []vyre.Event        // what happened meanwhile
	deaf    bool                // there is nothing more to read
	ended   *time.Timer         // runs once the session is gone without its turn's end
	endedC  <-chan time.Time
	cuts    int // interrupts so far
	outcome error
	over    bool

	interrupts <-chan os.Signal
	give       func() // gives the interrupts back

	typed  chan typed
	reader reading

	calls   sync.WaitGroup // tools that were called and have not answered
	replies chan func()    // what to do about an answer; run does it
	saying  bool           // a message is on its way: the next line waits
}

// typed is what was read: a line, a key, or why there is none.
type typed struct {
	line string
	key  rune
	err  error
}

// reading is the one reader of the keyboard, while there is one.
type reading struct {
	cancel context.CancelFunc
	done   chan struct{}
}

// newFollow takes the interrupts from here on; run gives them back.
func (a *app) newFollow(c *client.Client, thread vyre.ThreadID, after vyre.Seq) *follow {
	out := a.screen()
	interrupts, give := a.takeInterrupts()
	return &follow{
		interrupts: interrupts, give: give,
		a: a, c: c, thread: thread, after: after, out: out, live: view.NewLive(out),
		known: map[vyre.AskID]bool{}, typed: make(chan typed, 1), replies: make(chan func()),
	}
}

// received is an event, or why there are no more.
type received struct {
	ev  vyre.Event
	err error
}

// run follows until the turn is over or the person leaves.
func (f *follow) run(ctx context.Context) error {
	defer f.give()
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer f.calls.Wait()
	defer cancel()
	events := make(chan received)
	wg.Go(func() { f.read(ctx, events) })
	defer f.close(ctx)
	f.next(ctx)
	for !f.over && f.out.Err() == nil {
		select {
		case r := <-events:
			if r.err != nil {
				return r.err
			}
			f.event(ctx, r.ev)
		case t := <-f.typed:
			f.reader = reading{}
			f.heard(ctx, t)
		case <-f.interrupts:
			f.interrupt(ctx)
		case reply := <-f.replies:
			reply()
		case <-f.endedC:
			f.finish(exit(1))
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return f.outcome
}

// read hands on the thread's events until ctx ends.
func (f *follow) read(ctx context.Context, out chan<- received) {
	o := client.EventsOptions{Thread: f.thread, Follow: true, OnLost: func(error) {}}
	for ev, err := range f.c.Events(ctx, f.after, o) {
		select {
		case out <- received{ev, err}:
		case <-ctx.Done():
			return
		}
	}
	if ctx.Err() == nil {
		select {
		case out <- received{err: vyre.Errorf(vyre.CodeUnavailable, "the daemon's events ended")}:
		case <-ctx.Done():
		}
	}
}

// call calls a tool and goes on; done runs in the loop once it has answered,
// unless the loop is over by then.
func (f *follow) call(ctx context.Context, tool string, in, out any, done func(error)) {
	f.calls.Go(func() {
		err := f.c.Call(ctx, tool, in, out)
		select {
		case f.replies <- func() { done(err) }:
		case <-ctx.Done():
		}
	})
}

// close leaves terminal and screen as they were found.
func (f *follow) close(ctx context.Context) {
	f.quiet()
	if f.asking != nil {
		f.asking.leave()
		f.asking = nil
	}
	if f.ended != nil {
		f.ended.Stop()
	}
	f.flush(ctx)
	f.live.End()
}

// finish ends the following.
func (f *follow) finish(outcome error) {
	f.over, f.outcome = true, outcome
}

// goneBound is how long a turn's end may come after its session's.
const goneBound = 2 * time.Second

// event takes one event: what it means for the following first, then its look.
func (f *follow) event(ctx context.Context, ev vyre.Event) {
	if string(ev.Data) == "null" { // of a thread that was deleted since: it says nothing any more
		if f.a.json {
			f.printEvent(ev)
		}
		return
	}
	switch ev.Kind {
	case vyre.EvThreadDeleted:
		f.finish(vyre.Errorf(vyre.CodeNotFound, "the thread was deleted").WithHint("Nothing of it is left to follow."))
	case vyre.EvAskRaised:
		data(ev, func(d vyre.AskRaised) { f.raised(ctx, d.Ask) })
	case vyre.EvAskAnswered:
		data(ev, func(d vyre.AskAnsweredData) { f.settled(ctx, d.Ask, verdict(d)) })
	case vyre.EvAskCancelled:
		data(ev, func(d vyre.AskCancelledData) { f.settled(ctx, d.Ask, withdrawn(d)) })
	case vyre.EvThreadState:
		data(ev, func(d vyre.ThreadState) {
			f.busy = d.To == vyre.StateRunning || d.To == vyre.StateWaiting
			if !d.To.Live() {
				f.gone()
			}
		})
	}
	if f.a.json {
		f.printEvent(ev)
	} else if f.asking != nil {
		f.held = append(f.held, ev)
	} else {
		f.draw(ctx, ev)
	}
	if ev.Kind == vyre.EvThreadFinished {
		data(ev, func(d vyre.ThreadFinished) {
			if f.turn != "" && d.Turn == f.turn {
				f.finish(outcomeOf(d.Status))
			}
		})
	}
}

// draw draws an event; words that no event brought are read first.
func (f *follow) draw(ctx context.Context, ev vyre.Event) {
	f.live.Event(ev)
	if ev.Kind != vyre.EvThreadItem {
		return
	}
	data(ev, func(d vyre.ThreadItem) {
		if !f.live.Missing(d) {
			return
		}
		before := ev.Seq - 1
		var out itemsOutput
		if err := f.c.Call(ctx, "threads.items", itemsInput{Thread: f.thread, SinceRev: &before, Limit: pageSize}, &out); err != nil {
			return // it is still in the timeline
		}
		for _, it := range out.Items {
			if it.ID == d.Item {
				f.live.Items([]vyre.Item{it})
			}
		}
	})
}

// printEvent prints events as documents for `attach --json`; `run --json` gives
// the tool's output alone.
func (f *follow) printEvent(ev vyre.Event) {
	if !f.compose {
		return
	}
	if err := f.a.printValue(ev); err != nil {
		f.finish(err)
	}
}

// gone notes that the session ended; the turn's end should follow.
func (f *follow) gone() {
	if f.turn != "" && f.ended == nil {
		f.ended = time.NewTimer(goneBound)
		f.endedC = f.ended.C
	}
}

func outcomeOf(s vyre.TurnStatus) error {
	switch s {
	case vyre.TurnCompleted:
		return nil
	case vyre.TurnCanceled:
		return exit(interruptedCode)
	default:
		return exit(1)
	}
}

// interruptedCode is what shells give a command that Ctrl-C ended.
const interruptedCode = 130

// interrupt ends the turn at the first Ctrl-C and leaves at the second.
func (f *follow) interrupt(ctx context.Context) {
	f.cuts++
	switch {
	case !f.busy && f.turn == "":
		f.finish(nil)
	case f.cuts > 1:
		f.tell("The turn goes on: vyre attach " + view.Short(f.thread))
		f.finish(exit(interruptedCode))
	default:
		f.tell("Interrupting. Ctrl-C again leaves, and the turn goes on.")
		f.call(ctx, "threads.interrupt", threadInput{f.thread}, nil, func(err error) {
			if err != nil {
				f.problem(err)
			}
		})
	}
	if f.compose && !f.busy {
		f.cuts = 0
	}
}

// tell writes a line of notice.
func (f *follow) tell(s string) { f.out.Note(f.out.Notes.Dim(term.Line(s, 0))) }

// problem tells an error and goes on.
func (f *follow) problem(err error) {
	e := vyre.EnvelopeOf(f.a.errorOf(err)).Error
	f.out.Note(f.out.Notes.Bad(term.Line(e.Message, 0)))
	if e.Hint != "" {
		f.tell("  " + e.Hint)
	}
}

// listen starts a reader unless there is one or nothing to read.
func (f *follow) listen(ctx context.Context, read func(ctx context.Context) typed) {
	if f.deaf || f.reader.cancel != nil {
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	f.reader = reading{cancel, done}
	go func() {
		defer close(done)
		defer cancel()
		f.typed <- read(ctx)
	}()
}

// quiet ends the reader and drops what it read in the last moment.
func (f *follow) quiet() {
	if f.reader.cancel == nil {
		return
	}
	f.reader.cancel()
	<-f.reader.done
	f.reader = reading{}
	select {
	case <-f.typed:
	default:
	}
}

func (f *follow) line(ctx context.Context) typed {
	s, err := f.a.in.Line(ctx)
	return typed{line: s, err: err}
}

// heard takes what was typed.
func (f *follow) heard(ctx context.Context, t typed) {
	switch {
	case t.err != nil && !errors.Is(t.err, io.EOF):
		if ctx.Err() == nil {
			f.finish(t.err)
		}
	case f.asking != nil:
		f.asking.heard(ctx, t)
	case t.err != nil: // the end of input
		f.deaf = true
		if f.a.in.TTY() {
			f.finish(nil)
		}
	case f.compose:
		f.say(ctx, t.line)
		f.next(ctx)
	}
}

// say sends a message. The next line is read once the daemon has this one, so
// that they arrive in the order in which they were typed.
func (f *follow) say(ctx context.Context, text string) {
	if len(text) == 0 {
		return
	}
	f.saying = true
	out := new(sendOutput)
	f.call(ctx, "threads.send", sendInput{Thread: f.thread, Text: text}, out, func(err error) {
		f.saying = false
		if err != nil {
			f.problem(err)
		} else if f.cuts = 0; out.Via != vyre.ViaTurn {
			f.tell(sentAs(out.Via) + " " + text)
		}
		f.next(ctx)
	})
}

// flush draws what was held back while an ask stood on the screen.
func (f *follow) flush(ctx context.Context) {
	held := f.held
	f.held = nil
	for _, ev := range held {
		f.draw(ctx, ev)
	}
}
