package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"vyre"
	"vyre/agent/agenttest"
	"vyre/internal/client"
	"vyre/internal/config"
)

// Each script of testdata/script keeps the promise that its first line states,
// on the whole binary and the real agent.
func TestScripts(t *testing.T) {
	deadline, _ := t.Deadline()
	testscript.RunT(scriptT{t}, testscript.Params{
		Dir: filepath.Join("..", "testdata", "script"), Setup: setTheStage,
		RequireUniqueNames: true, Deadline: deadline, Cmds: stageCommands,
	})
}

// Every script begins with the promise it keeps, as a comment.
func TestScriptsState(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "testdata", "script", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if first, _, _ := strings.Cut(string(b), "\n"); !strings.HasPrefix(first, "# ") {
			t.Errorf("%s does not begin with its promise: %q", filepath.Base(f), first)
		}
	}
}

// scriptT gives a script's Setup the *testing.T that runs it.
type scriptT struct{ *testing.T }

func (t scriptT) Run(name string, f func(testscript.T)) {
	t.T.Run(name, func(t *testing.T) { f(scriptT{t}) })
}

func (t scriptT) Verbose() bool { return testing.Verbose() }

// stageCommands are what a script may say beside testscript's own commands:
//
//	vyre ARGS…                      run the binary; ! for one that must fail
//	exits N ARGS…                   run the binary; it must end with exit code N
//	refused CODE ARGS…              the same with the code's exit code, and its envelope on stderr
//	daemon start [K=V…]             run a daemon in the script's folder, until it is ready
//	daemon kill | stop | gone       kill -9; SIGTERM and wait; wait until it ended by itself
//	reboot                          kill everything, and leave the home as another boot's
//	config LINE…                    write config.toml: these lines, then the provider's
//	start VAR LINE…                 start a thread on a scripted model; VAR is its id
//	say THREAD LINE…                send a message
//	gate wait | open NAME           a gate of the scripted model
//	runs N TEXT                     how often a turn began on a message with TEXT
//	model-got RE                    the model was asked something that matches; ! for never
//	kill-agent THREAD               kill -9 the agent's process
//	await-ask THREAD VAR [RE]       wait for an open ask (whose display matches); VAR is its id
//	await-event THREAD KIND [RE]    wait for an event (whose data matches)
//	await-finished THREAD N STATUS  wait for the N-th end of a turn
//	await-file FILE RE              wait until a file holds it
//	json PATH VAR                   a value of the last stdout; a.0.b, a.len for a length
//	is PATH VALUE                   compare it; ! for another value
//	model-saw TEXT RE               a request on a message with TEXT matches; ! for none of them
//	sign-in                         sign a browser in, as `vyre open` does
//	http STATUS METHOD PATH [-c] [-H 'K: V'] [-d BODY | -f FILE]
//	                                a request to the port, -c as the browser's page;
//	                                stdout is the body, stderr the status and headers
var stageCommands = map[string]func(*testscript.TestScript, bool, []string){
	"vyre": cmdVyre, "exits": cmdExits, "refused": cmdRefused, "daemon": cmdDaemon, "config": cmdConfig,
	"start": cmdStart, "say": cmdSay, "gate": cmdGate, "runs": cmdRuns, "kill-agent": cmdKillAgent, "reboot": cmdReboot,
	"await-ask": cmdAwaitAsk, "await-event": cmdAwaitEvent, "await-finished": cmdAwaitFinished,
	"await-file": cmdAwaitFile, "json": cmdJSON, "is": cmdIs, "sign-in": cmdSignIn, "http": cmdHTTP,
	"model-saw": cmdModelSaw,
	"model-got": cmdModelGot,
}

// waitBound is how long a script waits for one thing, at most.
const waitBound = 30 * time.Second

// stage is one script's world: a home, a port, an agent with a HOME of its own
// and a scripted model.
type stage struct {
	*home
	words  *words // of the daemon that the script started last
	cookie string // of the browser that signed in
	proof  string // what its page keeps besides
}

type stageKey struct{}

func stageOf(ts *testscript.TestScript) *stage { return ts.Value(stageKey{}).(*stage) }

