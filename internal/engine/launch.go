package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"vyre"
	"vyre/agent"
	"vyre/internal/fail"
)

// launch starts a process for the thread: intent on disk, the shim, its identity
// on disk, the agent, the handshake. It returns once the handshake is under way.
// After an error nothing is left: no process, no session row.
func (o *owner) launch(ctx context.Context) error {
	e := o.e
	if err := o.clearLeft(ctx); err != nil {
		return err
	}
	p, err := e.provider(o.book.thread.Provider)
	if err != nil {
		return err
	}
	id := vyre.SessionID(vyre.NewID())
	r, cmd, err := o.equip(ctx, p, id)
	if err != nil {
		return err
	}
	if err := o.takeRoom(ctx); err != nil {
		e.unbroker(r.session.Broker)
		return err
	}
	defer o.giveRoom() // by then the session is tracked, or there is none
	s := vyre.Session{
		ID: id, Thread: o.id, State: vyre.SessionStarting,
		Token: vyre.NewSecret(), Started: e.now(), Broker: r.session.Broker, BrokerKey: r.session.BrokerKey,
	}
	s.Dir = e.cfg.SessionDir(s.ID)
	e.track(s)
	if err := o.save(ctx, s); err != nil {
		e.untrack(s.ID)
		return err
	}
	fail.Point("engine.launch.intent")
	if err := e.openDoor(s); err != nil {
		o.forget(o.e.ctx, s)
		return err
	}
	s, proc, err := e.cfg.Launcher.Prepare(ctx, s, cmd)
	if err != nil {
		o.forget(o.e.ctx, s)
		return err
	}
	r.session, r.proc = s, proc
	if err := o.letRun(ctx, r); err != nil {
		o.undo(o.e.ctx, r)
		return err
	}
	return nil
}

// equip asks the machine and the provider what the process needs.
func (o *owner) equip(ctx context.Context, p agent.Provider, id vyre.SessionID) (*run, agent.Command, error) {
	if o.e.cfg.Folder != nil { // never another one in its place
		if err := o.e.cfg.Folder(o.book.thread.CWD); err != nil {
			return nil, agent.Command{}, err
		}
	}
	th, err := o.funded(ctx)
	if err != nil {
		return nil, agent.Command{}, err
	}
	opts, err := o.e.cfg.Runtime.Options(ctx, th)
	if err != nil {
		return nil, agent.Command{}, err
	}
	if err := o.launchOptions(p, &opts); err != nil {
		return nil, agent.Command{}, err
	}
	opts.Env = append(slices.Clone(opts.Env), o.e.doorEnv(id)...)
	opts.NativeID, opts.CWD, opts.Mode, opts.Effort = th.NativeID, th.CWD, th.Mode, th.Effort
	opts.Resume = o.book.stored && th.NativeID != ""
	o.e.equipHost(p, th, &opts)
	folder, err := o.trusting(ctx, p, &opts)
	if err != nil {
		return nil, agent.Command{}, err
	}
	if opts, err = o.recall(ctx, p, opts); err != nil {
		return nil, agent.Command{}, err
	}
	r := &run{provider: p, folder: folder}
	if err := o.broker(ctx, th, p, r, &opts); err != nil {
		return nil, agent.Command{}, err
	}
	cmd, err := p.Command(opts)
	if err != nil {
		o.e.unbroker(r.session.Broker)
		return nil, agent.Command{}, err
	}
	opts.Credential = nil // it is in the command's one-shot descriptors now
	r.opts, r.proto = opts, p.Protocol(opts)
	return r, cmd, nil
}

// letRun records the shim's identity, lets the agent run and says hello to it.
func (o *owner) letRun(ctx context.Context, r *run) error {
	r.session.State = vyre.SessionPrepared
	o.e.track(r.session)
	if err := o.save(ctx, r.session); err != nil {
		return err
	}
	fail.Point("engine.launch.prepared")
	pid, err := r.proc.Go(ctx)
	if err != nil {
		return err
	}
	fail.Point("engine.launch.running")
	r.session.State, r.session.AgentPID = vyre.SessionLive, pid
	held, open := r.proc.Confined()
	r.session.Confined, r.open = strings.Join(append(strings.Fields(r.session.Confined), held...), " "), open
	o.e.track(r.session)
	hello, err := r.proto.Encode(1, agent.Initialize{})
	if err != nil {
		return vyre.Errorf(vyre.CodeInternal, "the handshake could not be written").Because(err)
	}
	f := vyre.Frame{Session: r.session.ID, N: 1, Bytes: hello}
	c := vyre.Commit{Durable: true, Sessions: []vyre.Session{r.session}, Frames: []vyre.Frame{f}}
	if err := o.e.cfg.Store.Commit(ctx, &c); err != nil {
		return err
	}
	fail.Point("engine.launch.recorded")
	o.book.frames = map[uint64]vyre.Frame{1: f}
	o.book.next = 2
	o.book.mark = vyre.SpoolMark{Session: r.session.ID}
	o.book.tasks = map[string]agent.Task{}
	o.attach(o.e.ctx, r)
	r.courier.push([]vyre.Frame{f})
	r.setAlarm(o.e.cfg.Ready)
	return nil
}

