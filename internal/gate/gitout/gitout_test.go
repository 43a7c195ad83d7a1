package gitout

import (
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"vyre"
	"vyre/internal/gate"
	"vyre/internal/git"
)

// place is a repository, its remote behind git's own http-backend, and a sender.
type place struct {
	*Sender
	t           *testing.T
	repo, bare  string
	url, marked string // marked: made by a program of a repository that ran
}

func newPlace(t *testing.T) *place {
	t.Helper()
	root, home := t.TempDir(), t.TempDir()
	g := git.New(func(name string) string {
		return map[string]string{"PATH": os.Getenv("PATH"), "HOME": home}[name]
	})
	p := &place{
		Sender: &Sender{Git: g, Dir: t.TempDir(), Env: func() []string { return nil }},
		t:      t, repo: filepath.Join(root, "repo"), bare: filepath.Join(root, "remote.git"), marked: filepath.Join(root, "ran"),
	}
	for _, dir := range []string{p.repo, p.bare} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	p.git(p.bare, "init", "-q", "--bare", "-b", "main")
	p.git(p.bare, "config", "http.receivepack", "true")
	p.git(p.repo, "init", "-q", "-b", "main")
	backend := strings.TrimSpace(p.git(p.repo, "--exec-path"))
	srv := httptest.NewServer(&cgi.Handler{
		Path: filepath.Join(backend, "git-http-backend"), Env: []string{"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1", "HOME=" + home},
	})
	t.Cleanup(srv.Close)
	p.url = srv.URL + "/remote.git"
	return p
}

func (p *place) git(dir string, args ...string) string {
	p.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.Dir, "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.invalid", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.invalid"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.t.Fatalf("git %v: %v %s", args, err, out)
	}
	return string(out)
}

func (p *place) commit(text string) string {
	p.git(p.repo, "commit", "-q", "--allow-empty", "-m", text)
	return strings.TrimSpace(p.git(p.repo, "rev-parse", "HEAD"))
}

func (p *place) act(commit string) vyre.GateAct {
	return vyre.GateAct{ID: "a", Kind: vyre.GatePush, Target: p.url, Options: vyre.GateOptions{
		Private: true, Repo: p.repo, Ref: "refs/heads/main", Commit: commit,
	}}
}

func (p *place) prepared(commit string) vyre.GateAct {
	p.t.Helper()
	a := p.act(commit)
	if err := p.Prepare(p.t.Context(), &a); err != nil {
		p.t.Fatal(err)
	}
	return a
}

func (p *place) remote() string {
	return strings.TrimSpace(p.git(p.bare, "for-each-ref", "--format=%(objectname)"))
}

// The commit that was asked for goes out, whatever the branch is by then; again is no
// change; a ref that moved elsewhere is not overwritten unless the act said from what.
func TestPush(t *testing.T) {
	p := newPlace(t)
	one := p.commit("the first")
	a := p.prepared("main")
	if a.Options.Commit != one || !a.Idempotent || !strings.Contains(string(a.Payload), "the first") {
		t.Errorf("%+v %s", a, a.Payload)
	}
	two := p.commit("the second")
	for range 2 {
		if r := p.Send(t.Context(), a, "k"); r.End != gate.Done || p.remote() != one {
			t.Fatalf("%+v, the remote has %s", r, p.remote())
		}
	}
	if r := p.Send(t.Context(), p.prepared(two), ""); r.End != gate.Done {
		t.Fatalf("%+v", r)
	}
	p.git(p.repo, "reset", "-q", "--hard", one)
	other := p.commit("another way")
	b := p.prepared(other)
	if r := p.Send(t.Context(), b, ""); r.End != gate.Refused || p.remote() != two {
		t.Errorf("not a move forward: %+v", r)
	}
	b.Options.Expected = one
	if r := p.Send(t.Context(), b, ""); r.End != gate.Refused || p.remote() != two {
		t.Errorf("from another commit: %+v", r)
	}
	b.Options.Expected = two
	if r := p.Send(t.Context(), b, ""); r.End != gate.Done || p.remote() != other {
		t.Errorf("from what it is: %+v", r)
	}
	b.Target = strings.Replace(p.url, "remote.git", "none.git", 1)
	if r := p.Send(t.Context(), b, ""); r.End != gate.Lost {
		t.Errorf("a remote that can't be asked: %+v", r)
	}
	left, err := os.ReadDir(p.Dir)
	if err != nil || len(left) > 0 {
		t.Errorf("folders stay: %v %v", left, err)
	}
}