func setTheStage(env *testscript.Env) error {
	t := env.T().(scriptT).T
	api := agenttest.API(t)
	h := &home{
		t: t, dir: filepath.Join(env.WorkDir, "home"), agent: agenttest.Claude(t, api), api: api, port: freePort(t),
		exited: make(chan struct{}),
	}
	close(h.exited)
	h.agent.CWD = filepath.Join(env.WorkDir, "work")
	for _, dir := range []string{h.dir, h.agent.CWD} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	h.env = []string{
		"WORK=" + env.WorkDir, "PATH=" + filepath.Dir(vyreBin) + ":" + os.Getenv("PATH"), "HOME=" + h.agent.Dir,
		"SHELL=/bin/sh", "LANG=C.UTF-8", "TMPDIR=" + env.Getenv("TMPDIR"),
		"VYRE_HOME=" + h.dir, "VYRE_LISTEN=127.0.0.1:" + strconv.Itoa(h.port),
	}
	h.env = append(h.env, "XDG_RUNTIME_DIR="+os.Getenv("XDG_RUNTIME_DIR")) // this process and the daemon look for the socket in one place
	env.Vars = append(append([]string{}, h.env...),
		"VYRE="+vyreBin, "CWD="+h.agent.CWD, "CLAUDE="+h.agent.Binary, "PORT="+strconv.Itoa(h.port), "API="+api.URL)
	h.client = client.Socket(config.SocketPath(h.runtimeDir()))
	s := &stage{home: h, words: newWords()}
	s.configure("")
	env.Values[stageKey{}] = s
	env.Defer(s.clear)
	return nil
}

// configure writes config.toml: what is given, and the provider.
func (s *stage) configure(text string) {
	s.config(fmt.Sprintf("%s\n[providers.claude]\nruntime = %q\n", text, s.agent.Binary))
}

// clear ends what the script started and checks that nothing is left.
func (s *stage) clear() {
	defer s.client.Close()
	defer os.RemoveAll(s.runtimeDir())
	ctx, cancel := context.WithTimeout(context.Background(), 2*waitBound)
	defer cancel()
	if s.t.Failed() {
		s.t.Logf("the daemon's last words:\n%s", tailOf(s.words.String(), 4000))
	}
	err := s.client.Call(ctx, "daemon.status", nil, nil)
	if err != nil && s.left() == "" {
		return
	}
	if err != nil && !s.present(ctx) {
		return
	}
	for _, archived := range []bool{false, true} {
		s.endThreads(ctx, archived)
	}
	if err := s.client.Call(ctx, "daemon.stop", nil, nil); err != nil {
		s.t.Errorf("the daemon at the end: %v", err)
	}
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for s.left() != "" {
		select {
		case <-tick.C:
		case <-ctx.Done():
			s.t.Errorf("left running:\n%s", s.left())
			return
		}
	}
}

func (s *stage) endThreads(ctx context.Context, archived bool) {
	var out struct{ Threads []vyre.Thread }
	if err := s.client.Call(ctx, "threads.list", map[string]any{"limit": 200, "archived": archived}, &out); err != nil {
		s.t.Errorf("list at the end: %v", err)
	}
	for _, th := range out.Threads {
		if err := s.client.Call(ctx, "threads.stop", map[string]any{"thread": th.ID}, nil); err != nil {
			s.t.Errorf("stop at the end: %v", err)
		}
	}
}

// present waits until a daemon answers, starting one where none holds the home:
// sessions may have outlived theirs, and one may be on its way in or out.
func (s *stage) present(ctx context.Context) bool {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for s.client.Call(ctx, "daemon.status", nil, nil) != nil {
		if s.left() == "" {
			return false // what was there was on its way out
		}
		if l, err := config.Lock(s.dir); err == nil {
			_ = l.Release()
			s.configure("")
			if err := s.daemon("/"); err != nil {
				s.t.Errorf("a daemon at the end: %v", err)
				return false
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			s.t.Errorf("no daemon at the end, but left running:\n%s", s.left())
			return false
		}
	}
	return true
}

// left lists the processes of this script's home and of its agent.
func (s *stage) left() string {
	return strings.TrimSpace(processesOf(s.dir) + "\n" + processesOf(s.agent.Dir))
}

// words keeps what a daemon said and tells when it is ready.
type words struct {
	mu    sync.Mutex
	buf   bytes.Buffer
	once  sync.Once
	ready chan struct{}
}

func newWords() *words { return &words{ready: make(chan struct{})} }

// Write implements io.Writer.
func (w *words) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.buf.Write(p)
	if bytes.Contains(w.buf.Bytes(), []byte("the daemon is ready")) {
		w.once.Do(func() { close(w.ready) })
	}
	return len(p), nil
}

