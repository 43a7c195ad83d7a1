package engine

import (
	"context"
	"slices"
	"strings"

	"vyre"
	"vyre/agent"
)

// Sweeper watches the protected files of a session's folder: tell is called, one call at
// a time, with what changed. nil: nothing is watched. Quarantine moves what appeared out
// of the way, never removing anything, and says where it is.
type Sweeper interface {
	Watch(root string, tell func([]FileChange)) (stop func(), err error)
	Quarantine(thread vyre.ThreadID, paths []string) (to string, err error)
}

// FileChange is a protected file that is not what it was. A digest is hex SHA-256, or
// empty where there is no file.
type FileChange struct {
	Path          string // absolute
	Before, After string
}

// sweep watches the folder of the session that has just been attached.
func (o *owner) sweep(r *run) {
	if o.e.cfg.Sweeper == nil {
		return
	}
	stop, err := o.e.cfg.Sweeper.Watch(o.book.thread.CWD, func(changes []FileChange) {
		o.e.spawn(func() { o.e.swept(o.id, r.session.ID, changes) })
	})
	if err != nil {
		o.log.Warn("the folder's protected files can't be watched; they are looked at at each start", "error", err)
		return
	}
	r.unwatch = stop
}

// swept hands a change to the thread's owner, and has it compare what its process was given.
func (e *Engine) swept(thread vyre.ThreadID, session vyre.SessionID, changes []FileChange) {
	err := e.do(e.ctx, thread, func(o *owner, _ *request) (bool, error) {
		if o.run != nil && o.run.session.ID == session {
			o.protectedChanged(e.ctx, changes)
		}
		return true, nil
	})
	if err != nil && e.ctx.Err() == nil {
		e.cfg.Log.Warn("a change of protected files could not be told", "thread", string(thread), "error", err)
	}
	e.LookAgain(thread)
}

// protectedChanged judges a change of protected files. The system does not say who made
// it, and the time alone would blame the wrong call: so while a turn runs it counts as the
// session's and is a breach, and while none runs it is told and nothing is stopped, as it
// may well be the person in an editor. What a person had us apply is explained.
func (o *owner) protectedChanged(ctx context.Context, changes []FileChange) {
	changes = slices.DeleteFunc(changes, func(c FileChange) bool { return o.e.isByHand(c) })
	if len(changes) == 0 || o.run.breach != "" || o.run.stopping != "" {
		return
	}
	var names, appeared []string
	for _, c := range changes {
		names = append(names, c.Path)
		if c.Before == "" {
			appeared = append(appeared, c.Path)
		}
	}
	inTurn := o.book.turn != nil
	t := o.record()
	t.durable()
	if inTurn {
		o.breach(t, "protected files changed behind our back: "+strings.Join(names, ", "))
	} else {
		o.item(t, agent.Item{
			Key: "swept:" + vyre.NewID(), Kind: vyre.ItemNotice, Status: vyre.ItemCompleted,
			Title: "Protected files changed while no turn ran", Text: changeWords(changes, ""),
		})
	}
	o.insist(ctx, t)
	if !inTurn || ctx.Err() != nil {
		return
	}
	o.log.Error("a breach; the session is stopped", "what", o.run.breach)
	if o.halt(ctx, vyre.StopBreach, o.run.breach, "") != nil {
		return // tried again by itself; what appeared stays where it is and is named
	}
	to := ""
	if len(appeared) > 0 { // nothing of the session is left that could make it anew
		var err error
		if to, err = o.e.cfg.Sweeper.Quarantine(o.id, appeared); err != nil {
			o.log.Error("what appeared could not be put into quarantine", "error", err)
		}
	}
	t = o.record()
	t.durable()
	o.item(t, agent.Item{
		Key: "swept:" + vyre.NewID(), Kind: vyre.ItemNotice, Status: vyre.ItemCompleted,
		Title: "Protected files changed behind our back; the session was stopped", Text: changeWords(changes, to),
	})
	o.insist(ctx, t)
}

// changeWords says what changed: names and digests, and where what appeared is now.
func changeWords(changes []FileChange, to string) string {
	short := func(d string) string { return d[:min(12, len(d))] }
	var s strings.Builder
	for _, c := range changes {
		switch {
		case c.Before == "":
			s.WriteString("- new: " + c.Path + " (" + short(c.After) + ")\n")
		case c.After == "":
			s.WriteString("- gone: " + c.Path + " (it was " + short(c.Before) + ")\n")
		default:
			s.WriteString("- changed: " + c.Path + " (" + short(c.Before) + " → " + short(c.After) + ")\n")
		}
	}
	if to != "" {
		s.WriteString("What was new lies in " + to + " now. What was there before is as it was left: look at it.")
	} else {
		s.WriteString("Nothing was moved or put back: look at it.")
	}
	return s.String()
}
