package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"time"

	"vyre"
	"vyre/internal/feed"
)

// Bounds of one stream.
const (
	batch      = 256              // events read at once
	streamTime = 30 * time.Second // for a reader to take one batch
	checkEvery = time.Second      // between two looks at who reads, while events flow
)

// query is what a reader asked for.
type query struct {
	after  vyre.Seq
	match  feed.Filter
	follow bool
}

// parseQuery is strict: a parameter that isn't known is refused, since a
// filter with a slip in its name would let everything through.
func parseQuery(r *http.Request) (q query, err error) {
	q.follow = true
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return q, vyre.Errorf(vyre.CodeInvalid, "the query can't be read")
	}
	for name, v := range values {
		if name != "kind" && len(v) > 1 {
			return q, vyre.Invalid(name, "given twice")
		}
		switch name {
		case "after":
			q.after, err = parseSeq(name, v[0])
		case "thread":
			if q.match.Thread = vyre.ThreadID(v[0]); !vyre.ValidID(v[0]) {
				err = vyre.Invalid(name, "must be an id")
			}
		case "kind":
			for _, k := range v {
				q.match.Kinds = append(q.match.Kinds, vyre.Kind(k))
			}
		case "follow":
			if q.follow, err = strconv.ParseBool(v[0]); err != nil {
				err = vyre.Invalid(name, "must be true or false")
			}
		default:
			return q, vyre.Errorf(vyre.CodeInvalid, "the query has an unknown parameter %.64q", name).
				WithHint("The parameters are: after, thread, kind, follow.")
		}
		if err != nil {
			return q, err
		}
	}
	// A browser that reconnects keeps the address and adds the header.
	if last := r.Header.Get("Last-Event-ID"); last != "" {
		q.after, err = parseSeq("Last-Event-ID", last)
	}
	return q, err
}

// knownKinds refuses a kind that no event has: the reader would wait for ever.
func (a *API) knownKinds(kinds []vyre.Kind) error {
	if a.o.Kinds == nil || len(kinds) == 0 {
		return nil
	}
	all := a.o.Kinds()
	for _, k := range kinds {
		if !slices.Contains(all, k) {
			return vyre.Invalid("kind", "no event is of the kind %.64q", k).
				WithHint("docs/reference/events.md lists the kinds; give the parameter once for each.")
		}
	}
	return nil
}

func parseSeq(name, v string) (vyre.Seq, error) {
	n, err := strconv.ParseInt(v, 10, 64)
	if err != nil || n < 0 {
		return 0, vyre.Invalid(name, "must be the seq of an event, or 0")
	}
	return vyre.Seq(n), nil
}

// mayRead narrows what a caller reads: a person all, a thread its own. Others
// read what was granted to them, and nothing is yet.
func mayRead(c vyre.Caller, match feed.Filter) (feed.Filter, error) {
	switch {
	case c.Kind == vyre.CallerPerson:
		return match, nil
	case c.Kind == vyre.CallerThread && (match.Thread == "" || match.Thread == vyre.ThreadID(c.ID)):
		match.Thread = vyre.ThreadID(c.ID)
		return match, nil
	}
	return match, vyre.Errorf(vyre.CodeDenied, "%s may not read these events", c).WithDetail("caller", c.String())
}

func (a *API) events(w http.ResponseWriter, r *http.Request, c vyre.Caller) {
	q, err := parseQuery(r)
	if err == nil {
		err = a.knownKinds(q.match.Kinds)
	}
	if err == nil {
		q.match, err = mayRead(c, q.match)
	}
	if err != nil {
		a.Fail(w, r, err)
		return
	}
	if r.Method == http.MethodHead {
		w.WriteHeader(http.StatusOK)
		return
	}
	ctx, cancel := context.WithCancel(r.Context())
	var watch sync.WaitGroup
	watch.Go(func() {
		select {
		case <-a.stop:
			cancel()
		case <-ctx.Done():
		}
	})
	defer watch.Wait()
	defer cancel()
	if a.o.Watch != nil && q.follow && q.match.Thread != "" && c.IsPerson() {
		defer a.o.Watch(q.match.Thread)()
	}
	s := &stream{a: a, w: w, r: r, rc: http.NewResponseController(w), q: q, caller: c, checked: time.Now()}
	if err := s.run(ctx); err != nil && ctx.Err() == nil {
		a.o.Log.DebugContext(ctx, "an event stream ended", "err", err)
	}
}

