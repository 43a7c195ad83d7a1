package agent

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"os"
	"sync"
	"time"

	"vyre"
	"vyre/internal/wire"
)

// config is what the options set.
type config struct {
	o      Options
	answer func(context.Context, Ask) Answer
	hook   func(context.Context, Hook) HookReply
	tool   func(context.Context, ToolCall) (json.RawMessage, bool)
}

// QueryOption is an option of Query and Open.
type QueryOption func(*config)

// WithCWD sets the folder that the agent works in; by default this process's.
func WithCWD(dir string) QueryOption { return func(c *config) { c.o.CWD = dir } }

// WithModel sets the provider's model.
func WithModel(model string) QueryOption { return func(c *config) { c.o.Model = model } }

// WithMode sets how much goes unasked.
func WithMode(mode vyre.Mode) QueryOption { return func(c *config) { c.o.Mode = mode } }

// WithEnv sets the agent's whole environment; by default this process's.
func WithEnv(env []string) QueryOption { return func(c *config) { c.o.Env = env } }

// WithBinary sets the agent's program, which Detect then is not asked for.
func WithBinary(path string) QueryOption { return func(c *config) { c.o.Binary = path } }

// WithResume continues the conversation with this id at the provider.
func WithResume(nativeID string) QueryOption {
	return func(c *config) { c.o.NativeID, c.o.Resume = nativeID, true }
}

// WithSystem adds to the agent's own system prompt.
func WithSystem(text string) QueryOption { return func(c *config) { c.o.System = text } }

// WithFolderSettings lets the agent take the settings that its folder brings: hooks,
// servers, addresses, rules. It is for folders whose settings a person saw.
func WithFolderSettings() QueryOption { return func(c *config) { c.o.FolderSettings = true } }

// WithEffort sets how hard the model thinks, in the provider's words.
func WithEffort(effort string) QueryOption { return func(c *config) { c.o.Effort = effort } }

// WithFork goes on with a copy of the conversation with this id, up to and with
// the row that Rewinder.Before named, or all of it if row is empty.
func WithFork(nativeID, row string) QueryOption {
	return func(c *config) { c.o.ForkOf, c.o.ResumeAt = nativeID, row }
}

// WithCredential hands a secret over by a one-shot pipe.
func WithCredential(cred Credential) QueryOption {
	return func(c *config) { c.o.Credential = &cred }
}

// WithAnswer answers what the agent asks. It runs in a goroutine of its own and
// its context ends when the agent withdraws the question. Only Decision, Scope,
// Message, Input, Answers, Mode and Stop of the answer are read. Without it
// Query denies everything, as nobody is there; a Session leaves asks to Answer.
func WithAnswer(f func(context.Context, Ask) Answer) QueryOption {
	return func(c *config) { c.answer = f }
}

// Session is one live agent, held by this process: it ends with it. Its methods
// may be called from any goroutine; Events by one at a time.
type Session struct {
	id     string
	proc   *process
	w      *wire.Writer
	events chan Event
	exit   Exited        // after events is closed
	closed chan struct{} // closed by Close, so that nobody waits for a reader
	once   sync.Once
	wg     sync.WaitGroup

	over    chan struct{} // closed when the agent's output has ended
	hook    func(context.Context, Hook) HookReply
	tool    func(context.Context, ToolCall) (json.RawMessage, bool)
	serving map[string]context.CancelFunc // by request; the reader's own

	mu     sync.Mutex
	proto  Protocol // guarded by mu: Encode and Decode have one owner
	nextID uint64   // guarded by mu

	replies map[uint64]chan<- Replied // guarded by mu: who waits in Do, by number
}

const readyTimeout = 60 * time.Second // a cold start on a busy machine took 12 s

// Open starts an agent and returns when it is ready. ctx bounds the whole life
// of the session. Errors are *vyre.Error: unavailable when the agent is not
// there or does not come up (with its last words), invalid for bad options.
func Open(ctx context.Context, p Provider, opts ...QueryOption) (*Session, error) {
	c := newConfig(opts)
	return open(ctx, p, c)
}

func newConfig(opts []QueryOption) *config {
	c := &config{}
	for _, o := range opts {
		o(c)
	}
	return c
}

