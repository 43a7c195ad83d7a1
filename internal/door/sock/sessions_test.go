package sock

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vyre"
	"vyre/internal/client"
	"vyre/internal/door/api/apitest"
	"vyre/internal/identity"
	"vyre/internal/shim/procs"
)

func place(t *testing.T) Place {
	dir := folder(t)
	return Place{
		All:    filepath.Join(dir, "s"),
		Folder: func(id vyre.SessionID) string { return filepath.Join(dir, "s", string(id)) },
		Socket: func(id vyre.SessionID) string { return filepath.Join(dir, "s", string(id), "v") },
	}
}

// here is a session that this process is inside of.
func here(t *testing.T, id vyre.SessionID, th vyre.ThreadID) vyre.Session {
	t.Helper()
	self, err := procs.Stat(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	boot, err := procs.BootID()
	if err != nil {
		t.Fatal(err)
	}
	return vyre.Session{ID: id, Thread: th, State: vyre.SessionLive, BootID: boot, PID: self.PID, StartTime: self.Start}
}

// serveSessions runs the sockets of sessions and ends them with the test.
func serveSessions(t *testing.T, s *Sessions) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

func at(t *testing.T, path string) *client.Client {
	c := client.Socket(path)
	t.Cleanup(c.Close)
	return c
}

// On a session's own socket what is inside that session is its thread, and nobody
// else is anybody: not the person, not another session. No tool of a person is
// offered there, and one that is called all the same is refused.
func TestSessionSocketServesItsSessionAlone(t *testing.T) {
	open := &growing{}
	o := options()
	o.Peers = identity.NewPeers(open, nil)
	p := place(t)
	s := NewSessions(p, o)
	mine, other := here(t, "s1", "t1"), vyre.Session{ID: "s2", Thread: "t2", State: vyre.SessionLive, PID: 1 << 30, StartTime: 1}
	open.now = []vyre.Session{other}
	for _, x := range []vyre.Session{mine, other} { // one before it serves, one after
		if err := s.Open(x); err != nil {
			t.Fatal(err)
		}
		if x.ID == "s1" {
			serveSessions(t, s)
		}
	}
	if info, err := os.Lstat(p.Socket("s1")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if info, err := os.Lstat(p.Folder("s1")); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	own, theirs := at(t, p.Socket("s1")), at(t, p.Socket("s2"))
	for name, c := range map[string]*client.Client{"not in the books": own, "the person": theirs} {
		if _, err := said(t.Context(), c, "threads.send", apitest.Text{}); vyre.CodeOf(err) != vyre.CodeUnauthenticated {
			t.Errorf("%s: %v", name, err)
		}
	}
	open.now = []vyre.Session{mine, other}
	if got, err := said(t.Context(), own, "threads.get", apitest.Text{Thread: "t1"}); err != nil || got.By != "thread:t1" {
		t.Errorf("got %+v, %v", got, err)
	}
	if _, err := said(t.Context(), own, "asks.answer", apitest.Text{}); vyre.CodeOf(err) != vyre.CodePersonOnly {
		t.Errorf("got %v", err)
	}
	if _, err := said(t.Context(), theirs, "threads.send", apitest.Text{}); vyre.CodeOf(err) != vyre.CodeUnauthenticated {
		t.Errorf("another session: %v", err)
	}
	doc, err := own.Get(t.Context(), "/v1/openapi.json")
	if err != nil || strings.Contains(string(doc), "asks.answer") || !strings.Contains(string(doc), "threads.get") {
		t.Errorf("offered: %v\n%s", err, doc)
	}
}

// A session's socket goes with it, a dead daemon's is made again in the same
// folder, and what ended sessions left is swept; a file that is not ours stays.
func TestSessionSocketsComeAndGo(t *testing.T) {
	p := place(t)
	for _, id := range []vyre.SessionID{"s1", "old", "kept"} {
		if err := os.MkdirAll(p.Folder(id), 0o700); err != nil {
			t.Fatal(err)
		}
		dead, err := net.ListenUnix("unix", &net.UnixAddr{Name: p.Socket(id), Net: "unix"})
		if err != nil {
			t.Fatal(err)
		}
		dead.SetUnlinkOnClose(false)
		dead.Close()
	}
	theirs := filepath.Join(p.Folder("kept"), "file")
	if err := os.WriteFile(theirs, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(p.Folder("s1"))
	if err != nil {
		t.Fatal(err)
	}
	open := &growing{now: []vyre.Session{here(t, "s1", "t1")}}
	o := options()
	o.Peers = identity.NewPeers(open, nil)
	s := NewSessions(p, o)
	s.Sweep(open.now)
	if _, err := os.Lstat(p.Folder("old")); !os.IsNotExist(err) {
		t.Error("an old session's folder stays")
	}
	if _, err := os.Lstat(theirs); err != nil {
		t.Error("a file that isn't ours is gone")
	}
	if err := s.Open(open.now[0]); err != nil {
		t.Fatal(err)
	}
	serveSessions(t, s)
	if _, err := said(t.Context(), at(t, p.Socket("s1")), "threads.send", apitest.Text{}); err != nil {
		t.Error(err)
	}
	if after, err := os.Stat(p.Folder("s1")); err != nil || !os.SameFile(before, after) {
		t.Error("the folder is another one: what was bound into a session is not it any more")
	}
	s.Close("s1")
	s.Close("s1")
	if _, err := os.Lstat(p.Folder("s1")); !os.IsNotExist(err) {
		t.Error("the folder stays after the session")
	}
}
