package e2e

import (
	"bufio"
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vyre"
)

// newBrokered is a home whose sessions have their credential from the vault, by a broker.
func newBrokered(t *testing.T, auth, item, secret string) *home {
	t.Helper()
	h := newHome(t)
	h.call("vault.put", map[string]any{"name": item, "value": secret}, nil)
	h.kill()
	var env []string
	for _, kv := range h.agent.Env {
		if !strings.HasPrefix(kv, "ANTHROPIC_API_KEY=") && !strings.HasPrefix(kv, "CLAUDE_CODE_MAX_RETRIES=") {
			env = append(env, kv)
		}
	}
	h.agent.Env = append(env, "CLAUDE_CODE_MAX_RETRIES=10")
	h.config(fmt.Sprintf("[sessions]\nbroker = true\nauth = %q\n[providers.claude]\nruntime = %q\n", auth, h.agent.Binary))
	h.start()
	return h
}

// brokerAddress is where the thread's session has its broker.
func (h *home) brokerAddress(id vyre.ThreadID) string {
	h.t.Helper()
	var st struct {
		Brokers []struct {
			Thread  vyre.ThreadID
			Address string
		}
	}
	h.call("daemon.status", map[string]any{}, &st)
	for _, b := range st.Brokers {
		if b.Thread == id {
			return b.Address
		}
	}
	h.t.Fatalf("no broker of %s in %+v", id, st)
	return ""
}

// The real agent works by a broker with either kind of credential; the credential is in no
// environment, file or memory that it has, reaches its vendor alone, and nobody but the
// session passes. A daemon that dies in the middle of an answer costs the turn nothing.
func TestBroker(t *testing.T) {
	for auth, item := range map[string]string{"api-key": "anthropic-api-key", "setup-token": "claude-setup-token"} {
		t.Run(auth, func(t *testing.T) {
			secret := "sk-ant-real-" + vyre.NewSecret()
			h := newBrokered(t, auth, item, secret)
			write(t, filepath.Join(h.agent.CWD, "look.sh"), `exec > seen.txt 2>&1
env; cat /proc/[0-9]*/environ; cat /proc/$PPID/fd/3; ls -l /proc/$PPID/fd; grep -r sk-ant "$CLAUDE_CONFIG_DIR"
`)
			id := h.begin(`tool Bash {"command":"sh look.sh"}` + "\nsay before\ngate g\nsay after")
			h.mustAnswer(h.ask(id), vyre.Allow, nil)
			h.until("the words before the gate", func() bool { return strings.Contains(h.streamed(id), "before") })
			addr := h.brokerAddress(id)
			holdsNoSecret(t, h.agentPID(id), secret)
			h.kill()
			h.start()
			if again := h.brokerAddress(id); again != addr {
				t.Errorf("the broker is at %s, was at %s", again, addr)
			}
			h.api.Gate("g").Open()
			if s := h.finished(id, 1); s != vyre.TurnCompleted {
				t.Errorf("the turn over the restart: %s", s)
			}
			if words := h.text(id, vyre.ItemText); !strings.Contains(words, "after") {
				t.Errorf("words %q", words)
			}
			reqs := h.api.Requests()
			if len(reqs) < 3 {
				t.Errorf("%d requests: none was made again", len(reqs))
			}
			for _, r := range reqs {
				if r.Key != secret {
					t.Errorf("%s with %.20s…", r.Path, r.Key)
				}
			}
			seen, err := os.ReadFile(filepath.Join(h.agent.CWD, "seen.txt"))
			if err != nil || bytes.Contains(seen, []byte(secret)) || !bytes.Contains(seen, []byte("ANTHROPIC_BASE_URL=http://"+addr)) {
				t.Errorf("what the agent's command saw: %v\n%s", err, tailOf(string(seen), 1500))
			}
			for _, key := range []string{"", secret, "sk-ant-api03-guess"} {
				if code := knock(t, addr, key); code != http.StatusUnauthorized {
					t.Errorf("with %.12s…: %d", key, code)
				}
			}
			h.call("threads.stop", map[string]any{"thread": id}, nil)
			if res, err := http.Post("http://"+addr+"/v1/messages", "application/json", strings.NewReader("{}")); err == nil {
				_ = res.Body.Close()
				t.Error("the address of a session that is over answers")
			}
			holdsNowhere(t, h, secret)
		})
	}
}

func knock(t *testing.T, addr, key string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+addr+"/v1/messages", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Api-Key", key)
	req.Header.Set("Authorization", "Bearer "+key)
	r, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	return r.StatusCode
}

// holdsNoSecret reads all of a process's memory that can be written, and its environment.
func holdsNoSecret(t *testing.T, pid int, secret string) {
	t.Helper()
	proc := fmt.Sprintf("/proc/%d/", pid)
	env, err := os.ReadFile(proc + "environ")
	if err != nil || bytes.Contains(env, []byte(secret)) {
		t.Errorf("its environment: %v", err)
	}
	maps, err := os.Open(proc + "maps")
	if err != nil {
		t.Fatal(err)
	}
	defer maps.Close()
	mem, err := os.Open(proc + "mem")
	if err != nil {
		t.Fatal(err)
	}
	defer mem.Close()
	read, control := 0, false
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		var from, to int64
		var mode string
		if _, err := fmt.Sscanf(lines.Text(), "%x-%x %s", &from, &to, &mode); err != nil || !strings.HasPrefix(mode, "rw") {
			continue
		}
		const part = 4 << 20
		buf := make([]byte, part+len(secret))
		for at := from; at < to; at += part {
			n, _ := mem.ReadAt(buf[:min(int64(len(buf)), to-at)], at)
			read += n
			if bytes.Contains(buf[:n], []byte(secret)) {
				t.Fatalf("it is in its memory, in %s", lines.Text())
			}
			control = control || bytes.Contains(buf[:n], []byte("sk-ant-"))
		}
	}
	if read < 10<<20 || !control {
		t.Errorf("only %d bytes were read, its own key among them: %v", read, control)
	}
}

// holdsNowhere looks for a secret in every file of the home, and in the daemon's log.
func holdsNowhere(t *testing.T, h *home, secrets ...string) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(h.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil //nolint:nilerr // a session's folder that just went
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return nil //nolint:nilerr // a session's file that just went
		}
		files++
		for _, s := range secrets {
			if bytes.Contains(b, []byte(s)) {
				t.Errorf("%q is in %s", s, path)
			}
		}
		return nil
	})
	if err != nil || files < 2 {
		t.Errorf("%d files, %v", files, err)
	}
	log := h.log()
	for _, s := range secrets {
		if strings.Contains(h.stderr.String(), s) || strings.Contains(log, s) {
			t.Errorf("%q is in the log", s)
		}
	}
}
