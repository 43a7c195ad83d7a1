package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"vyre"
	"vyre/internal/config"
	"vyre/internal/registry"
)

// TestMain also plays the daemon that `up` starts: the test's own program.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "daemon" {
		os.Exit(playDaemon(os.Getenv("VYRE_TEST_DAEMON")))
	}
	goleak.VerifyTestMain(m)
}

// peer is a daemon as the commands see it: tools and events over a unix socket.
type peer struct {
	home string

	mu     sync.Mutex
	tools  map[string]func(in json.RawMessage) (any, error)
	calls  []call
	log    []vyre.Event
	more   chan struct{} // closed when the log or the calls grow
	gap    bool
	closed chan struct{}
}

type call struct {
	tool string
	in   string
}

// newPeer serves in a home of its own, with a status and empty lists.
func newPeer(t *testing.T) *peer {
	t.Helper()
	p := &peer{home: newHome(t), tools: map[string]func(json.RawMessage) (any, error){}, more: make(chan struct{}), closed: make(chan struct{})}
	p.answer("daemon.status", func() any {
		return map[string]any{"version": "test", "pid": 42, "url": "http://localhost:7797", "level": "L2", "head": p.head(), "unknown": 1}
	})
	p.answer("threads.list", func() any { return map[string]any{"threads": []vyre.Thread{}, "next": ""} })
	p.answer("threads.asks", func() any { return map[string]any{"asks": []vyre.Ask{}, "next": ""} })
	p.answer("providers.list", func() any {
		return providersOutput{[]providerShape{{Provider: "claude", Label: "Claude Code", Available: true, Version: "2.1", Path: "/bin/claude"}}}
	})
	stop := serve(t, p.home, p)
	t.Cleanup(func() { close(p.closed); stop() })
	return p
}

// newHome is an empty home whose sockets have a short folder.
func newHome(t *testing.T) string {
	t.Helper()
	run, err := os.MkdirTemp("/tmp", "vt")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(run) })
	t.Setenv("XDG_RUNTIME_DIR", run)
	return filepath.Join(run, "home")
}

func serve(t testing.TB, home string, h http.Handler) (stop func()) {
	dir, err := config.RuntimeDir(home)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", config.SocketPath(dir))
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Vyre-Version", "test") // the same as the command line's
		h.ServeHTTP(w, r)
	})}
	var wg sync.WaitGroup
	wg.Go(func() { _ = s.Serve(l) })
	return func() { s.Close(); wg.Wait() }
}

func (p *peer) tool(name string, f func(in json.RawMessage) (any, error)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tools[name] = f
}

func (p *peer) answer(name string, f func() any) {
	p.tool(name, func(json.RawMessage) (any, error) { return f(), nil })
}

func (p *peer) head() vyre.Seq {
	p.mu.Lock()
	defer p.mu.Unlock()
	return vyre.Seq(len(p.log))
}

// tell adds an event of the thread to the log.
func (p *peer) tell(thread vyre.ThreadID, data vyre.EventData) {
	p.mu.Lock()
	defer p.mu.Unlock()
	ev := vyre.NewEvent(thread, vyre.MakeTurnID(thread, 1), data)
	ev.Seq = vyre.Seq(len(p.log) + 1)
	p.log = append(p.log, ev)
	p.wakeLocked()
}

func (p *peer) wakeLocked() {
	close(p.more)
	p.more = make(chan struct{})
}

// called waits for a call of the tool and returns its input.
func (p *peer) called(t *testing.T, name string) string {
	t.Helper()
	deadline := time.After(10 * time.Second)
	for {
		p.mu.Lock()
		more := p.more
		for _, c := range p.calls {
			if c.tool == name {
				p.mu.Unlock()
				return c.in
			}
		}
		p.mu.Unlock()
		select {
		case <-more:
		case <-deadline:
			t.Fatalf("%s was not called", name)
		}
	}
}

func (p *peer) times(name string) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.calls {
		if c.tool == name {
			n++
		}
	}
	return n
}

func (p *peer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/v1/events" {
		p.events(w, r)
		return
	}
	if r.URL.Path == "/healthz" {
		fmt.Fprintln(w, `{"ok":true}`)
		return
	}
	name := strings.TrimPrefix(r.URL.Path, "/v1/tools/")
	in, _ := io.ReadAll(r.Body)
	p.mu.Lock()
	f := p.tools[name]
	p.calls = append(p.calls, call{name, string(in)})
	p.wakeLocked()
	p.mu.Unlock()
	var out any
	var err error
	if f == nil {
		err = vyre.NotFound("tool", name)
	} else {
		out, err = f(in)
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	if err != nil {
		w.WriteHeader(vyre.CodeOf(err).Info().HTTP)
		_ = enc.Encode(vyre.EnvelopeOf(err))
		return
	}
	_ = enc.Encode(out)
}

