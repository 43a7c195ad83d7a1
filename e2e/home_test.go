package e2e

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"vyre"
	"vyre/agent/agenttest"
	"vyre/internal/client"
	"vyre/internal/config"
)

// vyreBin is the program under test, built once with failpoints.
var vyreBin string

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == attackMark {
		os.Exit(runAttack(os.Args[2:]))
	}
	if dir := os.Getenv(watchMode); dir != "" {
		os.Exit(runWatcher(dir))
	}
	if os.Getenv(serverMode) != "" {
		os.Exit(runServer(os.Stdin, os.Stdout))
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "vyre-e2e-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	end, err := watchOver(dir)
	if err == nil {
		defer end()
		err = prepare(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// prepare builds what is under test and has all that the tests make, the sockets'
// folders too, lie below one folder.
func prepare(dir string) error {
	vyreBin = os.Getenv(builtMode)
	if vyreBin == "" {
		vyreBin = filepath.Join(dir, "vyre")
		shim := filepath.Join(dir, "vyre-shim")
		if err := goBuild("-trimpath", "-ldflags", "-s -w", "-o", shim, "./cmd/vyre-shim"); err != nil {
			return err
		}
		if err := embed(shim, filepath.Join("..", "internal", "shim", "embed", "vyre-shim")); err != nil {
			return err
		}
		if err := goBuild("-tags", "failpoints", "-o", vyreBin, "./cmd/vyre"); err != nil {
			return err
		}
	}
	for name, sub := range map[string]string{"TMPDIR": "t", "XDG_RUNTIME_DIR": "r"} {
		path := filepath.Join(dir, sub)
		if err := errors.Join(os.Mkdir(path, 0o700), os.Setenv(name, path)); err != nil {
			return err
		}
	}
	return nil
}

func goBuild(args ...string) error {
	cmd := exec.Command("go", append([]string{"build"}, args...)...)
	cmd.Dir, cmd.Env = "..", append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return nil
}

// embed puts the shim where it is embedded from, if another lies there: at once, as
// other packages may be compiled with it at this moment.
func embed(from, to string) error {
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if old, err := os.ReadFile(to); err == nil && bytes.Equal(old, b) {
		return nil
	}
	if err := os.WriteFile(to+".new", b, 0o755); err != nil {
		return err
	}
	return os.Rename(to+".new", to)
}

// home is one daemon's world.
type home struct {
	t      *testing.T
	dir    string // VYRE_HOME
	agent  *agenttest.Home
	api    *agenttest.ModelAPI
	port   int
	bin    string // what its daemon runs; empty: vyreBin
	env    []string
	cmd    *exec.Cmd
	exited chan struct{}
	stderr *bytes.Buffer
	client *client.Client
}

// newHome makes a home whose agent is the real Claude Code, and starts its daemon.
func newHome(t *testing.T) *home { return newHomeAt(t, filepath.Join(t.TempDir(), "home"), "") }

// newHomeAt is newHome in a folder of the test's choice, with settings before the
// provider's.
func newHomeAt(t *testing.T, dir, settings string) *home {
	t.Helper()
	api := agenttest.API(t)
	h := &home{t: t, dir: dir, agent: agenttest.Claude(t, api), api: api, port: freePort(t)}
	if err := os.MkdirAll(h.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	h.config(settings + fmt.Sprintf("[providers.claude]\nruntime = %q\n", h.agent.Binary))
	h.env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + h.agent.Dir, "SHELL=/bin/sh", "LANG=C.UTF-8",
		"VYRE_HOME=" + h.dir, "VYRE_LISTEN=127.0.0.1:" + strconv.Itoa(h.port),
		"CANARY_SECRET=do-not-leak-me", "XDG_RUNTIME_DIR=" + os.Getenv("XDG_RUNTIME_DIR"),
	}
	t.Cleanup(h.close)
	h.start()
	return h
}

// config writes config.toml: what is given, and the agent's environment.
func (h *home) config(text string) {
	h.t.Helper()
	var b strings.Builder
	b.WriteString(text + "[providers.claude.env]\n")
	for _, kv := range h.agent.Env {
		k, v, _ := strings.Cut(kv, "=")
		if strings.HasPrefix(k, "ANTHROPIC_") || strings.HasPrefix(k, "CLAUDE_") {
			fmt.Fprintf(&b, "%s = %q\n", k, v)
		}
	}
	if err := os.WriteFile(filepath.Join(h.dir, "config.toml"), []byte(b.String()), 0o600); err != nil {
		h.t.Fatal(err)
	}
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// start runs the daemon and waits until it answers. extra is added to its environment.
func (h *home) start(extra ...string) {
	h.t.Helper()
	h.stderr = &bytes.Buffer{}
	h.cmd = exec.Command(cmp.Or(h.bin, vyreBin), "daemon")
	h.cmd.Env, h.cmd.Stderr, h.cmd.Dir = append(h.env, extra...), h.stderr, "/"
	h.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := h.cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	cmd, exited := h.cmd, make(chan struct{})
	h.exited = exited
	go func() { _ = cmd.Wait(); close(exited) }()
	h.client = client.Socket(h.socket())
	deadline := time.After(20 * time.Second)
	for {
		err := h.client.Call(h.t.Context(), "daemon.status", nil, nil)
		if err == nil {
			return
		}
		select {
		case <-exited:
			if len(extra) > 0 {
				return // a failpoint ended it
			}
			h.t.Fatalf("the daemon ended at its start: %s", h.stderr)
		case <-deadline:
			h.t.Fatalf("the daemon does not answer: %v\n%s", err, h.stderr)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func (h *home) socket() string { return config.SocketPath(h.runtimeDir()) }

func (h *home) runtimeDir() string {
	dir, err := config.RuntimeDir(h.dir)
	if err != nil {
		h.t.Fatal(err)
	}
	return dir
}

// kill ends the daemon without a word; only the daemon.
func (h *home) kill() {
	h.t.Helper()
	_ = h.cmd.Process.Signal(syscall.SIGKILL)
	<-h.exited
	h.client.Close()
}

func (h *home) alive() bool {
	select {
	case <-h.exited:
		return false
	default:
		return true
	}
}

// close ends what the test started and checks that nothing is left.
func (h *home) close() {
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	if !h.alive() {
		h.start()
	}
	var out struct{ Threads []vyre.Thread }
	if err := h.client.Call(ctx, "threads.list", map[string]any{"limit": 200}, &out); err != nil {
		h.t.Errorf("list at the end: %v\n%s", err, h.stderr)
	}
	for _, th := range out.Threads {
		if th.State != vyre.StateStopped {
			if err := h.client.Call(ctx, "threads.stop", map[string]any{"thread": th.ID}, nil); err != nil {
				h.t.Errorf("stop at the end: %v", err)
			}
		}
	}
	_ = h.client.Call(ctx, "daemon.stop", nil, nil)
	select {
	case <-h.exited:
	case <-ctx.Done():
		h.t.Error("the daemon does not end")
		h.kill()
	}
	h.client.Close()
	if left := processesOf(h.dir); left != "" {
		h.t.Errorf("left running:\n%s", left)
	}
	_ = os.RemoveAll(h.runtimeDir())
	if h.t.Failed() {
		h.t.Logf("the daemon's last words:\n%s", tailOf(h.stderr.String(), 6000))
	}
}

func tailOf(s string, n int) string {
	if len(s) > n {
		return s[len(s)-n:]
	}
	return s
}

// processesOf lists processes whose environment or arguments name a home.
func processesOf(dir string) string {
	var out []string
	procs, _ := filepath.Glob("/proc/[0-9]*")
	for _, p := range procs {
		for _, f := range []string{"cmdline", "environ"} {
			b, _ := os.ReadFile(filepath.Join(p, f))
			if bytes.Contains(b, []byte(dir)) {
				cmd, _ := os.ReadFile(filepath.Join(p, "cmdline"))
				out = append(out, filepath.Base(p)+" "+strings.ReplaceAll(string(cmd), "\x00", " "))
				break
			}
		}
	}
	return strings.Join(out, "\n")
}

// call runs a tool as the person and fails the test on an error.
func (h *home) call(tool string, in map[string]any, out any) {
	h.t.Helper()
	if err := h.try(tool, in, out); err != nil {
		h.t.Fatalf("%s %v: %v\n%s", tool, in, err, tailOf(h.stderr.String(), 3000))
	}
}

func (h *home) try(tool string, in map[string]any, out any) error {
	ctx, cancel := context.WithTimeout(h.t.Context(), 60*time.Second)
	defer cancel()
	return h.client.Call(ctx, tool, in, out)
}

// begin starts a thread and returns its id.
func (h *home) begin(prompt string) vyre.ThreadID {
	h.t.Helper()
	in := map[string]any{"provider": "claude", "cwd": h.agent.CWD}
	if prompt != "" {
		in["prompt"] = prompt
	}
	var out struct{ Thread vyre.ThreadID }
	h.call("threads.start", in, &out)
	return out.Thread
}

func (h *home) send(id vyre.ThreadID, text string) vyre.MessageID {
	h.t.Helper()
	var out struct{ Message vyre.MessageID }
	h.call("threads.send", map[string]any{"thread": id, "text": text}, &out)
	return out.Message
}

func (h *home) thread(id vyre.ThreadID) vyre.Thread {
	h.t.Helper()
	var th vyre.Thread
	h.call("threads.get", map[string]any{"thread": id}, &th)
	return th
}

func (h *home) items(id vyre.ThreadID) []vyre.Item {
	h.t.Helper()
	var out struct{ Items []vyre.Item }
	h.call("threads.items", map[string]any{"thread": id, "limit": 200}, &out)
	return out.Items
}

// text joins the words of a thread's items of one kind.
func (h *home) text(id vyre.ThreadID, kind vyre.ItemKind) string {
	var s []string
	for _, it := range h.items(id) {
		if it.Kind == kind {
			s = append(s, it.Text)
		}
	}
	return strings.Join(s, "|")
}

func (h *home) asks(id vyre.ThreadID) []vyre.Ask {
	h.t.Helper()
	var out struct{ Asks []vyre.Ask }
	h.call("threads.asks", map[string]any{"thread": id}, &out)
	return out.Asks
}

// ask waits for an open ask of the thread.
func (h *home) ask(id vyre.ThreadID) vyre.Ask {
	h.t.Helper()
	var got vyre.Ask
	h.until("an ask", func() bool {
		if a := h.asks(id); len(a) > 0 {
			got = a[0]
		}
		return got.ID != ""
	})
	return got
}

// until looks again after each event until ok holds.
func (h *home) until(what string, ok func() bool) {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), 60*time.Second)
	defer cancel()
	if ok() {
		return
	}
	for _, err := range h.client.Events(ctx, 0, client.EventsOptions{Follow: true}) {
		if err != nil {
			h.t.Fatalf("waiting for %s: %v", what, err)
		}
		if ok() {
			return
		}
	}
	h.t.Fatalf("%s did not come; the log:\n%s\n%s", what, h.log(), tailOf(h.stderr.String(), 3000))
}

// finished waits for the n-th end of a turn in the thread and returns its status.
func (h *home) finished(id vyre.ThreadID, n int) vyre.TurnStatus {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), 60*time.Second)
	defer cancel()
	seen := 0
	opt := client.EventsOptions{Follow: true, Thread: id, Kinds: []vyre.Kind{vyre.EvThreadFinished}}
	for e, err := range h.client.Events(ctx, 0, opt) {
		if err != nil {
			h.t.Fatal(err)
		}
		if seen++; seen == n {
			var d vyre.ThreadFinished
			if err := json.Unmarshal(e.Data, &d); err != nil {
				h.t.Fatal(err)
			}
			return d.Status
		}
	}
	h.t.Fatalf("turn %d did not end; the log:\n%s\n%s", n, h.log(), tailOf(h.stderr.String(), 3000))
	return ""
}

// events reads the whole log.
func (h *home) events() []vyre.Event {
	h.t.Helper()
	var out []vyre.Event
	for e, err := range h.client.Events(context.Background(), 0, client.EventsOptions{}) {
		if err != nil {
			h.t.Fatal(err)
		}
		out = append(out, e)
	}
	return out
}

func (h *home) log() string {
	var b strings.Builder
	for _, e := range h.events() {
		fmt.Fprintf(&b, "%d %s %s %s\n", e.Seq, e.Kind, e.Turn, e.Data)
	}
	return tailOf(b.String(), 6000)
}

// streamed joins the words of the thread's text deltas as a reader of the log
// sees them, failing on a gap or an overlap within an item.
func (h *home) streamed(id vyre.ThreadID) string {
	h.t.Helper()
	var out strings.Builder
	have := map[vyre.ItemID]int{}
	for _, e := range h.events() {
		if e.Kind != vyre.EvThreadText || e.Thread != id {
			continue
		}
		var d vyre.ThreadText
		if err := json.Unmarshal(e.Data, &d); err != nil {
			h.t.Fatal(err)
		}
		if d.Kind != vyre.ItemText {
			continue
		}
		if d.Offset != have[d.Item] {
			h.t.Errorf("seq %d: words at %d, expected at %d", e.Seq, d.Offset, have[d.Item])
		}
		have[d.Item] += len(d.Text)
		out.WriteString(d.Text)
	}
	return out.String()
}

// answer answers an ask as the person.
func (h *home) answer(a vyre.Ask, decision vyre.Decision, more map[string]any) (vyre.Ask, error) {
	in := map[string]any{"ask": a.ID, "decision": decision}
	maps.Copy(in, more)
	var out vyre.Ask
	err := h.try("threads.answer", in, &out)
	return out, err
}

func (h *home) mustAnswer(a vyre.Ask, decision vyre.Decision, more map[string]any) {
	h.t.Helper()
	got, err := h.answer(a, decision, more)
	if err != nil || got.State != vyre.AskAnswered || got.Decision != decision {
		h.t.Fatalf("answer: %+v, %v", got, err)
	}
}

// file waits for a file in the session's folder.
func (h *home) file(name string) {
	h.t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(60 * time.Second)
	for !h.exists(name) {
		select {
		case <-tick.C:
		case <-deadline:
			h.t.Fatalf("%s was not made; the log:\n%s", name, h.log())
		}
	}
}

// exists reports whether a file is in the session's folder.
func (h *home) exists(name string) bool {
	_, err := os.Stat(filepath.Join(h.agent.CWD, name))
	return err == nil || !errors.Is(err, os.ErrNotExist)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
