package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vyre"
	"vyre/internal/client"
)

// A session's own socket serves its thread and nobody else, the person too; it is
// there before the agent runs, at the same place after the daemon was killed, and
// gone with the session.
func TestSessionSocket(t *testing.T) {
	h := newHome(t)
	look := func(out string) string {
		return fmt.Sprintf("tool Bash {\"command\":%q}\nsay looked", "(echo $VYRE_SOCKET; "+vyreBin+` call threads.get '{"thread":"'$VYRE_THREAD'"}'; `+
			vyreBin+` call threads.archive '{"thread":"'$VYRE_THREAD'"}'; curl -sS --unix-socket $VYRE_SOCKET http://localhost/v1/openapi.json) > `+out+" 2>&1")
	}
	id := h.begin(look("one.out"))
	h.mustAnswer(h.ask(id), vyre.Allow, nil)
	h.finished(id, 1)
	path := h.judgeSession(id, "one.out")
	h.kill()
	if err := client.Socket(path).Call(t.Context(), "threads.list", nil, nil); vyre.CodeOf(err) != vyre.CodeUnavailable {
		t.Errorf("without a daemon: %v", err)
	}
	h.start()
	c := client.Socket(path)
	defer c.Close()
	if err := c.Call(t.Context(), "threads.list", nil, nil); vyre.CodeOf(err) != vyre.CodeUnauthenticated {
		t.Errorf("the person: %v", err)
	}
	h.send(id, look("two.out"))
	h.mustAnswer(h.ask(id), vyre.Allow, nil)
	h.finished(id, 2)
	if again := h.judgeSession(id, "two.out"); again != path {
		t.Errorf("%s after a restart, %s before", again, path)
	}
	h.call("threads.stop", map[string]any{"thread": id}, nil)
	h.until("the socket is gone", func() bool {
		_, err := os.Lstat(filepath.Dir(path))
		return os.IsNotExist(err)
	})
}

// judgeSession reads what a session saw on its own socket, and returns its path.
func (h *home) judgeSession(id vyre.ThreadID, name string) string {
	h.t.Helper()
	out := h.read(name)
	path, _, _ := strings.Cut(out, "\n")
	if filepath.Dir(filepath.Dir(filepath.Dir(path))) != h.runtimeDir() {
		h.t.Errorf("VYRE_SOCKET is %q", path)
	}
	for _, want := range []string{string(id), "person_only", "threads.items"} {
		if !strings.Contains(out, want) {
			h.t.Errorf("no %q in\n%.2000s", want, out)
		}
	}
	if strings.Contains(out, "/v1/tools/threads.answer") {
		h.t.Error("a tool of a person is offered")
	}
	return path
}