func (p *peer) events(w http.ResponseWriter, r *http.Request) {
	after, _ := strconv.Atoi(r.URL.Query().Get("after"))
	status := "ok"
	if p.gap {
		status = "gap"
	}
	fmt.Fprintf(w, "event: resume\ndata: {\"status\":%q,\"head\":%d,\"floor\":0}\n\n", status, p.head())
	for !p.gap {
		p.mu.Lock()
		evs, more := p.log[min(after, len(p.log)):], p.more
		p.mu.Unlock()
		for _, ev := range evs {
			fmt.Fprintf(w, "id: %d\ndata: ", ev.Seq)
			enc := json.NewEncoder(w)
			enc.SetEscapeHTML(false)
			_ = enc.Encode(ev)
			fmt.Fprint(w, "\n")
			after = int(ev.Seq)
		}
		w.(http.Flusher).Flush()
		if r.URL.Query().Get("follow") == "false" {
			return
		}
		select {
		case <-more:
		case <-r.Context().Done():
			return
		case <-p.closed:
			return
		}
	}
}

// result is what a command left.
type result struct {
	code     int
	out, err string
}

// command is one run of the command line, which may still go on.
type command struct {
	stdin    *os.File
	signals  chan os.Signal
	out, err *watched
	done     chan result
}

// watched is what a stream showed so far.
type watched struct {
	mu   sync.Mutex
	text string
	more chan struct{}
}

// read takes in a stream to its end.
func (s *watched) read(f *os.File) {
	buf := make([]byte, 4096)
	for {
		n, err := f.Read(buf)
		s.mu.Lock()
		s.text += string(buf[:n])
		close(s.more)
		s.more = make(chan struct{})
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// wait returns when the stream has shown want.
func (s *watched) wait(t *testing.T, want string) {
	t.Helper()
	deadline := time.After(10 * time.Second)
	for {
		s.mu.Lock()
		text, more := s.text, s.more
		s.mu.Unlock()
		if strings.Contains(text, want) {
			return
		}
		select {
		case <-more:
		case <-deadline:
			t.Errorf("%q never came: %q", want, text) // also from other goroutines
			return
		}
	}
}

// start runs a command against a home.
func start(t *testing.T, home string, args ...string) *command {
	t.Helper()
	inR, inW := osPipe(t)
	outR, outW := osPipe(t)
	errR, errW := osPipe(t)
	c := &command{
		stdin: inW, signals: make(chan os.Signal, 4), done: make(chan result, 1),
		out: &watched{more: make(chan struct{})}, err: &watched{more: make(chan struct{})},
	}
	env := map[string]string{"VYRE_HOME": home, "PATH": "/nowhere", "HOME": home}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	o := Options{
		Args: args, In: inR, Out: outW, Err: errW, Signals: c.signals, Version: "test",
		Getenv: func(k string) string { return env[k] }, Environ: append(os.Environ(), "VYRE_HOME="+home),
		Daemon: func(ctx context.Context) error { <-ctx.Done(); return context.Cause(ctx) },
		Tools:  someTools,
		Now:    func() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) },
	}
	go func() {
		defer cancel()
		var wg sync.WaitGroup
		wg.Go(func() { c.out.read(outR) })
		wg.Go(func() { c.err.read(errR) })
		code := Main(ctx, o)
		outW.Close()
		errW.Close()
		wg.Wait()
		c.done <- result{code, c.out.text, c.err.text}
	}()
	return c
}

func osPipe(t *testing.T) (r, w *os.File) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	return r, w
}

// vyreRun runs a command to its end, with stdin as its input.
func vyreRun(t *testing.T, home, stdin string, args ...string) result {
	t.Helper()
	c := start(t, home, args...)
	go func() { io.WriteString(c.stdin, stdin); c.stdin.Close() }()
	return <-c.done
}

func someTools() *registry.Registry {
	type in struct {
		Thread vyre.ThreadID `json:"thread" jsonschema:"the thread"`
		Limit  int           `json:"limit,omitempty" jsonschema:"at most so many"`
		Deep   bool          `json:"deep,omitempty" jsonschema:"look deeper"`
		Kinds  []string      `json:"kinds,omitempty" jsonschema:"which"`
	}
	r := registry.New()
	registry.Define(r, vyre.Tool{Name: "things.look", Summary: "Look at things.", Effect: vyre.EffectRead, Reach: vyre.ReachAny},
		func(context.Context, vyre.Caller, in) (struct{}, error) { return struct{}{}, nil })
	return r
}
