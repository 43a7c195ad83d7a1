package engine

import (
	"context"
	"log/slog"
	"time"

	"vyre"
	"vyre/agent"
)

// owner is one live thread: its book in memory and the goroutine (loop) that
// alone reads and changes it.
type owner struct {
	e     *Engine
	id    vyre.ThreadID
	log   *slog.Logger
	retry retrying
	inbox chan *request
	kick  chan struct{} // a user left: look whether anybody is still there
	users int           // requests on their way; guarded by Engine.mu

	book  book
	room  bool // a place among the live sessions is reserved
	lined bool // it was called from the line for a place
	run   *run // the process, or nil

	starts    int                   // resumes in a row that did not bring a turn to its end
	waiters   []*turnWait           // interrupts that wait for the turn's end
	answering []*answerWait         // callers that wait for an answer's delivery
	tasking   map[string][]taskWait // callers that wait for the end of work in the background
	starting  *request              // the start or resume that waits for the handshake, or nil
	full      fullDisk              // what waits for room on the disk
	due       due
	deleted   bool // its rows are gone

	saying map[string]*saying // words on their way, by driver key
}

// book is what the owner knows of its thread. It mirrors rows: it changes with a
// commit or not at all.
type book struct {
	stored bool // the thread's row exists
	thread vyre.Thread
	turn   *vyre.Turn  // the turn that runs, or nil
	taken  bool        // the agent has the turn's message
	newest vyre.TurnID // the turn that runs or ran last
	queue  []vyre.Message
	sent   []vyre.Message          // handed over, their turn not ended
	items  map[string]vyre.Item    // by driver key: this turn's, and older ones still running
	asks   map[vyre.AskID]vyre.Ask // open or answering
	frames map[uint64]vyre.Frame   // written down, not acknowledged
	next   uint64                  // number of the next frame
	mark   vyre.SpoolMark          // reading position
	tasks  map[string]agent.Task   // background work
	calls  map[string]bool         // calls of ours that change something and are not over
	trust  *vyre.Ask               // the open question about the thread's folder, or nil
}

// request is one thing asked of an owner. fn runs on the owner's goroutine and
// returns whether it is settled; if not, whoever settles it later sends on done.
type request struct {
	ctx  context.Context //nolint:containedctx // a request carries its caller's context
	fn   func(o *owner, r *request) (settled bool, err error)
	done chan error // buffered
	// A stop is done even while nothing can be written: stopBy is who asked for it.
	stopBy   string
	answered bool // done has its answer already
	// An interrupt too: it is said to the agent and written down later.
	interrupt bool
}

// do runs fn on the thread's owner and waits for the outcome. load says whether
// the thread must exist.
func (e *Engine) do(ctx context.Context, id vyre.ThreadID, fn func(o *owner, r *request) (bool, error)) error {
	return e.request(ctx, id, &request{ctx: ctx, fn: fn, done: make(chan error, 1)})
}

func (e *Engine) request(ctx context.Context, id vyre.ThreadID, r *request) error {
	if err := e.running(ctx); err != nil {
		return err
	}
	if _, err := e.cfg.Store.Thread(ctx, id); err != nil {
		return err
	}
	return e.ask(ctx, e.owner(id, nil, nil), r)
}

// running waits until Run knows what an earlier daemon left.
func (e *Engine) running(ctx context.Context) error {
	select {
	case <-e.started:
		return nil
	case <-ctx.Done():
		return timedOut(ctx)
	}
}

// ask hands a request to an owner that was got from Engine.owner.
func (e *Engine) ask(ctx context.Context, o *owner, r *request) error {
	if o == nil {
		return shuttingDown()
	}
	select {
	case o.inbox <- r:
	case <-ctx.Done():
		e.leave(o)
		return timedOut(ctx)
	case <-e.ctx.Done():
		e.leave(o)
		return shuttingDown()
	}
	e.leave(o)
	select {
	case err := <-r.done:
		return err
	case <-ctx.Done():
		return timedOut(ctx)
	case <-e.ctx.Done():
		return shuttingDown()
	}
}

