package shim

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"time"

	"vyre"
	"vyre/internal/shim/proto"
)

// conn is one control connection. Requests may come from any goroutine; read
// runs in one.
type conn struct {
	c *net.UnixConn
	r *bufio.Reader

	writing chan struct{} // holds one: the right to write

	mu      sync.Mutex // guards the following
	pending map[uint32]chan answer
	next    uint32
	dead    error         // why no more can be asked
	ended   chan struct{} // closed when read returned
	bye     proto.Reason
}

type answer struct {
	body []byte
	err  error
}

// refusal is an answer of TypeErr.
type refusal struct {
	code proto.Code
	text string
}

func (r *refusal) Error() string { return "the session's parent refused: " + r.text }

var errLost = errors.New("the connection to the session's parent is lost")

// writeTime bounds one message to a shim that does not read. Frames get it per
// megabyte besides.
const writeTime = 5 * time.Second

// maxAnswer bounds a message from a shim, in bytes. They hold numbers and an
// error's text.
const maxAnswer = 64 << 10

func newConn(c *net.UnixConn) *conn {
	return &conn{
		c: c, r: bufio.NewReaderSize(c, 1<<10),
		writing: make(chan struct{}, 1),
		pending: map[uint32]chan answer{}, ended: make(chan struct{}),
	}
}

// read takes messages until the connection ends. note is called for each
// status, in order.
func (c *conn) read(note func(proto.Status)) {
	defer close(c.ended)
	defer c.c.Close()
	for {
		t, id, body, err := c.message()
		if err != nil {
			c.fail(err)
			return
		}
		switch t {
		case proto.TypeNote:
			if s, err := proto.ParseStatus(body); err == nil {
				note(s)
			}
		case proto.TypeOK:
			c.settle(id, answer{body: body})
		case proto.TypeErr:
			r, _ := proto.ParseRefusal(body)
			c.settle(id, answer{err: &refusal{r.Code, r.Text}})
		case proto.TypeBye:
			reason, _ := proto.ParseReason(body)
			c.mu.Lock()
			c.bye = reason
			c.mu.Unlock()
		}
	}
}

func (c *conn) message() (proto.Type, uint32, []byte, error) {
	var head [proto.HeaderLen]byte
	if _, err := io.ReadFull(c.r, head[:]); err != nil {
		return 0, 0, nil, err
	}
	t, id, n, err := proto.ParseHeader(head[:])
	if err != nil || n > maxAnswer {
		return 0, 0, nil, proto.ErrMalformed
	}
	body := make([]byte, n)
	_, err = io.ReadFull(c.r, body)
	return t, id, body, err
}

// welcome sends the first message and reads its answer, before read runs.
func (c *conn) welcome(ctx context.Context, t proto.Type, body []byte) (proto.Identity, proto.Status, error) {
	stop := context.AfterFunc(ctx, func() { _ = c.c.SetDeadline(time.Unix(1, 0)) })
	ident, status, err := c.greet(t, body)
	if !stop() {
		return ident, status, contextError(ctx)
	}
	return ident, status, err
}

func (c *conn) greet(t proto.Type, body []byte) (i proto.Identity, s proto.Status, err error) {
	c.next = 1
	if _, err := c.c.Write(proto.AppendMessage(nil, t, c.next, body)); err != nil {
		// A shim that refuses closes its end; what it said is still to be read.
		_ = err
	}
	for {
		t, _, body, err := c.message()
		if err != nil {
			return i, s, lost(err)
		}
		switch t {
		case proto.TypeOK:
			return proto.ParseWelcome(body)
		case proto.TypeErr:
			r, _ := proto.ParseRefusal(body)
			return i, s, &refusal{r.Code, r.Text}
		}
	}
}

// ask sends a message and waits for its answer. After an error from ctx or a
// lost connection it is not known whether it was done.
func (c *conn) ask(ctx context.Context, t proto.Type, body []byte) ([]byte, error) {
	return c.send(ctx, func(id uint32) net.Buffers {
		return net.Buffers{proto.AppendMessage(nil, t, id, body)}
	}, writeTime)
}