// Nothing of the repository that the agent works in runs or says where a push goes.
func TestRepositoryHasNoSay(t *testing.T) {
	p := newPlace(t)
	one := p.commit("one")
	evil := filepath.Join(p.Dir, "..", "evil")
	if err := os.WriteFile(evil, []byte("#!/bin/sh\necho ran >> "+p.marked+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	elsewhere := filepath.Join(filepath.Dir(p.bare), "elsewhere.git")
	p.git(p.repo, "init", "-q", "--bare", elsewhere)
	for _, kv := range [][2]string{
		{"url." + elsewhere + ".insteadOf", p.url},
		{"url." + elsewhere + ".pushInsteadOf", p.url},
		{"credential.helper", "!" + evil},
		{"core.sshCommand", evil},
		{"core.askPass", evil},
		{"core.gitProxy", evil},
		{"http.proxy", "http://127.0.0.1:1"},
		{"core.hooksPath", filepath.Dir(evil)},
		{"gpg.program", evil},
		{"push.gpgSign", "true"},
		{"core.fsmonitor", evil},
		{"push.followTags", "true"},
	} {
		p.git(p.repo, "config", kv[0], kv[1])
	}
	if err := os.WriteFile(filepath.Join(p.repo, ".git", "hooks", "pre-push"), []byte("#!/bin/sh\necho ran >> "+p.marked+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if r := p.Send(t.Context(), p.prepared(one), ""); r.End != gate.Done || p.remote() != one {
		t.Errorf("%+v, the remote has %s", r, p.remote())
	}
	if b, err := os.ReadFile(p.marked); err == nil {
		t.Errorf("a program of the repository ran: %s", b)
	}
}

// What is no push over https or ssh of one commit to one ref is refused, by its field.
func TestWhatIsRefused(t *testing.T) {
	p := newPlace(t)
	one := p.commit("one")
	for field, change := range map[string]func(*vyre.GateAct){
		"target":           func(a *vyre.GateAct) { a.Target = p.bare },
		"target ":          func(a *vyre.GateAct) { a.Target = "file://" + p.bare },
		"target  ":         func(a *vyre.GateAct) { a.Target = "ext::sh -c id" },
		"target   ":        func(a *vyre.GateAct) { a.Target = "origin" },
		"target    ":       func(a *vyre.GateAct) { a.Target = "ssh://-oProxyCommand=id/x" },
		"target     ":      func(a *vyre.GateAct) { a.Target = "-oProxyCommand=id:x" },
		"target      ":     func(a *vyre.GateAct) { a.Target = "https://u:p@example.com/x" },
		"target       ":    func(a *vyre.GateAct) { a.Target = "http://example.com/x" },
		"options.private":  func(a *vyre.GateAct) { a.Options.Private = false },
		"options.ref":      func(a *vyre.GateAct) { a.Options.Ref = "main" },
		"options.ref ":     func(a *vyre.GateAct) { a.Options.Ref = "refs/heads/../x" },
		"options.ref  ":    func(a *vyre.GateAct) { a.Options.Ref = "+refs/heads/x" },
		"options.commit":   func(a *vyre.GateAct) { a.Options.Commit = "none" },
		"options.commit ":  func(a *vyre.GateAct) { a.Options.Commit = "--all" },
		"options.commit  ": func(a *vyre.GateAct) { a.Options.Commit = "" },
		"options.repo":     func(a *vyre.GateAct) { a.Options.Repo = "repo" },
		"options.expected": func(a *vyre.GateAct) { a.Options.Expected = "x" },
		"payload":          func(a *vyre.GateAct) { a.Payload = []byte("x") },
	} {
		a := p.act(one)
		change(&a)
		if err := p.Prepare(t.Context(), &a); vyre.AsError(err) == nil || vyre.AsError(err).Field != strings.TrimSpace(field) {
			t.Errorf("%s: %v", field, err)
		}
	}
}