func open(ctx context.Context, p Provider, c *config) (*Session, error) {
	if err := c.fill(ctx, p); err != nil {
		return nil, err
	}
	cmd, err := p.Command(c.o)
	if err != nil {
		return nil, err
	}
	proc, err := spawn(cmd)
	if err != nil {
		return nil, vyre.Errorf(vyre.CodeUnavailable, "the agent can't be started").Because(err)
	}
	s := &Session{
		id: c.o.NativeID, proc: proc, w: wire.NewWriter(proc.in, 0),
		events: make(chan Event, 256), closed: make(chan struct{}), proto: p.Protocol(c.o),
		over: make(chan struct{}), hook: c.hook, tool: c.tool, serving: map[string]context.CancelFunc{},
		replies: map[uint64]chan<- Replied{},
	}
	serving, cancel := context.WithCancel(ctx)
	ready := make(chan error, 1)
	s.wg.Go(func() {
		defer cancel()
		s.read(serving, ready)
	})
	s.wg.Go(func() {
		defer cancel() // nobody works on for an agent that is being ended
		select {
		case <-ctx.Done():
			s.end()
		case <-s.closed:
		}
	})
	if err := s.handshake(ctx, ready); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// fill completes the options.
func (c *config) fill(ctx context.Context, p Provider) error {
	if c.o.CWD == "" {
		dir, err := os.Getwd()
		if err != nil {
			return vyre.Invalid("cwd", "this process has no folder").Because(err)
		}
		c.o.CWD = dir
	}
	if c.o.Env == nil {
		c.o.Env = os.Environ()
	}
	if c.o.NativeID == "" && p.Info().Capabilities.OwnID {
		c.o.NativeID = string(vyre.NewThreadID())
	}
	if c.o.Binary == "" {
		in, err := p.Detect(ctx, "")
		if err != nil {
			return err
		}
		c.o.Binary = in.Path
	}
	return nil
}

func (s *Session) handshake(ctx context.Context, ready <-chan error) error {
	if err := s.say(Initialize{}); err != nil {
		if e, ok := errors.AsType[*vyre.Error](err); !ok || e.Code != vyre.CodeUnavailable {
			return err
		} // it is gone: the reader knows more
	}
	t := time.NewTimer(readyTimeout)
	defer t.Stop()
	select {
	case err := <-ready:
		return err
	case <-t.C:
		return vyre.Errorf(vyre.CodeUnavailable, "the agent did not get ready within %s", readyTimeout)
	case <-ctx.Done():
		return vyre.Errorf(vyre.CodeTimeout, "the start was cut short").Because(context.Cause(ctx))
	}
}

// read owns the agent's output until its end.
func (s *Session) read(serving context.Context, ready chan<- error) {
	defer close(s.events)
	r := wire.NewReader(leftover{s.proc.out}, 0)
	up := false
	for {
		f, err := r.Next()
		if err != nil {
			break
		}
		s.mu.Lock()
		evs := s.proto.Decode(f.Bytes)
		s.mu.Unlock()
		for _, ev := range evs {
			if !up {
				if over, err := started(ev); over {
					up = true
					ready <- err
				}
			}
			s.serve(serving, ev)
			s.emit(ev)
		}
	}
	close(s.over)
	<-s.proc.done // an agent that only closed its output is ended by Close
	s.exit = s.proc.exited()
	if !up {
		ready <- vyre.Errorf(vyre.CodeUnavailable, "the agent ended before it was ready (%s)", s.exit)
	}
}

// started reports whether ev ends the start, well or not.
func started(ev Event) (bool, error) {
	switch ev := ev.(type) {
	case Ready:
		return true, nil
	case Replied: // refused: nothing else was said yet
		if ev.Err != "" {
			return true, vyre.Errorf(vyre.CodeUnavailable, "the agent refused to start: %s", ev.Err)
		}
	}
	return false, nil
}

func (s *Session) emit(ev Event) {
	select {
	case s.events <- ev:
	case <-s.closed:
	}
}

// NativeID is the conversation's id at the provider, to resume it by.
func (s *Session) NativeID() string { return s.id }

// Events gives what happens; the last is Exited, when the agent is gone. While
// nobody reads, the agent waits; what nobody read before Close is dropped.
func (s *Session) Events() iter.Seq[Event] {
	return func(yield func(Event) bool) {
		for ev := range s.events {
			if !yield(ev) {
				return
			}
		}
		yield(s.exit)
	}
}

// Send says a message and returns its id, as events name it.
func (s *Session) Send(text string) (vyre.MessageID, error) {
	id := WireID(vyre.MessageID(vyre.NewThreadID()))
	return id, s.say(Send{ID: id, Text: text})
}

// Answer answers a question. Request, Native and Kind are taken from the ask.
func (s *Session) Answer(q Ask, a Answer) error {
	a.Request, a.Native, a.Kind = q.Request, q.Native, q.Kind
	return s.say(a)
}

// Say says anything else: Interrupt, SetMode, SetModel, Compact, Refuse, End, and
// Sends with an id, a steer or parts.
func (s *Session) Say(c Say) error { return s.say(c) }

// say encodes and writes. Errors: unavailable when the agent is gone.
func (s *Session) say(c Say) error { return s.sayFor(c, nil) }

// sayFor is say; reply, if not nil, gets the Replied to it.
func (s *Session) sayFor(c Say, reply chan<- Replied) error {
	s.mu.Lock()
	s.nextID++
	line, err := s.proto.Encode(s.nextID, c)
	if err == nil && reply != nil {
		s.replies[s.nextID] = reply
	}
	s.mu.Unlock()
	if err != nil {
		return err
	}
	if err := s.w.Write(line); err != nil {
		return vyre.Errorf(vyre.CodeUnavailable, "the agent is gone").Because(err)
	}
	return nil
}

// end starts the ladder that ends the agent; safe to repeat.
func (s *Session) end() {
	s.once.Do(func() {
		close(s.closed)
		s.proc.stop()
	})
}

// Close ends the agent and what it runs, and returns when it is gone and every
// goroutine of the session with it. Safe to repeat.
func (s *Session) Close() {
	s.end()
	s.wg.Wait()
}