func (w *words) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.buf.String()
}

// daemon runs one in a folder and returns when it is ready, or ended.
func (s *stage) daemon(dir string, extra ...string) error {
	cmd, exited, said := exec.Command(vyreBin, "daemon"), make(chan struct{}), newWords()
	cmd.Dir, cmd.Env, cmd.Stderr = dir, append(append([]string{}, s.env...), extra...), said
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	s.cmd, s.exited, s.words = cmd, exited, said
	go func() { _ = cmd.Wait(); close(exited) }()
	select {
	case <-said.ready:
		return nil
	case <-exited:
		return fmt.Errorf("the daemon ended at its start: %s", said)
	case <-time.After(waitBound):
		return fmt.Errorf("the daemon is not ready: %s", said)
	}
}

func cmdDaemon(ts *testscript.TestScript, _ bool, args []string) {
	s := stageOf(ts)
	switch {
	case len(args) > 0 && args[0] == "start":
		ts.Check(s.daemon(ts.MkAbs("."), args[1:]...))
		return
	case len(args) != 1:
		ts.Fatalf("usage: daemon start [K=V…] | kill | stop | gone")
	case args[0] == "kill":
		ts.Check(s.cmd.Process.Kill())
	case args[0] == "stop":
		ts.Check(s.cmd.Process.Signal(syscall.SIGTERM))
	}
	select {
	case <-s.exited:
	case <-time.After(waitBound):
		ts.Fatalf("the daemon does not end")
	}
	_, _ = io.WriteString(ts.Stderr(), s.words.String())
}

func cmdConfig(ts *testscript.TestScript, _ bool, lines []string) {
	stageOf(ts).configure(strings.Join(lines, "\n"))
}

func cmdVyre(ts *testscript.TestScript, neg bool, args []string) {
	if err := ts.Exec(vyreBin, args...); (err != nil) != neg {
		ts.Fatalf("vyre %s: %v", strings.Join(args, " "), err)
	}
}

func cmdExits(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(vyreBin, args[1:]...); err != nil {
		ee, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("%v", err)
		}
		got = ee.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, expected %d", got, want)
	}
}

func cmdRefused(ts *testscript.TestScript, _ bool, args []string) {
	code := vyre.Code(args[0])
	cmdExits(ts, false, append([]string{strconv.Itoa(code.Info().Exit)}, args[1:]...))
	var e vyre.Envelope
	lines := strings.Split(strings.TrimSpace(ts.ReadFile("stderr")), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &e); err != nil {
		ts.Fatalf("no envelope on stderr: %v", err)
	}
	if e.Error.Code != code || e.Error.Hint == "" || e.Error.Retryable != code.Info().Retryable {
		ts.Fatalf("the envelope is of %+v, expected %s", e.Error, code)
	}
	if ts.ReadFile("stdout") != "" {
		ts.Fatalf("a refused call wrote to stdout")
	}
}

// call runs `vyre call` and leaves its output as the last stdout.
func call(ts *testscript.TestScript, tool string, in map[string]any) map[string]any {
	b, err := json.Marshal(in)
	ts.Check(err)
	ts.Check(ts.Exec(vyreBin, "call", tool, string(b)))
	out := map[string]any{}
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &out))
	return out
}

func cmdStart(ts *testscript.TestScript, _ bool, args []string) {
	out := call(ts, "threads.start", map[string]any{
		"provider": "claude", "cwd": stageOf(ts).agent.CWD, "prompt": strings.Join(args[1:], "\n"),
	})
	ts.Setenv(args[0], fmt.Sprint(out["thread"]))
}

