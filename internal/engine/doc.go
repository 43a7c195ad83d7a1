// Package engine owns live threads: one goroutine a thread applies the state
// table and is the only one that commits that thread's rows.
//
// # What it owns
//
// The life of a thread between a caller's act and the agent's words: starting
// and resuming processes, the stored queue, turns, items, asks, interrupts,
// stops, adoption after a restart. It must not know about doors, SQL, sockets or
// any agent's protocol: it drives an agent.Protocol and a Process through ports
// (ports.go) and never asks which driver it has.
//
// # One message's way through here
//
// Send finds or makes the thread's owner and hands it a request. The owner looks
// at the state: with a turn running the message joins it (steer.go) or is stored as
// queued (queue.go); idle, it becomes a turn; without a process, a resume begins.
// Each is one durable commit
// that holds the message, the turn, the events and the numbered input frame.
// Only then is the caller answered, and only then the frame goes to the shim.
// What the agent says comes back as lines with their offset; the owner decodes
// them, applies the events to its book and commits items, events and the offset
// together.
//
// # Steering
//
// A steered message waits at the agent, state sent, in no turn. The agent takes it
// into the turn that runs (join), runs it as the next one (carry), or gives it back
// (requeue). Which of them is the agent's word, bound by message id, never by count.
// An interrupt takes nothing more in: what is typed after it is for later.
//
// # Branches
//
// A conversation that went back (rewind.go) or was copied (fork.go) goes on under an
// id of its own, which the agent fills with the first message it is told. Until its
// history says so, each launch gives where it comes from (branch.go); that stands in
// the thread's launch options, so nothing but one commit divides the old conversation
// from the new one.
//
// # Inside a session
//
// Hooks (hook.go) and calls of our own tools (toolcall.go) are requests of the agent
// like its questions, and are told again to a daemon that takes a session over. A
// subagent's call waits in its hook for a slot; the ledger (package slots) changes
// with the commit that tells of it, so only changes that can't be taken back touch
// it. A tool that changes something is noted before it runs, and never run again.
//
// # A call's way
//
// Every call is judged (judge.go) at its hook, before anything of the agent's own lets
// it pass, and again at the question that may follow (asked.go) and at a person's final
// input (final.go): floor, gate, grants, what only reads, and else a person. What nobody
// may is refused in the hook or answered at once, what may pass is answered at once; of
// neither an ask is raised, so an ask is answered by a person or not at all. A verdict
// of ours stands on the call's item, where the next daemon finds it. A result that no
// verdict allows is a breach (breach.go): the session is stopped, and a person alone
// brings the thread back.
//
// # Places
//
// idle.go closes what rests, and makes room under the cap; line.go keeps the threads
// that wait for a place. A session that somebody follows (watch.go), or with work
// behind it (task.go), is not closed.
//
// # Limits and budgets
//
// A turn's cost is summed in the commit that ends it. A turn that fails at the
// provider's limit ends, puts its messages back where nothing was done, and marks
// the thread parked, or to go on with another credential, in one commit; what that
// demands of the process (keep, in park.go) is read from the book alone, so the
// next daemon does the same. While a thread is held nothing of its queue is said.
// The agent has a message that it took in its history and runs no id twice, so a
// message that is said anew goes by another id there: compare with Message.SentAs,
// never with the message's id.
//
// # What is on disk when
//
//   - Before a process is started: a session row, state starting. After the shim
//     answered and before the agent runs: its pid, start time, boot id, cgroup.
//     A daemon that dies in between finds the row and sweeps what it names.
//   - A thread's row is written when its agent first answered: a refused start
//     leaves nothing.
//   - Every input frame is written in the commit that decided it, and removed
//     once the shim has acknowledged its number. The shim takes a number once.
//     So a message or an answer is delivered exactly once, whatever dies.
//   - Every event derived from a line is committed with that line's offset. A
//     later daemon decodes from the checkpoint and drops what lies before the
//     committed offset, so nothing is lost and nothing is told twice.
//
// # What ends by itself
//
// A thread with work left whose agent died is brought back at once, then after pauses,
// then not any more (revive.go). A session whose parent speaks a protocol that this
// build does not know is left alone: its thread says so, requests are refused, and a
// stop ends it without its help (foreign.go).
//
// While the disk is full a change waits to be written (space.go): the agent waits
// with it, reads go on, an interrupt and a stop act without it.
//
// # Goroutines
//
// Run waits for all of them. Each owner starts helpers for its session: a reader
// (blocks in Process.Read), a courier (blocks in Process.Send) and one for each call
// of our tools; they end with the session or with Run's context. What one thread
// frees for another (a slot, a place) is handed over on a goroutine of the engine's
// (spawn), as no owner waits for another one that works. An owner
// without a process ends as soon as nobody asks it anything.
//
// # Guarantees
//
// Public methods may be called from any goroutine and hold no lock while they
// wait. Requests to one thread are handled one at a time, in order of arrival.
// Errors are *vyre.Error.
//
// # Testing against it
//
// Store, Launcher and Runtime are small; the package's tests use the real
// SQLite store and a protocol peer over a pipe-less in-memory Process.
package engine
