package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"vyre"
	"vyre/agent"
)

// StartInput is what begins a thread. CWD is absolute and exists: the caller
// checked it.
type StartInput struct {
	Provider, Prompt, CWD, Model string
	Purpose                      vyre.Purpose
	Name, Project, Agent, Source string
	Mode                         vyre.Mode
	Parent                       vyre.ThreadID
	Key                          string
	By                           string            // the caller
	BudgetMicros                 int64             `json:",omitempty"` // what it may cost; 0: no bound
	Worktree                     string            `json:",omitempty"` // the work tree that CWD is in, where the thread has one of its own
	Attachments                  []vyre.Attachment `json:",omitempty"`
}

func (in StartInput) hash() string {
	in.By = ""
	b, err := json.Marshal(in)
	if err != nil {
		panic("engine: a start's input is plain data: " + err.Error())
	}
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}

// Start begins a thread and returns once its agent has answered the handshake
// and, where a prompt was given, the first turn is on disk. A refused start
// leaves no row and no process. The same key with the same input returns the
// first outcome; with another, conflict.
func (e *Engine) Start(ctx context.Context, in StartInput) (vyre.ThreadID, vyre.TurnID, error) {
	if err := e.running(ctx); err != nil {
		return "", "", err
	}
	p, err := e.provider(in.Provider)
	if err != nil {
		return "", "", err
	}
	if in.Mode == "" {
		in.Mode = vyre.ModeAsk
	}
	release, err := e.holdKey(ctx, in.Key)
	if err != nil {
		return "", "", err
	}
	defer release()
	if id, turn, found, err := e.replayed(ctx, in); found || err != nil {
		return id, turn, err
	}
	th := e.newThread(in, p.Info())
	o := e.owner(th.ID, nil, &th)
	err = e.ask(ctx, o, &request{ctx: ctx, done: make(chan error, 1), fn: func(o *owner, r *request) (bool, error) {
		return false, o.begins(r, in)
	}})
	if err != nil {
		return "", "", err
	}
	turn := vyre.TurnID("")
	if in.Prompt != "" {
		turn = vyre.MakeTurnID(th.ID, 1)
	}
	return th.ID, turn, nil
}

// holdKey lets one start with a key run at a time, so that a retry that overlaps
// the first try waits for its outcome.
func (e *Engine) holdKey(ctx context.Context, key string) (release func(), err error) {
	if key == "" {
		return func() {}, nil
	}
	for {
		e.mu.Lock()
		busy, taken := e.keys[key]
		if !taken {
			mine := make(chan struct{})
			e.keys[key] = mine
			e.mu.Unlock()
			return func() {
				e.mu.Lock()
				delete(e.keys, key)
				e.mu.Unlock()
				close(mine)
			}, nil
		}
		e.mu.Unlock()
		select {
		case <-busy:
		case <-ctx.Done():
			return nil, timedOut(ctx)
		}
	}
}

func (e *Engine) replayed(ctx context.Context, in StartInput) (vyre.ThreadID, vyre.TurnID, bool, error) {
	if in.Key == "" {
		return "", "", false, nil
	}
	th, ok, err := e.cfg.Store.ThreadByKey(ctx, in.Key)
	if err != nil {
		return "", "", false, err
	}
	if !ok {
		return "", "", false, e.Unspent(ctx, in.Key)
	}
	if th.KeyHash != in.hash() {
		return "", "", true, vyre.Errorf(vyre.CodeConflict, "key %q already started a thread from another input", in.Key).
			WithHint("Use a new key for a new thread.").WithDetail("thread", th.ID)
	}
	if in.Prompt == "" {
		return th.ID, "", true, nil
	}
	return th.ID, vyre.MakeTurnID(th.ID, 1), true, nil
}

