package client

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"vyre"
	"vyre/internal/door/api"
	"vyre/internal/door/api/apitest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func socketPath(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "vyre-cl")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return filepath.Join(dir, "s")
}

// serve runs the API on a socket until the test ends or stop is called.
func serve(t *testing.T, k *apitest.Kit, path string) (stop func()) {
	t.Helper()
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	a := api.New(api.Options{Parts: k.Parts(), Bind: func(*http.Request) (vyre.Caller, error) {
		return vyre.Person(vyre.Owner, "cli"), nil
	}})
	srv := &http.Server{Handler: a}
	var running sync.WaitGroup
	running.Go(func() { _ = srv.Serve(l) })
	stop = sync.OnceFunc(func() {
		a.Stop()
		_ = srv.Close()
		running.Wait()
	})
	t.Cleanup(stop)
	return stop
}

func connect(t *testing.T, path string) *Client {
	t.Helper()
	c := Socket(path)
	t.Cleanup(c.Close)
	return c
}

// Without a daemon a call fails at once and says how to start one.
func TestNotRunning(t *testing.T) {
	c := connect(t, socketPath(t))
	start := time.Now()
	err := c.Call(t.Context(), "threads.send", nil, nil)
	e := vyre.AsError(err)
	if e.Code != vyre.CodeUnavailable || !strings.Contains(e.Message, "the daemon is not running") || !strings.Contains(e.Hint, "vyre up") {
		t.Errorf("got %+v", e)
	}
	if took := time.Since(start); took > startWait/2 {
		t.Errorf("it took %v", took)
	}
	for _, err := range c.Events(t.Context(), 0, EventsOptions{Follow: true}) {
		if vyre.CodeOf(err) != vyre.CodeUnavailable {
			t.Errorf("got %v", err)
		}
	}
	if c.Running() {
		t.Error("it says that a daemon runs")
	}
}

// A socket that is there but doesn't answer yet is waited for.
func TestWaitsForAStartingDaemon(t *testing.T) {
	path := socketPath(t)
	old, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	old.SetUnlinkOnClose(false)
	old.Close()
	c := connect(t, path)
	answered := make(chan error, 1)
	go func() { answered <- c.Call(t.Context(), "threads.send", apitest.Text{}, nil) }()
	timer := time.NewTimer(5 * startStep)
	defer timer.Stop()
	select {
	case err := <-answered:
		t.Fatalf("it did not wait: %v", err)
	case <-timer.C:
	}
	next := path + ".next" // put in place at once, as nothing may be seen in between
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: next, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") })}
	var running sync.WaitGroup
	running.Go(func() { _ = srv.Serve(l) })
	defer running.Wait()
	defer srv.Close()
	if err := os.Rename(next, path); err != nil {
		t.Fatal(err)
	}
	if err := <-answered; err != nil {
		t.Errorf("got %v", err)
	}
}

// A call's output and its errors arrive as the daemon made them.
func TestCallsAndErrors(t *testing.T) {
	path := socketPath(t)
	serve(t, apitest.New(8), path)
	c := connect(t, path)
	var out apitest.Said
	if err := c.Call(t.Context(), "threads.send", apitest.Text{Text: "<&\u2028>"}, &out); err != nil || out.Text != "<&\u2028>" {
		t.Errorf("got %+v, %v", out, err)
	}
	raw, err := c.Raw(t.Context(), "threads.send", json.RawMessage(`{"text":"x"}`))
	if want := `{"by":"person:owner:cli","text":"x"}`; err != nil || string(raw) != want {
		t.Errorf("got %q, %v", raw, err)
	}
	for _, i := range vyre.Catalogue {
		e := vyre.AsError(c.Call(t.Context(), "fail.with", apitest.Text{Text: string(i.Code)}, nil))
		if e.Code != i.Code || e.Message != "as you wish" || e.Hint != "Wish <else>." || e.Details["n"] != 1.0 {
			t.Errorf("%s: got %+v", i.Code, e)
		}
	}
	e := vyre.AsError(c.Call(t.Context(), "threads.send", map[string]int{"txt": 1}, nil))
	if e.Code != vyre.CodeInvalid || e.Field != "txt" {
		t.Errorf("got %+v", e)
	}
	for _, name := range []string{"no.tool", "../openapi.json", "a/b?c", "%", ""} {
		if err := c.Call(t.Context(), name, nil, nil); vyre.CodeOf(err) != vyre.CodeNotFound {
			t.Errorf("%q: got %v", name, err)
		}
	}
}

// A deadline is a timeout, and a daemon that dies during a call is told as such.
func TestLostCalls(t *testing.T) {
	path := socketPath(t)
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	hang := make(chan net.Conn, 4)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				close(hang)
				return
			}
			hang <- conn
		}
	}()
	c := connect(t, path)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := c.Call(ctx, "threads.send", nil, nil); vyre.CodeOf(err) != vyre.CodeTimeout {
		t.Errorf("got %v", err)
	}
	(<-hang).Close()
	answered := make(chan error, 1)
	go func() { answered <- c.Call(t.Context(), "threads.send", nil, nil) }()
	conn := <-hang
	b := make([]byte, 16)
	if _, err := conn.Read(b); err != nil {
		t.Fatal(err)
	}
	conn.Close()
	if err := <-answered; vyre.CodeOf(err) != vyre.CodeUnavailable || !strings.Contains(err.Error(), "may have had its effect") {
		t.Errorf("got %v", err)
	}
}

