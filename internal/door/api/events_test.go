package api_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"vyre"
	"vyre/internal/door/api/apitest"
)

// open starts reading a stream. The reader ends with the test.
func open(t *testing.T, url, lastID string) (*bufio.Reader, context.CancelFunc) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, "GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if lastID != "" {
		req.Header.Set("Last-Event-ID", lastID)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { res.Body.Close() })
	if ct := res.Header.Get("Content-Type"); res.StatusCode != 200 || ct != "text/event-stream" {
		b, _ := io.ReadAll(res.Body)
		t.Fatalf("%d %s %s", res.StatusCode, ct, b)
	}
	return bufio.NewReader(res.Body), cancel
}

// message reads one message whole, comments left out; io.EOF at a clean end.
func message(r *bufio.Reader) (string, error) {
	var b strings.Builder
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return "", err
		}
		switch {
		case line == "\n" && b.Len() > 0:
			return b.String(), nil
		case line != "\n" && !strings.HasPrefix(line, ":"):
			b.WriteString(line)
		}
	}
}

func messageNow(t *testing.T, r *bufio.Reader) string {
	t.Helper()
	m, err := message(r)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func idOf(t *testing.T, m string) vyre.Seq {
	t.Helper()
	id, _, _ := strings.Cut(strings.TrimPrefix(m, "id: "), "\n")
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		t.Fatalf("%v: %q", err, m)
	}
	return vyre.Seq(n)
}

// A reader that is cut off 50 times, anywhere, and resumes by its cursor has
// byte for byte what one has that is never cut, while events come in.
func TestCutReaderMissesNothing(t *testing.T) {
	const events, cuts = 3000, 50
	k := apitest.New(64) // far fewer than events, so that readers fall back to the log
	url, _ := serve(t, k, as(vyre.Person(vyre.Owner, "cli")))
	var writer sync.WaitGroup
	defer writer.Wait()

	whole, _ := open(t, url+"/v1/events?after=0", "")
	if m := messageNow(t, whole); m != "event: resume\ndata: {\"status\":\"ok\",\"head\":0,\"floor\":0}\n" {
		t.Fatalf("%q", m)
	}
	writer.Go(func() {
		for n := 0; n < events; n += 10 {
			k.Publish(10)
		}
	})

	var cut bytes.Buffer
	var last vyre.Seq
	rnd := rand.New(rand.NewPCG(1, 2))
	for n := 0; last < events; n++ {
		r, cancel := open(t, fmt.Sprintf("%s/v1/events?after=0", url), strconv.Itoa(int(last)))
		messageNow(t, r)
		var stop *bufio.Reader
		if n < cuts { // in the middle of whatever these bytes are
			stop = bufio.NewReader(io.LimitReader(r, 1+rnd.Int64N(12_000)))
		} else {
			stop = r
		}
		for last < events {
			m, err := message(stop)
			if err != nil {
				break
			}
			last = idOf(t, m)
			cut.WriteString(m)
		}
		cancel()
		if n > 10*cuts {
			t.Fatal("no progress")
		}
	}
	var want bytes.Buffer
	for last = 0; last < events; {
		m := messageNow(t, whole)
		last = idOf(t, m)
		want.WriteString(m)
	}
	if !bytes.Equal(cut.Bytes(), want.Bytes()) {
		t.Errorf("%d bytes against %d", cut.Len(), want.Len())
	}
	if n := strings.Count(want.String(), "id: "); n != events {
		t.Errorf("%d events, want %d", n, events)
	}
}

