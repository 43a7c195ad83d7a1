package sock

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"vyre"
	"vyre/internal/client"
	"vyre/internal/door/api/apitest"
	"vyre/internal/identity"
	"vyre/internal/shim/procs"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// books is the list of open sessions.
type books []vyre.Session

func (b books) Open() []vyre.Session { return b }

// folder is a short one: the path of a socket is bounded.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "vyre-sock")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func options(open ...vyre.Session) Options {
	return Options{Parts: apitest.New(16).Parts(), Peers: identity.NewPeers(books(open), nil)}
}

// run serves at a path and returns a client.
func run(t *testing.T, path string, o Options) *client.Client {
	t.Helper()
	d, err := Listen(path, o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- d.Run(ctx) }()
	c := client.Socket(path)
	t.Cleanup(func() {
		c.Close()
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if _, err := os.Lstat(path); !os.IsNotExist(err) {
			t.Error("the socket is left behind")
		}
	})
	return c
}

func said(ctx context.Context, c *client.Client, tool string, in apitest.Text) (apitest.Said, error) {
	var out apitest.Said
	err := c.Call(ctx, tool, in, &out)
	return out, err
}

// A process of this user, outside of any session, is the person at a terminal.
func TestPersonCalls(t *testing.T) {
	path := filepath.Join(folder(t), "daemon.sock")
	c := run(t, path, options())
	got, err := said(t.Context(), c, "asks.answer", apitest.Text{Text: "a<b"})
	if err != nil || got != (apitest.Said{By: "person:owner:cli", Text: "a<b"}) {
		t.Errorf("got %+v, %v", got, err)
	}
	info, err := os.Lstat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if raw, err := c.Get(t.Context(), "/healthz"); err != nil || string(raw) != `{"ok":true}` {
		t.Errorf("got %s, %v", raw, err)
	}
}

// A process of a session is that thread: it can't answer, it reaches itself and
// no other thread. That holds from the moment the session is in the books, also
// on a connection that was open before.
func TestSessionCallsAsThread(t *testing.T) {
	self, err := procs.Stat(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	boot, err := procs.BootID()
	if err != nil {
		t.Fatal(err)
	}
	open := &growing{}
	o := options()
	o.Peers = identity.NewPeers(open, nil)
	c := run(t, filepath.Join(folder(t), "daemon.sock"), o)
	if _, err := said(t.Context(), c, "asks.answer", apitest.Text{}); err != nil {
		t.Fatal(err)
	}
	open.now = []vyre.Session{{ID: "s1", Thread: "t1", State: vyre.SessionStarting, BootID: boot, PID: self.PID, StartTime: self.Start}}
	_, err = said(t.Context(), c, "asks.answer", apitest.Text{})
	if vyre.CodeOf(err) != vyre.CodePersonOnly || !strings.Contains(err.Error(), "thread:t1") {
		t.Errorf("got %v", err)
	}
	if got, err := said(t.Context(), c, "threads.get", apitest.Text{Thread: "t1"}); err != nil || got.By != "thread:t1" {
		t.Errorf("got %+v, %v", got, err)
	}
	if _, err := said(t.Context(), c, "threads.get", apitest.Text{Thread: "t2"}); vyre.CodeOf(err) != vyre.CodeDenied {
		t.Errorf("got %v", err)
	}
}

// growing is a list of sessions that the test changes between calls.
type growing struct{ now []vyre.Session }

func (g *growing) Open() []vyre.Session { return g.now }

// Another user's peer gets nothing but the health.
func TestAnotherUserGetsNothing(t *testing.T) {
	o := options()
	o.Peers = identity.NewPeers(books(nil), nil, identity.WithUID(os.Geteuid()+1))
	c := run(t, filepath.Join(folder(t), "daemon.sock"), o)
	_, err := said(t.Context(), c, "threads.send", apitest.Text{})
	if vyre.CodeOf(err) != vyre.CodeUnauthenticated {
		t.Errorf("got %v", err)
	}
	if _, err := c.Get(t.Context(), "/v1/openapi.json"); vyre.CodeOf(err) != vyre.CodeUnauthenticated {
		t.Errorf("got %v", err)
	}
	if _, err := c.Get(t.Context(), "/healthz"); err != nil {
		t.Error(err)
	}
}

// A dead daemon's socket is removed, but only under the lock, and never a file
// that isn't a socket.
func TestStaleSocket(t *testing.T) {
	path := filepath.Join(folder(t), "daemon.sock")
	dead, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	dead.SetUnlinkOnClose(false)
	dead.Close()
	if _, err := Listen(path, options()); vyre.CodeOf(err) != vyre.CodeConflict {
		t.Errorf("without the lock: %v", err)
	}
	o := options()
	o.Locked = true
	c := run(t, path, o)
	if _, err := said(t.Context(), c, "threads.send", apitest.Text{}); err != nil {
		t.Error(err)
	}
	file := filepath.Join(folder(t), "daemon.sock")
	if err := os.WriteFile(file, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Listen(file, o); vyre.CodeOf(err) != vyre.CodeConflict {
		t.Errorf("over a file: %v", err)
	}
}

// A folder that others may use, one that isn't there, and a path that doesn't
// fit are refused before anything is made.
func TestUnsafePlaces(t *testing.T) {
	dir := folder(t)
	if err := os.Chmod(dir, 0o750); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(folder(t), "link")
	if err := os.Symlink(folder(t), link); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		path string
		want vyre.Code
	}{
		"shared":  {filepath.Join(dir, "s"), vyre.CodeUnavailable},
		"missing": {filepath.Join(dir, "gone", "s"), vyre.CodeUnavailable},
		"link":    {filepath.Join(link, "s"), vyre.CodeUnavailable},
		"long":    {filepath.Join(dir, strings.Repeat("x", 120)), vyre.CodeInvalid},
	} {
		if _, err := Listen(c.path, options()); vyre.CodeOf(err) != c.want {
			t.Errorf("%s: got %v, want %s", name, err, c.want)
		}
		if _, err := os.Lstat(c.path); err == nil {
			t.Errorf("%s: something was made", name)
		}
	}
}