// choppy passes connections on and cuts each after some bytes, n times.
func choppy(t *testing.T, from, to string, n int) {
	t.Helper()
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: from, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	rnd := rand.New(rand.NewPCG(3, 4))
	var running sync.WaitGroup
	running.Go(func() {
		for i := 0; ; i++ {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("unix", to)
			if err != nil {
				in.Close()
				continue
			}
			var limit int64 = 1 << 40
			if i < n {
				limit = rnd.Int64N(9000)
			}
			running.Go(func() { _, _ = io.Copy(out, in); out.Close() })
			running.Go(func() { _, _ = io.CopyN(in, out, limit); in.Close(); out.Close() })
		}
	})
	t.Cleanup(func() { l.Close(); running.Wait() })
}

// Whatever happens to the connection, a follower has every event once, in order,
// as it is in the log.
func TestEventsSurviveCuts(t *testing.T) {
	const events, cuts = 2000, 50
	k := apitest.New(32)
	path := socketPath(t)
	serve(t, k, path+".real")
	choppy(t, path, path+".real", cuts)
	k.Publish(events / 2)
	want, err := k.Log.Since(t.Context(), 0, events)
	if err != nil {
		t.Fatal(err)
	}
	c := connect(t, path)
	lost, n := 0, vyre.Seq(0)
	// The first connection may be cut before it was answered, which fails at once.
	for first := true; n < events && lost < 10*cuts; first = false {
		for ev, err := range c.Events(t.Context(), n, EventsOptions{Follow: true, OnLost: func(error) { lost++ }}) {
			if err != nil {
				if !first && vyre.CodeOf(err) != vyre.CodeUnavailable {
					t.Fatal(err)
				}
				lost++
				break
			}
			n++
			if n == 1 {
				k.Publish(events / 2)
				if want, err = k.Log.Since(t.Context(), 0, events); err != nil {
					t.Fatal(err)
				}
			}
			got, _ := json.Marshal(ev)
			exp, _ := json.Marshal(want[n-1])
			if string(got) != string(exp) {
				t.Fatalf("event %d: %s, want %s", n, got, exp)
			}
			if n == events {
				break
			}
		}
	}
	if n != events || lost < cuts/2 {
		t.Errorf("%d events over %d losses", n, lost)
	}
}

// A follower outlives a restart of the daemon; one that doesn't follow ends at
// the head; both end with their context; a gap ends both with its bounds.
func TestEventsEnd(t *testing.T) {
	k := apitest.New(32)
	k.Publish(10)
	path := socketPath(t)
	stop := serve(t, k, path)
	c := connect(t, path)
	n := 0
	for _, err := range c.Events(t.Context(), 4, EventsOptions{Thread: "t1", Kinds: []vyre.Kind{vyre.EvThreadText}}) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if n != 3 {
		t.Errorf("%d events, want 3", n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	n = 0
	for ev, err := range c.Events(ctx, 0, EventsOptions{Follow: true}) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; ev.Seq != vyre.Seq(n) {
			t.Fatalf("event %d as number %d", ev.Seq, n)
		}
		switch n {
		case 10:
			stop()
			serve(t, k, path)
			k.Publish(1)
		case 11:
			cancel()
		}
	}
	if n != 11 {
		t.Errorf("%d events, want 11", n)
	}
	for _, err := range c.Events(t.Context(), 99, EventsOptions{Follow: true}) {
		if e := vyre.AsError(err); e == nil || e.Code != vyre.CodeGap || e.Details["head"] != vyre.Seq(11) {
			t.Errorf("got %v", err)
		}
	}
}

// Head is where the log stands, whatever is in it, and a follower from there gets
// what comes after.
func TestHead(t *testing.T) {
	k := apitest.New(4) // most of it is not in memory any more
	path := socketPath(t)
	serve(t, k, path)
	c := connect(t, path)
	for _, n := range []int{0, 1, 600} {
		k.Publish(n + 1)
		want := k.Feed.Head()
		for _, thread := range []vyre.ThreadID{"", "t1", "none"} {
			if got, err := c.Head(t.Context(), thread); err != nil || got != want {
				t.Errorf("%q: %d, %v, want %d", thread, got, err, want)
			}
		}
	}
	head := k.Feed.Head()
	k.Publish(1)
	for ev, err := range c.Events(t.Context(), head, EventsOptions{Follow: true}) {
		if err != nil || ev.Seq != head+1 {
			t.Errorf("%d %v", ev.Seq, err)
		}
		break
	}
	if _, err := connect(t, socketPath(t)).Head(t.Context(), ""); vyre.CodeOf(err) != vyre.CodeUnavailable {
		t.Errorf("without a daemon: %v", err)
	}
}

// No stream makes the reader fail but by an error, or keep more than its bound.
func FuzzReadMessage(f *testing.F) {
	for _, s := range []string{"", "\n", ": \n\n", "event: resume\ndata: {}\n\n", "id: 1\r\ndata: a\r\ndata: b\r\n\r\n", "data", "data:\n\n", "x\n\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r := newReader(s)
		for {
			m, err := readMessage(r)
			if err != nil {
				return
			}
			if m.event == "" && m.data == nil {
				t.Fatalf("an empty message of %q", s)
			}
		}
	})
}

func newReader(s string) *bufio.Reader { return bufio.NewReaderSize(strings.NewReader(s), 16) }