// Unspent refuses (conflict) a key whose thread was deleted: a retry that comes after
// that would run the prompt a second time. A caller that makes something before Start
// asks first.
func (e *Engine) Unspent(ctx context.Context, key string) error {
	if key == "" {
		return nil
	}
	spent, err := e.cfg.Store.KeySpent(ctx, key)
	if err == nil && spent {
		err = vyre.Errorf(vyre.CodeConflict, "key %q started a thread that was deleted since", key).
			WithHint("Use a new key for a new thread.")
	}
	return err
}

func (e *Engine) newThread(in StartInput, info agent.Info) vyre.Thread {
	now := e.now()
	id := vyre.NewThreadID()
	th := vyre.Thread{
		ID: id, Provider: info.Name, Driver: info.Driver, Model: in.Model, Mode: in.Mode,
		State: vyre.StateStarting, Purpose: in.Purpose, CWD: in.CWD, Project: in.Project, Agent: in.Agent,
		Name: in.Name, BudgetMicros: in.BudgetMicros, Source: in.Source, Node: e.cfg.Node, Parent: in.Parent, Worktree: in.Worktree,
		Created: now, Updated: now, Key: in.Key, KeyHash: in.hash(),
	}
	if info.Capabilities.OwnID {
		th.NativeID = string(id)
	}
	return th
}

// begins starts the process of a thread that has no row yet. The request is
// settled when the agent answered (started) or did not (startFailed).
func (o *owner) begins(r *request, in StartInput) error {
	if in.Prompt != "" {
		id := vyre.MessageID(in.Key)
		if id == "" {
			id = vyre.NewMessageID()
		}
		o.book.queue = []vyre.Message{{
			ID: id, Thread: o.id, Text: in.Prompt, State: vyre.MessageQueued, Via: vyre.ViaTurn,
			Attachments: in.Attachments,
			By:          in.By, Order: 1, Created: o.e.now(), Turn: vyre.MakeTurnID(o.id, 1),
			Hash: hashOf(in.Prompt, in.Attachments),
		}}
		o.book.thread.Turns = 1
	}
	o.starting = r
	if err := o.launch(r.ctx); err != nil {
		o.starting = nil
		return err
	}
	return nil
}

// started takes the handshake of a new process: a fresh thread gets its row, and
// what waits in the queue is handed over.
func (o *owner) started(ctx context.Context, ready agent.Ready) {
	r := o.run
	r.ready = true
	r.clearAlarm()
	if err := o.unseen(ctx); err != nil {
		o.startFailed(ctx, vyre.AsError(err))
		return
	}
	o.heard(ready)

	t := o.begin()
	t.durable()
	fresh := !o.book.stored
	o.book.stored = true
	th := &o.book.thread
	if ready.Model != "" {
		th.Model = ready.Model
	}
	if ready.NativeID != "" {
		th.NativeID = ready.NativeID
	}
	t.thread = true
	t.event(vyre.ThreadStarted{
		Provider: th.Provider, Driver: th.Driver, Model: th.Model, Mode: th.Mode,
		Purpose: th.Purpose, Source: th.Source, Project: th.Project, Auth: o.inUse(), Resumed: !fresh,
		Confined: strings.Fields(r.session.Confined), Open: r.open,
		FolderSettings: o.run.folder.Trust,
	})
	t.move(vyre.MoveReady, "")
	if ready.Mode != "" && ready.Mode != th.Mode {
		// The agent's own settings may name another mode than the thread's.
		if err := t.say(agent.SetMode{Mode: th.Mode}, "", ""); err != nil {
			o.log.Warn("the thread's mode could not be set", "error", err)
		}
	}
	if fresh {
		t.c.Messages = append(t.c.Messages, o.book.queue...)
	}
	if len(o.book.queue) > 0 {
		o.dispatch(t, o.book.queue[0])
	}
	o.tellFolder(t, fresh)
	if !fresh {
		o.insist(ctx, t)
		o.settleStart(nil)
		return
	}
	if err := t.commit(ctx); err != nil {
		o.startFailed(ctx, vyre.AsError(err))
		return
	}
	o.settleStart(nil)
}

func (o *owner) settleStart(err error) {
	if o.starting != nil {
		o.starting.done <- err
		o.starting = nil
	}
}