func cmdSay(ts *testscript.TestScript, _ bool, args []string) {
	call(ts, "threads.send", map[string]any{"thread": args[0], "text": strings.Join(args[1:], "\n")})
}

func cmdGate(ts *testscript.TestScript, _ bool, args []string) {
	s := stageOf(ts)
	if args[0] == "open" {
		s.api.Gate(args[1]).Open()
		return
	}
	ctx, cancel := context.WithTimeout(s.t.Context(), waitBound)
	defer cancel()
	if s.api.Gate(args[1]).Wait(ctx) != nil {
		ts.Fatalf("nothing came to the gate %s", args[1])
	}
}

func cmdRuns(ts *testscript.TestScript, _ bool, args []string) {
	if n := stageOf(ts).api.Runs(args[1]); strconv.Itoa(n) != args[0] {
		ts.Fatalf("%q ran %d times", args[1], n)
	}
}

func cmdKillAgent(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(syscall.Kill(stageOf(ts).agentPID(vyre.ThreadID(args[0])), syscall.SIGKILL))
}

// await hands the log's events to see, from the oldest, until it returns true.
func (s *stage) await(ts *testscript.TestScript, what string, o client.EventsOptions, see func(vyre.Event) bool) {
	ctx, cancel := context.WithTimeout(s.t.Context(), waitBound)
	defer cancel()
	o.Follow = true
	for e, err := range s.client.Events(ctx, 0, o) {
		if err != nil {
			ts.Fatalf("waiting for %s: %v", what, err)
		}
		if see(e) {
			return
		}
	}
	ts.Fatalf("%s did not come; the log:\n%s", what, s.log())
}

func cmdAwaitAsk(ts *testscript.TestScript, _ bool, args []string) {
	s, display := stageOf(ts), regexp.MustCompile(strings.Join(args[2:], " "))
	s.await(ts, "an ask", client.EventsOptions{}, func(vyre.Event) bool {
		for _, a := range s.asks(vyre.ThreadID(args[0])) {
			if a.State == vyre.AskOpen && display.MatchString(a.Display) {
				ts.Setenv(args[1], string(a.ID))
				return true
			}
		}
		return false
	})
}

func cmdAwaitEvent(ts *testscript.TestScript, _ bool, args []string) {
	data := regexp.MustCompile(strings.Join(args[2:], " "))
	o := client.EventsOptions{Thread: vyre.ThreadID(args[0]), Kinds: []vyre.Kind{vyre.Kind(args[1])}}
	stageOf(ts).await(ts, args[1], o, func(e vyre.Event) bool { return data.Match(e.Data) })
}

func cmdAwaitFinished(ts *testscript.TestScript, _ bool, args []string) {
	o := client.EventsOptions{Thread: vyre.ThreadID(args[0]), Kinds: []vyre.Kind{vyre.EvThreadFinished}}
	n := 0
	stageOf(ts).await(ts, "the end of turn "+args[1], o, func(e vyre.Event) bool {
		if n++; strconv.Itoa(n) != args[1] {
			return false
		}
		var d vyre.ThreadFinished
		ts.Check(json.Unmarshal(e.Data, &d))
		if string(d.Status) != args[2] {
			ts.Fatalf("the turn ended %s, expected %s", d.Status, args[2])
		}
		return true
	})
}

func cmdAwaitFile(ts *testscript.TestScript, _ bool, args []string) {
	re, path := regexp.MustCompile("(?m)"+args[1]), ts.MkAbs(args[0])
	tick, deadline := time.NewTicker(5*time.Millisecond), time.After(waitBound)
	defer tick.Stop()
	for {
		b, _ := os.ReadFile(path)
		if re.Match(b) {
			return
		}
		select {
		case <-tick.C:
		case <-deadline:
			ts.Fatalf("%s does not hold %q but:\n%s", args[0], args[1], b)
		}
	}
}