// A cursor that can't be served is told as one gap, and nothing follows; 0 never
// is a gap.
func TestGap(t *testing.T) {
	k := apitest.New(4)
	k.Publish(20)
	k.Log.Prune(10)
	url, _ := serve(t, k, as(vyre.Person(vyre.Owner, "cli")))
	gap := "event: resume\ndata: {\"status\":\"gap\",\"head\":20,\"floor\":10}\n"
	for query, want := range map[string]string{"after=21": gap, "after=5": gap, "after=9223372036854775807": gap} {
		r, _ := open(t, url+"/v1/events?"+query, "")
		if m := messageNow(t, r); m != want {
			t.Errorf("%s: %q", query, m)
		}
		if m, err := message(r); !errors.Is(err, io.EOF) {
			t.Errorf("%s: then %q, %v", query, m, err)
		}
	}
	for query, first := range map[string]vyre.Seq{"": 11, "after=0": 11, "after=10": 11, "after=19": 20} {
		r, _ := open(t, url+"/v1/events?"+query, "")
		if m := messageNow(t, r); !strings.Contains(m, `"status":"ok"`) {
			t.Errorf("%s: %q", query, m)
		}
		if got := idOf(t, messageNow(t, r)); got != first {
			t.Errorf("%s: begins at %d, want %d", query, got, first)
		}
	}
}

// A browser's header wins over the address it keeps, filters hold, and without
// follow the stream ends at the head.
func TestFiltersAndEnd(t *testing.T) {
	k := apitest.New(8)
	k.Publish(20)
	url, _ := serve(t, k, as(vyre.Person(vyre.Owner, "cli")))
	for _, c := range []struct {
		query, lastID string
		want          int
	}{
		{"follow=false", "", 20},
		{"follow=false&after=3", "", 17},
		{"follow=false&after=3", "15", 5},
		{"follow=false&thread=t1", "", 10},
		{"follow=false&thread=t9", "", 0},
		{"follow=false&kind=thread.text&kind=thread.tool", "", 20},
		{"follow=false&kind=thread.tool", "", 0},
		{"follow=false&after=20", "", 0},
	} {
		r, _ := open(t, url+"/v1/events?"+c.query, c.lastID)
		messageNow(t, r)
		n := 0
		for {
			_, err := message(r)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		if n != c.want {
			t.Errorf("%s: %d events, want %d", c.query, n, c.want)
		}
	}
}

// A person reads everything, a thread its own events and no others, everybody
// else nothing.
func TestWhoReadsWhat(t *testing.T) {
	k := apitest.New(8)
	k.Publish(4)
	for _, kind := range vyre.CallerKinds {
		url, _ := serve(t, k, as(vyre.Caller{Kind: kind, ID: "t1"}))
		for query, ok := range map[string]bool{"": kind == vyre.CallerThread, "&thread=t1": kind == vyre.CallerThread, "&thread=t0": false} {
			ok = ok || kind == vyre.CallerPerson
			status, body := do(t, "GET", url+"/v1/events?follow=false"+query, "", "")
			if (status == 200) != ok || !ok && codeIn(t, body) != vyre.CodeDenied {
				t.Errorf("%s reads %q: %d %.100s", kind, query, status, body)
			}
			if kind == vyre.CallerThread && strings.Contains(body, `"thread":"t0"`) {
				t.Errorf("a thread reads another's events: %s", body)
			}
		}
	}
}

// A silent stream says that it lives, and ends when its reader is signed out.
func TestHeartbeatAndRevocation(t *testing.T) {
	k := apitest.New(8)
	var out atomic.Bool
	url, _ := serve(t, k, func(r *http.Request) (vyre.Caller, error) {
		if out.Load() {
			return nobody(r)
		}
		return vyre.Person(vyre.Owner, "web"), nil
	})
	r, _ := open(t, url+"/v1/events", "")
	messageNow(t, r)
	if line, err := r.ReadString('\n'); line != ": \n" {
		t.Fatalf("%q, %v", line, err)
	}
	out.Store(true)
	if m, err := message(r); !errors.Is(err, io.EOF) {
		t.Errorf("%q, %v", m, err)
	}
}

// Stop ends the streams that are open, and those that come later.
func TestStopEndsStreams(t *testing.T) {
	k := apitest.New(8)
	url, a := serve(t, k, as(vyre.Person(vyre.Owner, "cli")))
	r, _ := open(t, url+"/v1/events", "")
	messageNow(t, r)
	a.Stop()
	a.Stop()
	if m, err := message(r); !errors.Is(err, io.EOF) {
		t.Errorf("%q, %v", m, err)
	}
	late, _ := open(t, url+"/v1/events", "")
	messageNow(t, late)
	if m, err := message(late); !errors.Is(err, io.EOF) {
		t.Errorf("%q, %v", m, err)
	}
}
