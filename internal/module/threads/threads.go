package threads

import (
	"vyre"
	"vyre/internal/registry"
)

// Module holds what the tools need.
type Module struct {
	Engine Engine
	Store  Store

	Attachments Attachments
	Files       Files
	Worktrees   Worktrees
}

// maxText is how large an input with a message may be, in bytes.
const maxText = 8 << 20

// Ref is the input of a tool about one thread.
type Ref struct {
	Thread vyre.ThreadID `json:"thread" jsonschema:"the thread"`
}

// ThreadRef tells the registry which thread a call is about.
func (r Ref) ThreadRef() vyre.ThreadID { return r.Thread }

// Register declares the tools and the events of threads.
func (m *Module) Register(r *registry.Registry) {
	registry.Define(r, vyre.Tool{
		Name: "threads.start", Effect: vyre.EffectSpawn, Reach: vyre.ReachPerson, MaxInput: maxText,
		Summary: "Start a thread: a conversation with an agent in a folder. Returns once the agent has answered.",
	}, m.start)
	registry.Define(r, vyre.Tool{
		Name: "threads.send", Effect: vyre.EffectSpawn, Reach: vyre.ReachSelf, MaxInput: maxText,
		Summary: "Send a message to a thread. While a turn runs it joins that turn at the agent's next step; without a process one is started.",
	}, m.send)
	registry.Define(r, vyre.Tool{
		Name: "threads.list", Effect: vyre.EffectRead, Reach: vyre.ReachOwn,
		Summary: "List threads, the newest change first. A thread sees itself alone.",
	}, m.list)
	registry.Define(r, vyre.Tool{
		Name: "threads.get", Effect: vyre.EffectRead, Reach: vyre.ReachSelf,
		Summary: "Get one thread.",
	}, m.get)
	registry.Define(r, vyre.Tool{
		Name: "threads.items", Effect: vyre.EffectRead, Reach: vyre.ReachSelf,
		Summary: "Read a thread's timeline in order of first appearance, the last page by default.",
	}, m.items)
	registry.Define(r, vyre.Tool{
		Name: "threads.interrupt", Effect: vyre.EffectWrite, Reach: vyre.ReachSelf,
		Summary: "End the running turn. Its open asks are withdrawn first; the session lives on, and goes on with what is queued.",
	}, m.interrupt)
	registry.Define(r, vyre.Tool{
		Name: "threads.stop", Effect: vyre.EffectSpawn, Reach: vyre.ReachSelf,
		Summary: "End a thread's process and everything it started. What is queued waits for the next send or resume.",
	}, m.stop)
	registry.Define(r, vyre.Tool{
		Name: "threads.resume", Effect: vyre.EffectSpawn, Reach: vyre.ReachPerson,
		Summary: "Start a process for a thread that has none.",
	}, m.resume)
	m.registerQueue(r)
	m.registerBranch(r)
	m.registerOutput(r)
	m.registerSettings(r)
	m.registerTerminal(r)
	m.registerApply(r)
	registerEvents(r)
}

func (m *Module) registerSettings(r *registry.Registry) {
	registry.Define(r, vyre.Tool{
		Name: "threads.archive", Effect: vyre.EffectWrite, Reach: vyre.ReachPerson,
		Summary: "Put a thread away, or take it out again. Nothing is deleted.",
	}, m.archive)
	registry.Define(r, vyre.Tool{
		Name: "threads.rename", Effect: vyre.EffectWrite, Reach: vyre.ReachSelf,
		Summary: "Give a thread a name.",
	}, m.rename)
	registry.Define(r, vyre.Tool{
		Name: "threads.mode", Effect: vyre.EffectWrite, Reach: vyre.ReachPerson, Decides: true,
		Summary: "Set how much a thread may do unasked. The only tool that sets a mode.",
	}, m.mode)
	registry.Define(r, vyre.Tool{
		Name: "threads.model", Effect: vyre.EffectWrite, Reach: vyre.ReachPerson,
		Summary: "Set a thread's model.",
	}, m.model)
	registry.Define(r, vyre.Tool{
		Name: "threads.budget", Effect: vyre.EffectWrite, Reach: vyre.ReachPerson, Decides: true,
		Summary: "Set what a thread may cost. Used up, the thread is stopped; raised, it goes on.",
	}, m.budget)
	registry.Define(r, vyre.Tool{
		Name: "threads.pids", Effect: vyre.EffectRead, Reach: vyre.ReachSelf,
		Summary: "List the processes, process groups and sessions of a thread, and its cgroup.",
	}, m.pids)
}

func registerEvents(r *registry.Registry) {
	registry.DefineEvent[vyre.ThreadStarted](r, "A thread exists, or its process was started again.")
	registry.DefineEvent[vyre.ThreadState](r, "A thread took a move of the state table.")
	registry.DefineEvent[vyre.ThreadTurn](r, "A turn changed its status.")
	registry.DefineEvent[vyre.ThreadFinished](r, "A turn is over: told once, after its last thread.turn.")
	registry.DefineEvent[vyre.ThreadText](r, "Words of an item, in order.")
	registry.DefineEvent[vyre.ThreadTool](r, "A tool call changed its status. Its input is in the item.")
	registry.DefineEvent[vyre.ThreadRefused](r, "A call was refused that nobody may allow; nobody was asked.")
	registry.DefineEvent[vyre.ThreadItem](r, "An item that is neither streamed words nor a tool call appeared or changed.")
	registry.DefineEvent[vyre.ThreadPlan](r, "The agent's plan changed; it is in the item.")
	registry.DefineEvent[vyre.ThreadUsage](r, "What a turn used.")
	registry.DefineEvent[vyre.ThreadMode](r, "A thread's mode was set.")
	registry.DefineEvent[vyre.ThreadModel](r, "A thread's model was set.")
	registry.DefineEvent[vyre.ThreadQueued](r, "A message waits in the stored queue.")
	registry.DefineEvent[vyre.ThreadSent](r, "A message was handed to the agent.")
	registry.DefineEvent[vyre.ThreadSteered](r, "The agent took a message into the running turn.")
	registry.DefineEvent[vyre.ThreadEdited](r, "The words of a queued message changed.")
	registry.DefineEvent[vyre.ThreadUnqueued](r, "A queued message was taken back.")
	registry.DefineEvent[vyre.ThreadMoved](r, "A queued message has another place in the queue.")
	registry.DefineEvent[vyre.ThreadRewound](r, "The conversation went back to before a message.")
	registry.DefineEvent[vyre.ThreadFolder](r, "A thread's folder is at another place now.")
	registry.DefineEvent[vyre.ThreadTask](r, "Work in the background began, went on or ended.")
	registry.DefineEvent[vyre.ThreadEffort](r, "How hard the model thinks was set.")
	registry.DefineEvent[vyre.ThreadParked](r, "A thread waits for a limit or the disk, or goes on.")
	registry.DefineEvent[vyre.ThreadBudget](r, "What a thread may cost was set.")
	registry.DefineEvent[vyre.ThreadDeleted](r, "A thread's rows are gone.")
	registry.DefineEvent[vyre.ThreadLimit](r, "What the provider says of its limits.")
	registry.DefineEvent[vyre.ThreadStopped](r, "A thread has no process any more.")
	registry.DefineEvent[vyre.ThreadBreach](r, "A session did what was not allowed and was stopped.")
	registry.DefineEvent[vyre.ThreadRenamed](r, "A thread has a new name.")
	registry.DefineEvent[vyre.ThreadArchived](r, "A thread was put away or taken out again.")
}
