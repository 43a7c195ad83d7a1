package threads

import (
	"context"
	"slices"
	"strings"

	"vyre"
	"vyre/internal/registry"
)

// registerQueue declares the tools of what waits: messages, and work in the
// background. The order of a person's words is the person's, so only a person
// moves them; a thread may edit and take back what it sent itself.
func (m *Module) registerQueue(r *registry.Registry) {
	registry.Define(r, vyre.Tool{
		Name: "threads.queue", Effect: vyre.EffectRead, Reach: vyre.ReachSelf,
		Summary: "List the messages that wait for the running turn's end, or for a process; and those on their way into the running turn.",
	}, m.queue)
	registry.Define(r, vyre.Tool{
		Name: "threads.edit", Effect: vyre.EffectWrite, Reach: vyre.ReachSelf, MaxInput: maxText,
		Summary: "Give a queued message other words. What the agent has can't be edited: that is a rewind.",
	}, m.edit)
	registry.Define(r, vyre.Tool{
		Name: "threads.unqueue", Effect: vyre.EffectWrite, Reach: vyre.ReachSelf,
		Summary: "Take a queued message back. It is not sent, and its key stays used.",
	}, m.unqueue)
	registry.Define(r, vyre.Tool{
		Name: "threads.move", Effect: vyre.EffectWrite, Reach: vyre.ReachPerson,
		Summary: "Put a queued message before another one, or last.",
	}, m.move)
	registry.Define(r, vyre.Tool{
		Name: "threads.send_now", Effect: vyre.EffectSpawn, Reach: vyre.ReachPerson,
		Summary: "Send a queued message now: it joins the running turn, or is the next to run.",
	}, m.sendNow)
	registry.Define(r, vyre.Tool{
		Name: "threads.tasks", Effect: vyre.EffectRead, Reach: vyre.ReachSelf,
		Summary: "List a thread's work in the background that has not ended.",
	}, m.tasks)
	registry.Define(r, vyre.Tool{
		Name: "threads.stop_task", Effect: vyre.EffectWrite, Reach: vyre.ReachSelf,
		Summary: "End one piece of work in the background. The turn that runs goes on.",
	}, m.stopTask)
}

// QueueOut is the output of threads.queue: what waits, in the order in which it
// will run, and what was sent into the running turn and not taken yet.
type QueueOut struct {
	Messages []vyre.Message `json:"messages"`
	Steering []vyre.Message `json:"steering"`
}

func (m *Module) queue(ctx context.Context, _ vyre.Caller, in Ref) (QueueOut, error) {
	if _, err := m.Store.Thread(ctx, in.Thread); err != nil {
		return QueueOut{}, err
	}
	list, err := m.Store.Queue(ctx, in.Thread)
	if err != nil {
		return QueueOut{}, err
	}
	sent, err := m.Store.Unfinished(ctx, in.Thread)
	if err != nil {
		return QueueOut{}, err
	}
	out := QueueOut{Messages: filled(list), Steering: []vyre.Message{}}
	for _, x := range sent {
		if x.State != vyre.MessageSent {
			continue
		}
		u, found, err := m.Store.Turn(ctx, x.Turn)
		if err != nil {
			return QueueOut{}, err
		}
		if found && !slices.Contains(u.Messages, x.ID) {
			out.Steering = append(out.Steering, x)
		}
	}
	return out, nil
}

// QueuedIn is the input of a tool about one queued message.
type QueuedIn struct {
	Thread  vyre.ThreadID  `json:"thread" jsonschema:"the thread"`
	Message vyre.MessageID `json:"message" jsonschema:"the queued message"`
}

// ThreadRef tells the registry which thread a call is about.
func (in QueuedIn) ThreadRef() vyre.ThreadID { return in.Thread }

// EditIn is the input of threads.edit.
type EditIn struct {
	Thread  vyre.ThreadID  `json:"thread" jsonschema:"the thread"`
	Message vyre.MessageID `json:"message" jsonschema:"the queued message"`
	Text    string         `json:"text" jsonschema:"its new words"`
}

// ThreadRef tells the registry which thread a call is about.
func (in EditIn) ThreadRef() vyre.ThreadID { return in.Thread }

func (m *Module) edit(ctx context.Context, c vyre.Caller, in EditIn) (vyre.Message, error) {
	if strings.TrimSpace(in.Text) == "" {
		return vyre.Message{}, vyre.Invalid("text", "a message has words; threads.unqueue takes it back")
	}
	return m.Engine.EditQueued(ctx, in.Thread, in.Message, in.Text, c)
}

func (m *Module) unqueue(ctx context.Context, c vyre.Caller, in QueuedIn) (vyre.Message, error) {
	return m.Engine.Unqueue(ctx, in.Thread, in.Message, c)
}

// MoveIn is the input of threads.move.
type MoveIn struct {
	Thread  vyre.ThreadID  `json:"thread" jsonschema:"the thread"`
	Message vyre.MessageID `json:"message" jsonschema:"the queued message"`
	Before  vyre.MessageID `json:"before,omitempty" jsonschema:"the queued message it goes before; left out, it goes last"`
}

func (m *Module) move(ctx context.Context, c vyre.Caller, in MoveIn) (QueueOut, error) {
	if _, err := m.Engine.MoveQueued(ctx, in.Thread, in.Message, in.Before, c); err != nil {
		return QueueOut{}, err
	}
	return m.queue(ctx, c, Ref{in.Thread})
}

func (m *Module) sendNow(ctx context.Context, c vyre.Caller, in QueuedIn) (SendOut, error) {
	s, err := m.Engine.SendNow(ctx, in.Thread, in.Message, c)
	return SendOut{s.Message, s.Via, s.Turn, s.State}, err
}

// TasksOut is the output of threads.tasks, in order of their beginning.
type TasksOut struct {
	Tasks []vyre.Task `json:"tasks"`
}

func (m *Module) tasks(ctx context.Context, _ vyre.Caller, in Ref) (TasksOut, error) {
	if _, err := m.Store.Thread(ctx, in.Thread); err != nil {
		return TasksOut{}, err
	}
	list, err := m.Store.Tasks(ctx, in.Thread)
	return TasksOut{filled(list)}, err
}

// TaskIn is the input of threads.stop_task.
type TaskIn struct {
	Thread vyre.ThreadID `json:"thread" jsonschema:"the thread"`
	Task   string        `json:"task" jsonschema:"the task, by the id that threads.tasks gives"`
}

// ThreadRef tells the registry which thread a call is about.
func (in TaskIn) ThreadRef() vyre.ThreadID { return in.Thread }

func (m *Module) stopTask(ctx context.Context, _ vyre.Caller, in TaskIn) (TasksOut, error) {
	if err := m.Engine.StopTask(ctx, in.Thread, in.Task); err != nil {
		return TasksOut{}, err
	}
	return m.tasks(ctx, vyre.Caller{}, Ref{in.Thread})
}