// stream is one reader.
type stream struct {
	a       *API
	w       http.ResponseWriter
	r       *http.Request
	rc      *http.ResponseController
	q       query
	caller  vyre.Caller
	checked time.Time // when the caller was last looked at
	buf     bytes.Buffer
}

// run serves the stream to its end. An error before anything was written is
// answered as such.
func (s *stream) run(ctx context.Context) error {
	floor, head, err := s.a.o.Bounds(ctx)
	if err != nil {
		s.a.Fail(s.w, s.r, err)
		return nil
	}
	evs, next, err := s.a.o.Feed.Since(ctx, s.q.after, s.q.match, batch)
	gap := vyre.CodeOf(err) == vyre.CodeGap
	if err != nil && !gap {
		s.a.Fail(s.w, s.r, err)
		return nil
	}
	head = min(head, s.a.o.Feed.Head()) // what is written but not published yet can't be followed from
	h := s.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no")
	s.w.WriteHeader(http.StatusOK)
	if gap {
		return s.resume("gap", floor, head)
	}
	if err := s.resume("ok", floor, head); err != nil {
		return err
	}
	for {
		if err := s.send(evs); err != nil {
			return err
		}
		caughtUp := next == s.q.after && len(evs) == 0
		s.q.after = next
		switch {
		case !s.q.follow && (caughtUp || next >= head):
			return nil
		case caughtUp:
			if err := s.wait(ctx); err != nil {
				return err
			}
		}
		if err := s.still(); err != nil {
			return err
		}
		if evs, next, err = s.a.o.Feed.Since(ctx, s.q.after, s.q.match, batch); err != nil {
			return s.lost(ctx, err)
		}
	}
}

// lost tells a reader that fell behind what is kept, and ends.
func (s *stream) lost(ctx context.Context, err error) error {
	if vyre.CodeOf(err) != vyre.CodeGap {
		return err
	}
	floor, head, errBounds := s.a.o.Bounds(ctx)
	if errBounds != nil {
		return errBounds
	}
	return s.resume("gap", floor, head)
}

// wait returns when there may be more, having said at each heartbeat that the
// stream lives and having looked whether its reader may still read.
func (s *stream) wait(ctx context.Context) error {
	for {
		beat, cancel := context.WithTimeout(ctx, s.a.o.Heartbeat)
		err := s.a.o.Feed.Wait(beat, s.q.after)
		timeUp := beat.Err() != nil
		cancel()
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case !timeUp:
			return err
		}
		if err := s.check(); err != nil {
			return err
		}
		s.buf.WriteString(": \n\n")
		if err := s.flush(); err != nil {
			return err
		}
	}
}

// still looks at the reader once a second of traffic.
func (s *stream) still() error {
	if time.Since(s.checked) < checkEvery {
		return nil
	}
	return s.check()
}

var errOther = errors.New("the stream's caller is no longer who it was")

// check proves the caller again: a session may have been ended since.
func (s *stream) check() error {
	c, err := s.a.o.Bind(s.r)
	if err != nil {
		return err
	}
	if c.Kind != s.caller.Kind || c.ID != s.caller.ID {
		return errOther
	}
	s.checked = time.Now()
	return nil
}

func (s *stream) resume(status string, floor, head vyre.Seq) error {
	fmt.Fprintf(&s.buf, "event: resume\ndata: {\"status\":%q,\"head\":%d,\"floor\":%d}\n\n", status, head, floor)
	return s.flush()
}

// send writes a batch: the event's JSON on one line, its seq as the id.
func (s *stream) send(evs []vyre.Event) error {
	if len(evs) == 0 {
		return nil
	}
	for i := range evs {
		b, err := marshal(&evs[i])
		if err != nil {
			return err
		}
		s.buf.WriteString("id: ")
		s.buf.Write(strconv.AppendInt(nil, int64(evs[i].Seq), 10))
		s.buf.WriteString("\ndata: ")
		s.buf.Write(b)
		s.buf.WriteString("\n\n")
	}
	return s.flush()
}

// flush hands what is written to the reader, who has a bounded time to take it.
func (s *stream) flush() error {
	_ = s.rc.SetWriteDeadline(time.Now().Add(streamTime))
	_, err := s.w.Write(s.buf.Bytes())
	if s.buf.Reset(); s.buf.Cap() > 1<<20 {
		s.buf = bytes.Buffer{} // one large batch must not be kept for a silent reader
	}
	if err != nil {
		return err
	}
	return s.rc.Flush()
}