// owner returns the thread's owner, starting one if there is none, and counts
// the caller as a user of it. nil: the daemon is leaving.
func (e *Engine) owner(id vyre.ThreadID, s *vyre.Session, fresh *vyre.Thread) *owner {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closing || e.ctx.Err() != nil {
		return nil
	}
	o := e.threads[id]
	if o == nil {
		o = &owner{e: e, id: id, inbox: make(chan *request), kick: make(chan struct{}, 1), log: e.cfg.Log.With("thread", string(id))}
		e.threads[id] = o
		e.owners.Go(func() { o.loop(e.ctx, s, fresh) })
	}
	o.users++
	return o
}

func (e *Engine) leave(o *owner) {
	e.mu.Lock()
	o.users--
	e.mu.Unlock()
	select {
	case o.kick <- struct{}{}:
	default:
	}
}

// rouse makes sure that a thread has an owner, without asking it anything.
func (e *Engine) rouse(id vyre.ThreadID, s *vyre.Session) {
	if o := e.owner(id, s, nil); o != nil {
		e.leave(o)
	}
}

// retire removes the owner if nobody uses it; it may then end.
func (o *owner) retire() bool {
	o.e.mu.Lock()
	defer o.e.mu.Unlock()
	if o.users > 0 || o.run != nil || o.retry.nap != nil {
		return false
	}
	delete(o.e.threads, o.id)
	return true
}

// loop is the owner's goroutine. s is the session to adopt, fresh the thread that
// is being started and has no row yet; both may be nil.
func (o *owner) loop(ctx context.Context, s *vyre.Session, fresh *vyre.Thread) {
	defer o.letGo()
	defer o.disarm()
	for {
		err := o.load(ctx, s, fresh)
		if err == nil {
			break
		}
		if ctx.Err() != nil || !o.again(ctx, err) {
			return
		}
		s = nil // load finds the open session by itself
	}
	o.loaded(ctx)
	o.stopBreach(ctx)
	for {
		o.keep(ctx)
		o.mind()
		o.tellSpace()
		if o.run == nil && !o.waits() && o.retire() {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-o.dueAt():
			o.fellDue(ctx)
		case <-o.idleFor():
			o.tired(ctx)
		case r := <-o.inbox:
			o.serve(r)
		case b := <-o.lines():
			o.absorb(ctx, b)
		case x := <-o.results():
			o.toolDone(ctx, x)
		case a := <-o.acks():
			o.acked(ctx, a)
		case <-o.alarm():
			o.rang(ctx)
		case <-o.kick:
		case <-o.napping():
			o.slept(ctx)
		}
	}
}

// serve runs one request. A failed commit leaves the book as it was.
func (o *owner) serve(r *request) {
	if r.ctx.Err() != nil {
		r.done <- timedOut(r.ctx)
		return
	}
	if o.deleted {
		r.done <- vyre.NotFound("thread", string(o.id))
		return
	}
	settled, err := r.fn(o, r)
	if err != nil {
		r.done <- err
	} else if settled {
		r.done <- nil
	}
}

// again refuses requests with the error of a load that failed, and says whether to
// try it once more: as long as a session of the thread may run, somebody has to
// own it; else only while somebody asks.
func (o *owner) again(ctx context.Context, err error) bool {
	if vyre.CodeOf(err) != vyre.CodeNotFound && !isForeign(err) {
		o.log.Error("a thread could not be loaded", "error", err)
	}
	o.letGo()
	for o.e.openSession(o.id) == nil {
		if o.retire() {
			return false
		}
		select {
		case <-ctx.Done():
			return false
		case r := <-o.inbox:
			r.done <- err
		case <-o.kick:
		}
	}
	o.refuseLoad(ctx, err)
	return ctx.Err() == nil
}

const loadRetry = 2 * time.Second

func timedOut(ctx context.Context) error {
	return vyre.Errorf(vyre.CodeTimeout, "the caller stopped waiting").Because(context.Cause(ctx))
}

func shuttingDown() error {
	return vyre.Errorf(vyre.CodeUnavailable, "the daemon is leaving").
		WithHint("Call again in a moment; the same key makes it safe.")
}
