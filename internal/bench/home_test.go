package bench

import (
	"context"
	"fmt"
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

// home runs the built daemon for a measurement.
type home struct {
	b      *testing.B
	dir    string
	agent  *agenttest.Home
	api    *agenttest.ModelAPI
	env    []string
	cmd    *exec.Cmd
	client *client.Client
	ready  time.Duration // from exec to the first answer
}

func vyreBin(b *testing.B) string {
	p, err := filepath.Abs(filepath.Join("..", "..", "bin", "vyre"))
	if err != nil {
		b.Fatal(err)
	}
	if _, err := os.Stat(p); err != nil {
		b.Fatal("bin/vyre is not built: run make bench")
	}
	return p
}

func newHome(b *testing.B) *home {
	api := agenttest.API(b)
	h := &home{b: b, dir: filepath.Join(b.TempDir(), "home"), agent: agenttest.Claude(b, api), api: api}
	if err := os.MkdirAll(filepath.Join(h.dir, "private"), 0o700); err != nil {
		b.Fatal(err)
	}
	var cfg strings.Builder
	fmt.Fprintf(&cfg, "[providers.claude]\nruntime = %q\n[providers.claude.env]\n", h.agent.Binary)
	for _, kv := range h.agent.Env {
		if k, v, _ := strings.Cut(kv, "="); strings.HasPrefix(k, "ANTHROPIC_") || strings.HasPrefix(k, "CLAUDE_") {
			fmt.Fprintf(&cfg, "%s = %q\n", k, v)
		}
	}
	if err := os.WriteFile(filepath.Join(h.dir, "config.toml"), []byte(cfg.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	h.env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + h.agent.Dir, "SHELL=/bin/sh", "LANG=C.UTF-8",
		"VYRE_HOME=" + h.dir, "VYRE_LISTEN=127.0.0.1:" + freePort(b),
	}
	rt, err := config.RuntimeDir(h.dir)
	if err != nil {
		b.Fatal(err)
	}
	h.client = client.Socket(config.SocketPath(rt))
	b.Cleanup(func() { h.end(); os.RemoveAll(rt) })
	return h
}

func freePort(b *testing.B) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}

// start runs the daemon and measures until it answers.
func (h *home) start() {
	h.cmd = exec.Command(vyreBin(h.b), "daemon")
	h.cmd.Env, h.cmd.Dir = h.env, "/"
	h.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	begun := time.Now()
	if err := h.cmd.Start(); err != nil {
		h.b.Fatal(err)
	}
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for h.client.Call(h.b.Context(), "daemon.status", nil, nil) != nil {
		if time.Since(begun) > 20*time.Second {
			h.b.Fatal("the daemon does not answer")
		}
		<-tick.C
	}
	h.ready = time.Since(begun)
}

func (h *home) kill() {
	_ = h.cmd.Process.Kill()
	_ = h.cmd.Wait()
	h.cmd = nil
	h.client.Close()
}

// end stops every thread and the daemon.
func (h *home) end() {
	if h.cmd == nil {
		return
	}
	ctx := context.WithoutCancel(h.b.Context()) // it ended before the clean-up
	var list struct{ Threads []vyre.Thread }
	_ = h.client.Call(ctx, "threads.list", map[string]any{"limit": 200}, &list)
	for _, th := range list.Threads {
		if th.State != vyre.StateStopped {
			_ = h.client.Call(ctx, "threads.stop", map[string]any{"thread": th.ID}, nil)
		}
	}
	_ = h.client.Call(ctx, "daemon.stop", nil, nil)
	_ = h.cmd.Wait()
	h.client.Close()
}

func (h *home) call(tool string, in map[string]any, out any) {
	h.b.Helper()
	if err := h.client.Call(h.b.Context(), tool, in, out); err != nil {
		h.b.Fatalf("%s: %v", tool, err)
	}
}

func (h *home) begin(prompt string) vyre.ThreadID {
	h.b.Helper()
	in := map[string]any{"provider": "claude", "cwd": h.agent.CWD}
	if prompt != "" {
		in["prompt"] = prompt
	}
	var out struct{ Thread vyre.ThreadID }
	h.call("threads.start", in, &out)
	return out.Thread
}

// follow gives the events after a cursor until stop says so.
func (h *home) follow(after vyre.Seq, stop func(vyre.Event) bool) {
	h.b.Helper()
	for e, err := range h.client.Events(h.b.Context(), after, client.EventsOptions{Follow: true}) {
		if err != nil {
			h.b.Fatal(err)
		}
		if stop(e) {
			return
		}
	}
}

func (h *home) head() vyre.Seq {
	var st struct{ Head vyre.Seq }
	h.call("daemon.status", map[string]any{}, &st)
	return st.Head
}

// rss is a process's resident memory in bytes.
func rss(b *testing.B, pid int) int64 {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		b.Fatal(err)
	}
	pages, err := strconv.ParseInt(strings.Fields(string(raw))[1], 10, 64)
	if err != nil {
		b.Fatal(err)
	}
	return pages * int64(os.Getpagesize())
}

// cpu is the processor time that a process has used.
func cpu(b *testing.B, pid int) time.Duration {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		b.Fatal(err)
	}
	f := strings.Fields(string(raw[strings.LastIndexByte(string(raw), ')')+1:]))
	var ticks int64
	for _, i := range []int{11, 12} { // utime, stime
		n, err := strconv.ParseInt(f[i], 10, 64)
		if err != nil {
			b.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond // USER_HZ is 100 on Linux
}