func (o *owner) save(ctx context.Context, s vyre.Session) error {
	return o.e.cfg.Store.Commit(ctx, &vyre.Commit{Durable: true, Sessions: []vyre.Session{s}})
}

// forget removes the row of a session that never came to be, and its folder.
func (o *owner) forget(ctx context.Context, s vyre.Session) {
	if err := o.e.cfg.Store.Commit(ctx, &vyre.Commit{Durable: true, Forget: []vyre.SessionID{s.ID}}); err != nil {
		o.log.Error("a session's row could not be removed; the next start sweeps it", "error", err)
		return
	}
	o.discard(s)
}

// discard lets go of a session that is over in our books.
func (o *owner) discard(s vyre.Session) {
	o.e.untrack(s.ID)
	if err := o.e.cfg.Launcher.Discard(s); err != nil {
		o.log.Warn("a session's folder could not be removed; the next start tries again", "error", err)
	}
}

// undo ends a process that did not come up and forgets it. One that can't be
// proven empty keeps its row and stays known: the thread's next start, or the next
// daemon, clears it first.
func (o *owner) undo(ctx context.Context, r *run) {
	stopErr := r.proc.Stop(ctx)
	if r.stop != nil {
		r.end()
	} else {
		r.proc.Detach()
	}
	if o.run == r {
		o.run = nil
	}
	if stopErr != nil {
		o.log.Error("a session could not be proven empty", "session", string(r.session.ID), "error", stopErr)
		return
	}
	o.forget(ctx, r.session)
}

// clearLeft ends what an earlier process of the thread may have left: two agents
// never hold one conversation.
func (o *owner) clearLeft(ctx context.Context) error {
	left := o.e.openSession(o.id)
	if left == nil {
		return nil
	}
	s, proc, err := o.e.find(ctx, *left)
	if err != nil {
		return err
	}
	defer proc.Detach()
	if err := proc.Stop(ctx); err != nil {
		return err
	}
	o.forget(ctx, s)
	return nil
}

// startFailed ends a start or resume whose agent did not answer. A fresh thread
// leaves nothing; an older one is failed, and keeps its queue.
func (o *owner) startFailed(ctx context.Context, why *vyre.Error) {
	proc := o.run.proc
	o.undo(ctx, o.run)
	o.run = nil
	if _, told := why.Details["stderr"]; !told && exited(proc) {
		withStderr(why, proc.Exit().Stderr)
	}
	if o.book.stored {
		t := o.record()
		o.book.thread.Err = why.Message
		t.move(vyre.MoveFailed, whatFailed(why))
		o.insist(ctx, t)
	}
	o.settleStart(why)
}

// withStderr adds an agent's last words for its caller.
func withStderr(e *vyre.Error, stderr string) {
	_ = e.WithDetail("stderr", stderr)
	if stderr != "" {
		e.Message += ": " + lastLine(stderr)
	}
}

// whatFailed words an error for the log of events, without the agent's own words.
func whatFailed(e *vyre.Error) string {
	if s, ok := e.Details["what"].(string); ok {
		return s
	}
	return e.Message
}

// notUp words the failure of a handshake.
func notUp(provider string, x *agent.Exited) *vyre.Error {
	if x == nil {
		e := vyre.Errorf(vyre.CodeUnavailable, "%s started but did not answer in time", provider).
			WithHint("Run the agent once by hand to see what it waits for.")
		return e.WithDetail("what", e.Message)
	}
	how := fmt.Sprintf("exit code %d", x.Code)
	if x.Signal != "" {
		how = "signal " + x.Signal
	}
	e := vyre.Errorf(vyre.CodeUnavailable, "%s ended at once (%s)", provider, how).WithDetail("exit_code", x.Code)
	e.Details["what"] = e.Message
	withStderr(e, x.Stderr)
	return e.WithHint("The details hold its last words; `vyre doctor` looks at the agent.")
}
