package client

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"vyre"
)

// EventsOptions narrows what Events gives.
type EventsOptions struct {
	Thread vyre.ThreadID // only of this thread
	Kinds  []vyre.Kind   // only of these kinds
	Follow bool          // stay at the head and wait for more

	// OnLost is called each time the connection was lost and is tried again; nil
	// is fine. It runs on the goroutine that ranges.
	OnLost func(error)
}

// Waits between two tries of a lost connection.
const (
	firstWait = 50 * time.Millisecond
	longWait  = 2 * time.Second
	// maxTries bounds the tries of a reader that doesn't follow. One that follows
	// goes on until its context ends.
	maxTries = 8
	maxLine  = 32 << 20
)

// Events gives the events after a cursor, in order, each once. Without Follow it
// ends at the head. A lost connection is taken up again from the last event that
// was given; only the first connection fails at once. The iteration ends after
// the first error: gap (details head and floor) when the cursor can't be served,
// unauthenticated, or unavailable; none when the context ends.
func (c *Client) Events(ctx context.Context, after vyre.Seq, o EventsOptions) iter.Seq2[vyre.Event, error] {
	return func(yield func(vyre.Event, error) bool) {
		s := stream{c: c, o: o, cursor: after, yield: yield}
		tries, wait := 0, firstWait
		for {
			got := s.cursor
			done, err := s.once(ctx)
			if done || ctx.Err() != nil {
				return
			}
			if s.cursor > got {
				tries, wait = 0, firstWait
			}
			if err != nil && !s.again(err, tries) {
				yield(vyre.Event{}, err)
				return
			}
			if err != nil && o.OnLost != nil {
				o.OnLost(err)
			}
			tries++
			if !sleep(ctx, wait) {
				return
			}
			wait = min(2*wait, longWait)
		}
	}
}

// Head is the log's newest seq: the cursor to follow from for what happens after
// this moment. It is read from the first message of a stream, which asks nothing
// of the daemon but its log. The caller must be allowed to read the events of the
// thread (all of them if it is empty).
func (c *Client) Head(ctx context.Context, thread vyre.ThreadID) (vyre.Seq, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // it ends the stream after its first message
	s := stream{c: c, o: EventsOptions{Thread: thread}}
	res, err := s.open(ctx)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	m, err := readMessage(bufio.NewReader(res.Body))
	if err != nil {
		return 0, c.lost(ctx, err)
	}
	r, err := readResume(m)
	return r.Head, err
}

// stream is one reading of the events over any number of connections.
type stream struct {
	c         *Client
	o         EventsOptions
	cursor    vyre.Seq
	connected bool // some connection was answered
	yield     func(vyre.Event, error) bool
}

// again reports whether an error is a lost connection worth another try.
func (s *stream) again(err error, tries int) bool {
	e := vyre.AsError(err)
	return s.connected && e.Code == vyre.CodeUnavailable && (s.o.Follow || tries < maxTries)
}

// once reads over one connection. Done says that the iteration is over.
func (s *stream) once(ctx context.Context) (done bool, err error) {
	res, err := s.open(ctx)
	if err != nil {
		return false, err
	}
	defer res.Body.Close()
	s.connected = true
	r := bufio.NewReaderSize(res.Body, 32<<10)
	for {
		m, err := readMessage(r)
		switch {
		case errors.Is(err, io.EOF) && !s.o.Follow:
			return true, nil // the head was reached
		case err != nil:
			return false, s.c.lost(ctx, err)
		}
		if over, err := s.take(m); over || err != nil {
			return over, err
		}
	}
}

// open connects; the answer is a stream.
func (s *stream) open(ctx context.Context) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://localhost/v1/events?"+s.query(), nil)
	if err != nil {
		return nil, vyre.AsError(err)
	}
	res, err := s.c.http.Do(req)
	if err != nil {
		return nil, s.c.lost(ctx, err)
	}
	if res.StatusCode == http.StatusOK {
		return res, nil
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	if err != nil {
		return nil, s.c.lost(ctx, err)
	}
	return nil, errorOf(res.StatusCode, body)
}

func (s *stream) query() string {
	q := url.Values{"after": {strconv.FormatInt(int64(s.cursor), 10)}}
	if !s.o.Follow {
		q.Set("follow", "false")
	}
	if s.o.Thread != "" {
		q.Set("thread", string(s.o.Thread))
	}
	for _, k := range s.o.Kinds {
		q.Add("kind", string(k))
	}
	return q.Encode()
}

// take hands on one message. Over says that the one who ranges wants no more.
func (s *stream) take(m message) (over bool, err error) {
	if m.event == "resume" {
		return false, resumed(m)
	}
	if m.event != "" {
		return false, nil // a kind of message that a later daemon may add
	}
	var ev vyre.Event
	if err := json.Unmarshal(m.data, &ev); err != nil {
		return false, vyre.Errorf(vyre.CodeInternal, "an event of the daemon could not be read").Because(err)
	}
	if ev.Seq <= s.cursor {
		return false, nil
	}
	s.cursor = ev.Seq
	return !s.yield(ev, nil), nil
}

// resume is the first message of a stream.
type resume struct {
	Status string   `json:"status"`
	Head   vyre.Seq `json:"head"`
	Floor  vyre.Seq `json:"floor"`
}

func readResume(m message) (r resume, err error) {
	if err = json.Unmarshal(m.data, &r); err != nil || m.event != "resume" {
		return r, vyre.Errorf(vyre.CodeInternal, "the daemon's stream could not be read").Because(err)
	}
	return r, nil
}

// resumed says whether the stream goes on from the cursor.
func resumed(m message) error {
	r, err := readResume(m)
	if err != nil || r.Status == "ok" {
		return err
	}
	return vyre.Errorf(vyre.CodeGap, "the cursor can't be served: events after it are gone, or it is not of this log").
		WithDetail("head", r.Head).WithDetail("floor", r.Floor)
}

// message is one message of an event stream.
type message struct {
	event string
	data  []byte
}

// readMessage reads up to a blank line. Comments (the heartbeat) are skipped. A
// message that is cut off by the end of the stream is not given.
func readMessage(r *bufio.Reader) (m message, err error) {
	some := false
	for {
		line, err := readLine(r)
		if errors.Is(err, io.EOF) && some {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return message{}, err
		}
		if len(line) == 0 {
			if len(m.data) > 0 {
				return m, nil
			}
			m, some = message{}, false // without data it is none, says the standard
			continue
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(name) {
		case "event":
			m.event, some = string(value), true
		case "data":
			if m.data != nil {
				m.data = append(m.data, '\n')
			}
			m.data, some = append(m.data, value...), true
		}
	}
}

// readLine reads one line without its end, of at most maxLine bytes.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case err == nil:
			return bytes.TrimRight(line, "\r\n"), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			if errors.Is(err, io.EOF) && len(line) > 0 {
				return nil, io.ErrUnexpectedEOF
			}
			return nil, err
		case len(line) > maxLine:
			return nil, errors.New("a line of the stream is too long")
		}
	}
}

// sleep waits, and reports false when the context ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