// askFrame sends an input frame and waits until it was written to the agent.
func (c *conn) askFrame(ctx context.Context, n uint64, frame []byte) error {
	_, err := c.send(ctx, func(id uint32) net.Buffers {
		return net.Buffers{proto.AppendFrameHeader(nil, id, n, len(frame)), frame}
	}, writeTime+time.Duration(len(frame)>>20)*time.Second)
	return err
}

func (c *conn) send(ctx context.Context, message func(id uint32) net.Buffers, bound time.Duration) ([]byte, error) {
	if ctx.Err() != nil {
		return nil, contextError(ctx)
	}
	id, ch, err := c.register()
	if err != nil {
		return nil, err
	}
	defer c.forget(id)
	if err := c.write(ctx, message(id), bound); err != nil {
		return nil, err
	}
	select {
	case a := <-ch:
		return a.body, a.err
	case <-ctx.Done():
		return nil, contextError(ctx)
	}
}

// tell sends a message whose answer nobody waits for. It may wait for as long as
// writeTime for a shim that does not read.
func (c *conn) tell(t proto.Type, body []byte) error {
	select {
	case c.writing <- struct{}{}:
		defer func() { <-c.writing }()
	case <-c.ended:
		return lost(errLost)
	}
	_ = c.c.SetWriteDeadline(time.Now().Add(writeTime))
	_, err := c.c.Write(proto.AppendMessage(nil, t, 0, body))
	if err != nil {
		_ = c.c.Close()
	}
	return err
}

// write sends a message within bound, as long as ctx lasts. A message that went
// only in part takes the connection with it: nothing can follow it.
func (c *conn) write(ctx context.Context, message net.Buffers, bound time.Duration) error {
	select {
	case c.writing <- struct{}{}:
		defer func() { <-c.writing }()
	case <-c.ended:
		return lost(errLost)
	case <-ctx.Done():
		return contextError(ctx)
	}
	_ = c.c.SetWriteDeadline(time.Now().Add(bound))
	cut := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(cut)
		_ = c.c.SetWriteDeadline(time.Unix(1, 0))
	})
	n, err := message.WriteTo(c.c)
	if !stop() {
		<-cut // the next writer's deadline must not be ours
	}
	if err == nil {
		return nil
	}
	if n > 0 || ctx.Err() == nil {
		_ = c.c.Close()
		<-c.ended
	}
	if ctx.Err() != nil {
		return contextError(ctx)
	}
	return lost(err)
}

func (c *conn) register() (uint32, chan answer, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dead != nil {
		return 0, nil, lost(c.dead)
	}
	c.next++
	ch := make(chan answer, 1)
	c.pending[c.next] = ch
	return c.next, ch, nil
}

func (c *conn) forget(id uint32) {
	c.mu.Lock()
	delete(c.pending, id)
	c.mu.Unlock()
}

func (c *conn) settle(id uint32, a answer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if ch, ok := c.pending[id]; ok {
		ch <- a // holds one, and each id is answered once
		delete(c.pending, id)
	}
}

func (c *conn) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dead = err
	for id, ch := range c.pending {
		ch <- answer{err: lost(err)}
		delete(c.pending, id)
	}
}

// over reports whether the connection has ended.
func (c *conn) over() bool {
	select {
	case <-c.ended:
		return true
	default:
		return false
	}
}

func (c *conn) reason() proto.Reason {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bye
}

// close ends the connection; a running read returns.
func (c *conn) close() { _ = c.c.Close() }

func lost(err error) error {
	e := vyre.Errorf(vyre.CodeUnavailable, "the session's parent can't be reached").
		WithHint("The session may just have ended; look at the thread's state.")
	e.Err = errors.Join(errLost, err)
	return e
}

func contextError(ctx context.Context) error {
	code := vyre.CodeUnavailable
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		code = vyre.CodeTimeout
	}
	e := vyre.Errorf(code, "the session's parent did not answer in time")
	e.Err = context.Cause(ctx)
	return e
}
