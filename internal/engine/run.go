package engine

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"vyre"
	"vyre/agent"
)

// run is one process of a thread: its protocol, its reader and its courier.
type run struct {
	session  vyre.Session
	proc     Process
	proto    agent.Protocol
	provider agent.Provider
	opts     agent.Options
	open     []string // places that its confinement could not close

	lines   chan batch
	acks    chan ack
	courier *courier
	stop    context.CancelFunc
	helpers sync.WaitGroup

	ready     bool // the handshake was answered
	stopping  vyre.StopReason
	ending    *ending                 // an end that is not proven yet
	stoppedBy string                  // who stopped it, while nothing could be written
	stopReq   *request                // the stop that waits
	unsaid    error                   // why the stop could not be written down first
	again     bool                    // a message came while it stopped
	stuck     bool                    // an input can't be delivered, and blocks all that follow
	settled   map[string]bool         // requests settled since the hello that is not answered yet
	unsure    bool                    // adopted, and the agent has not said its mode again yet
	moding    moding                  // modes that were asked for and are not settled
	breach    string                  // what the session did that was not allowed
	ladder    int                     // steps of the interrupt ladder taken
	cut       vyre.TurnID             // the turn that the ladder is for
	recall    map[uint64]bool         // frames that call messages back before an interrupt
	carried   vyre.TurnID             // the turn that a steered message became, if it was the last so begun
	returned  map[vyre.MessageID]bool // steered, and in the queue again
	readAll   bool                    // nothing more will be read
	alarm     *time.Timer
	idle      *time.Timer // runs while the session rests

	ctx      context.Context               //nolint:containedctx // of the helpers; it ends with the session
	results  chan called                   // what came of calls of our tools
	calls    map[string]context.CancelFunc // those that run, by request
	gone     map[string]bool               // calls that the agent does not wait for any more
	hooks    map[string]agent.Hook         // where the agent waits for a slot, by call
	folders  map[string]string             // where calls run, as their hooks told
	verdicts map[string]verdictOn          // on calls whose item is not told yet
	unjudged map[string]bool               // calls that were told and that nobody judged yet
	stale    string                        // why it is replaced before anything more is said, or empty
	staleFor vyre.StopReason               // of that end; empty: limit
	folder   weighed                       // what its folder brought at its start
	unwatch  func()                        // ends the watch over its folder, or nil
	refolder string                        // why it is replaced once it rests, or empty
	rebudget bool                          // it carries another budget than the thread has now
	queries  map[uint64]*query             // callers that wait for the agent's word, by frame
	said     *agent.Ready                  // what the session said of itself, when this daemon heard it
}

// batch is what the reader read at once; eof: the agent is gone and all was read.
type batch struct {
	lines []Line
	eof   bool
	err   error
}

// ack is the shim's word on a frame.
type ack struct {
	n   uint64
	err error
}

// readMax bounds a batch in bytes: large enough that a burst costs few commits,
// small enough that the first of them is told soon.
const readMax = 256 << 10

// attach starts the reader and the courier of a process.
func (o *owner) attach(ctx context.Context, r *run) {
	ctx, r.stop = context.WithCancel(ctx)
	r.ctx, r.results = ctx, make(chan called)
	r.lines, r.acks = make(chan batch), make(chan ack, 64)
	r.courier = newCourier()
	r.helpers.Go(func() { r.read(ctx) })
	r.helpers.Go(func() { r.courier.deliver(ctx, r.proc, r.acks) })
	o.run = r
	o.awake()
	o.sweep(r)
}

func (r *run) read(ctx context.Context) {
	for {
		lines, err := r.proc.Read(ctx, readMax)
		b := batch{lines: lines}
		if errors.Is(err, io.EOF) {
			b.eof = true
		} else if err != nil {
			b.err = err
		}
		select {
		case r.lines <- b:
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

// end stops the helpers and waits for them. The process itself is not touched.
func (r *run) end() {
	if r.unwatch != nil {
		r.unwatch()
	}
	r.stop()
	r.unanswered()
	r.proc.Detach()
	r.helpers.Wait()
	if r.alarm != nil {
		r.alarm.Stop()
	}
	if r.idle != nil {
		r.idle.Stop()
	}
}

// letGo leaves the process running: the daemon goes, or the owner has none. A
// start that nobody was told of yet is taken back instead.
func (o *owner) letGo() {
	o.awake()
	if o.run == nil {
		return
	}
	if o.book.stored {
		o.run.end()
		o.run = nil
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(o.e.ctx), takeBack)
	defer cancel()
	o.undo(ctx, o.run)
	o.settleStart(shuttingDown())
}

// takeBack bounds how long a daemon that leaves waits for an unfinished start.
const takeBack = 10 * time.Second

func (o *owner) lines() <-chan batch {
	if o.run == nil {
		return nil
	}
	return o.run.lines
}

func (o *owner) acks() <-chan ack {
	if o.run == nil {
		return nil
	}
	return o.run.acks
}

func (o *owner) alarm() <-chan time.Time {
	if o.run == nil || o.run.alarm == nil {
		return nil
	}
	return o.run.alarm.C
}

func (r *run) setAlarm(d time.Duration) {
	if r.alarm != nil {
		r.alarm.Stop()
	}
	r.alarm = time.NewTimer(d)
}

func (r *run) clearAlarm() {
	if r.alarm != nil {
		r.alarm.Stop()
		r.alarm = nil
	}
}

// courier delivers frames in order, one at a time.
type courier struct {
	mu    sync.Mutex
	queue []vyre.Frame
	more  chan struct{}
}

func newCourier() *courier { return &courier{more: make(chan struct{}, 1)} }

func (c *courier) push(fs []vyre.Frame) {
	c.mu.Lock()
	c.queue = append(c.queue, fs...)
	c.mu.Unlock()
	select {
	case c.more <- struct{}{}:
	default:
	}
}

// send delivers one frame, however often that takes.
func send(ctx context.Context, p Process, f vyre.Frame) error {
	for wait := firstRetry; ; wait = min(2*wait, lastRetry) {
		err := p.Send(ctx, f.N, f.Bytes)
		if err == nil || !vyre.CodeOf(err).Info().Retryable {
			return err
		}
		t := time.NewTimer(wait)
		select {
		case <-t.C:
		case <-p.Done():
			t.Stop()
			return err
		case <-ctx.Done():
			t.Stop()
			return err
		}
	}
}

const (
	firstRetry = 50 * time.Millisecond
	lastRetry  = 2 * time.Second
)

func (c *courier) pop() (vyre.Frame, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.queue) == 0 {
		return vyre.Frame{}, false
	}
	f := c.queue[0]
	c.queue = c.queue[1:]
	return f, true
}

// deliver sends what is pushed until ctx or the process ends. A frame that could
// not be delivered is tried again: the shim takes a number once, and a later frame
// must not overtake it. A frame that can never be taken ends the delivery.
func (c *courier) deliver(ctx context.Context, p Process, acks chan<- ack) {
	for {
		f, ok := c.pop()
		if !ok {
			select {
			case <-c.more:
				continue
			case <-ctx.Done():
				return
			}
		}
		err := send(ctx, p, f)
		select {
		case acks <- ack{f.N, err}:
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}