// look finds a value in the last stdout: "asks.0.ask", "threads.len" for a length.
func look(ts *testscript.TestScript, path string) string {
	var v any
	d := json.NewDecoder(strings.NewReader(ts.ReadFile("stdout")))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		ts.Fatalf("stdout is no JSON: %v", err)
	}
	for key := range strings.SplitSeq(path, ".") {
		switch x := v.(type) {
		case map[string]any:
			if key == "len" {
				return strconv.Itoa(len(x))
			}
			var ok bool
			if v, ok = x[key]; !ok {
				ts.Fatalf("there is no %s in %s", key, path)
			}
		case []any:
			if key == "len" {
				return strconv.Itoa(len(x))
			}
			i, err := strconv.Atoi(key)
			if err != nil || i >= len(x) {
				ts.Fatalf("there is no %s in %s", key, path)
			}
			v = x[i]
		default:
			ts.Fatalf("there is nothing below %v in %s", v, path)
		}
	}
	if s, ok := v.(string); ok {
		return s
	}
	b, err := json.Marshal(v)
	ts.Check(err)
	return string(b)
}

func cmdJSON(ts *testscript.TestScript, _ bool, args []string) { ts.Setenv(args[1], look(ts, args[0])) }

func cmdIs(ts *testscript.TestScript, neg bool, args []string) {
	if got := look(ts, args[0]); (got == args[1]) == neg {
		ts.Fatalf("%s is %q", args[0], got)
	}
}

func cmdSignIn(ts *testscript.TestScript, _ bool, _ []string) {
	s := stageOf(ts)
	ts.Check(ts.Exec(vyreBin, "open", "--print", "--json"))
	body, err := json.Marshal(map[string]string{"code": look(ts, "code")})
	ts.Check(err)
	res := s.request(ts, http.MethodPost, "/v1/sign-in", nil, body)
	defer res.Body.Close()
	var out struct{ Proof string }
	cookies := res.Cookies()
	if json.NewDecoder(res.Body).Decode(&out) != nil || res.StatusCode != http.StatusOK || len(cookies) != 1 || out.Proof == "" {
		ts.Fatalf("sign-in: %s", res.Status)
	}
	s.proof = out.Proof
	s.cookie = cookies[0].Name + "=" + cookies[0].Value
}

func cmdHTTP(ts *testscript.TestScript, _ bool, args []string) {
	s, header, body := stageOf(ts), http.Header{}, []byte(nil)
	for more := args[3:]; len(more) > 0; more = more[1:] {
		if more[0] == "-c" {
			header.Set("Cookie", s.cookie)
			header.Set("Vyre-Proof", s.proof)
			header.Set("Origin", "http://localhost:"+strconv.Itoa(s.port))
			continue
		}
		flag := more[0]
		more = more[1:]
		switch flag {
		case "-H":
			k, v, _ := strings.Cut(more[0], ": ")
			header.Set(k, v)
		case "-d":
			body = []byte(more[0])
		case "-f":
			body = []byte(ts.ReadFile(more[0]))
		}
	}
	res := s.request(ts, args[1], args[2], header, body)
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	ts.Check(err)
	_, _ = ts.Stdout().Write(b)
	fmt.Fprintln(ts.Stderr(), res.Status)
	ts.Check(res.Header.Write(ts.Stderr()))
	if strconv.Itoa(res.StatusCode) != args[0] {
		ts.Fatalf("%s %s: %s, expected %s\n%s", args[1], args[2], res.Status, args[0], b)
	}
}

// request sends one request to the port as it is: no redirect is followed.
func (s *stage) request(ts *testscript.TestScript, method, path string, header http.Header, body []byte) *http.Response {
	url := "http://127.0.0.1:" + strconv.Itoa(s.port) + path
	req, err := http.NewRequestWithContext(s.t.Context(), method, url, bytes.NewReader(body))
	ts.Check(err)
	req.Host = "localhost:" + strconv.Itoa(s.port)
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	maps.Copy(req.Header, header)
	if h := header.Get("Host"); h != "" {
		req.Host = h
	}
	tr := &http.Transport{}
	ts.Defer(tr.CloseIdleConnections)
	res, err := tr.RoundTrip(req)
	ts.Check(err)
	return res
}
