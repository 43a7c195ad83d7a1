package engine

import (
	"context"

	"vyre"
	"vyre/agent"
)

// Store is what the engine keeps on disk. internal/store/sqlite implements it.
//
// Every method may be called from any goroutine. Errors are *vyre.Error: no_space
// when the disk is full (nothing was acknowledged), not_found for a missing id,
// internal for the rest.
type Store interface {
	// Commit makes the change atomic and returns when it is as durable as c asks.
	// It gives c.Events their Seq and TS in place, and c.Items their Rev.
	Commit(ctx context.Context, c *vyre.Commit) error

	Thread(ctx context.Context, id vyre.ThreadID) (vyre.Thread, error)
	ThreadByKey(ctx context.Context, key string) (vyre.Thread, bool, error)
	// KeySpent reports whether a key began a thread that was deleted.
	KeySpent(ctx context.Context, key string) (bool, error)
	// LaunchedWith returns the threads whose launch options name a word.
	LaunchedWith(ctx context.Context, word string) ([]vyre.Thread, error)
	Turn(ctx context.Context, id vyre.TurnID) (vyre.Turn, bool, error)
	Message(ctx context.Context, thread vyre.ThreadID, id vyre.MessageID) (vyre.Message, bool, error)

	// Queue returns the thread's messages in state queued, in order.
	Queue(ctx context.Context, thread vyre.ThreadID) ([]vyre.Message, error)
	// Unfinished returns the thread's messages in state sent or taken, in order of creation.
	Unfinished(ctx context.Context, thread vyre.ThreadID) ([]vyre.Message, error)
	// WorkingItems returns the items of a turn, and those of the thread that are
	// still running, in order of first appearance. Texts may be left out.
	WorkingItems(ctx context.Context, thread vyre.ThreadID, turn vyre.TurnID) ([]vyre.Item, error)
	// NewestItem returns the thread's newest item of a kind that is part of the
	// conversation, if there is one.
	NewestItem(ctx context.Context, thread vyre.ThreadID, kind vyre.ItemKind) (vyre.Item, bool, error)
	Item(ctx context.Context, thread vyre.ThreadID, id vyre.ItemID) (vyre.Item, error)
	// ItemText returns the words of an item put together from its thread.text events.
	ItemText(ctx context.Context, item vyre.ItemID) (string, error)
	// UnsettledAsks returns the thread's asks in state open or answering.
	UnsettledAsks(ctx context.Context, thread vyre.ThreadID) ([]vyre.Ask, error)
	Ask(ctx context.Context, id vyre.AskID) (vyre.Ask, error)
	// Tasks returns the thread's work in the background, in order of its beginning.
	Tasks(ctx context.Context, thread vyre.ThreadID) ([]vyre.Task, error)

	// Calls returns the calls of our tools by a thread that began and are not over.
	Calls(ctx context.Context, thread vyre.ThreadID) ([]vyre.CallMark, error)
	// Slots returns every slot, in the order in which they were asked for.
	Slots(ctx context.Context) ([]vyre.Slot, error)

	// CountFrom counts a thread's turns from a number on that are part of the
	// conversation, and their items.
	CountFrom(ctx context.Context, thread vyre.ThreadID, turn int) (turns, items int64, err error)
	// FirstSaid returns the item of the first message of a turn, if it has one.
	FirstSaid(ctx context.Context, thread vyre.ThreadID, turn vyre.TurnID) (vyre.Item, bool, error)

	// Trust returns what a person decided on just these files of a folder, Trusts all
	// decisions on one (or for "" on all), and OpenTrustAsks the questions about folders
	// that nobody answered.
	Trust(ctx context.Context, path, provider, digest string) (vyre.TrustDecision, bool, error)
	Trusts(ctx context.Context, path string) ([]vyre.TrustDecision, error)
	OpenTrustAsks(ctx context.Context) ([]vyre.Ask, error)

	// OpenSessions returns every session that is not ended, of all threads.
	OpenSessions(ctx context.Context) ([]vyre.Session, error)
	// Unsettled returns the ids of threads that need an owner at a start although
	// they have no open session: their state is one with a process, or messages
	// are queued or sent.
	Unsettled(ctx context.Context) ([]vyre.ThreadID, error)
	// Frames returns a session's unacknowledged frames by number.
	Frames(ctx context.Context, s vyre.SessionID) ([]vyre.Frame, error)
}

// Launcher starts and finds the processes of sessions. internal/shim implements
// it; every provider's processes go through the one the daemon wires.
type Launcher interface {
	// Prepare starts the parent of a session, which does not run the agent yet.
	// The session comes with ID, Thread and Dir set and is returned with the
	// identity filled in. After an error nothing is left running.
	Prepare(ctx context.Context, s vyre.Session, cmd agent.Command) (vyre.Session, Process, error)
	// Adopt finds the parent that an earlier daemon prepared or let go. Where it
	// is gone the Process is still returned: it can be read to its end, says how
	// the agent exited, and its Stop proves that nothing is left. What does not match the
	// recorded boot id and start time is never touched.
	Adopt(ctx context.Context, s vyre.Session) (Process, error)
	// Discard removes what a session left on disk, once it is proven empty and
	// everything it said is committed.
	Discard(s vyre.Session) error
}

// Process is one session's parent, seen from the daemon. Methods may be called
// from any goroutine; Read by one at a time.
type Process interface {
	// Go lets the agent run and returns its pid. Safe to repeat.
	Go(ctx context.Context) (pid int, err error)
	// Confined says, after Go, which parts of its confinement hold for the agent, by
	// name, and which places could not be closed, for people.
	Confined() (held, open []string)
	// Send delivers a numbered input frame and returns when the shim has written
	// it to the agent. A number that it has seen is acknowledged and not written
	// again. An error means that it is not known to be delivered.
	Send(ctx context.Context, n uint64, frame []byte) error
	// Accepted is the highest frame number that the shim has taken.
	Accepted(ctx context.Context) (uint64, error)
	// SetOffset sets where Read goes on.
	SetOffset(offset int64)
	// Read returns the next whole lines of the agent's output, at least one, at
	// most about max bytes, without their 0x0A, each with the offset after it.
	// It waits for more; io.EOF means that the agent is gone and all was read.
	Read(ctx context.Context, max int) ([]Line, error)
	// Committed says that output before offset is read and committed: it does not
	// count against the bound of what may wait. Cheap; may be told after each line.
	Committed(offset int64)
	// Release says that output before offset is not needed any more and may be
	// removed.
	Release(offset int64)
	// Tree lists the processes of the session, its parent included, and their
	// groups and sessions.
	Tree(ctx context.Context) ([]Member, error)
	// Signal sends a signal to the agent alone.
	Signal(ctx context.Context, sig string) error
	// Stop ends the whole tree: end of input, TERM, grace, KILL, and returns when
	// it is proven empty. Safe to repeat, and on what is already gone.
	Stop(ctx context.Context) error
	// Done is closed when the agent has exited (or its parent died).
	Done() <-chan struct{}
	// Exit says how, after Done.
	Exit() agent.Exited
	// Detach lets go of the process without ending it: the daemon is leaving.
	Detach()
}

// Line is one line of an agent's output. A line over the bound is cut: Cut then
// says how many bytes it had.
type Line struct {
	Bytes []byte
	End   int64
	Cut   int64
}

// Member is one process of a session's tree.
type Member struct{ PID, PGID, SID int }

// Runtime says what a session of a provider needs on this machine: the program,
// the environment, the credential. The daemon wires it from configuration, vault
// and the person's login shell.
type Runtime interface {
	// Options fills in Binary, Env, Credential and the like for a session of t.
	// Errors: unavailable (no program), no_credential.
	Options(ctx context.Context, t vyre.Thread) (agent.Options, error)
}

// Doors are the sockets of sessions, one for each: internal/door/sock implements it.
type Doors interface {
	// Env is what a session's processes find its socket by, in "K=V" form.
	Env(s vyre.SessionID) []string
	// Open makes a session's socket, again if an earlier daemon made it. Errors:
	// unavailable.
	Open(s vyre.Session) error
	// Close ends it and removes it. Closing what is not open removes what is left.
	Close(s vyre.SessionID)
}
