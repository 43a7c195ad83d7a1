package gitout

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"vyre"
	"vyre/internal/gate"
	"vyre/internal/git"
)

// Sender does acts of the kind git.push.
type Sender struct {
	Git *git.Git
	Dir string          // where folders for attempts are made
	Env func() []string // of the person's login: SSH_AUTH_SOCK, proxies
}

var (
	refName  = regexp.MustCompile(`^refs/(heads|tags)/[A-Za-z0-9][A-Za-z0-9._/-]{0,199}$`)
	objectID = regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})$`)
	scpLike  = regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9._-]*@)?([A-Za-z0-9][A-Za-z0-9.-]*):([A-Za-z0-9~._/-]+)$`)
)

const bound = 50 * time.Second

// Prepare implements gate.Sender.
func (s *Sender) Prepare(ctx context.Context, a *vyre.GateAct) error {
	o := &a.Options
	switch {
	case !filepath.IsAbs(o.Repo):
		return vyre.Invalid("options.repo", "the repository's folder, absolute")
	case !refName.MatchString(o.Ref) || strings.Contains(o.Ref, "..") || strings.Contains(o.Ref, "//") || strings.HasSuffix(o.Ref, "/") || strings.HasSuffix(o.Ref, ".lock"):
		return vyre.Invalid("options.ref", "refs/heads/… or refs/tags/…")
	case o.Expected != "" && !objectID.MatchString(o.Expected):
		return vyre.Invalid("options.expected", "a commit's whole id")
	case len(a.Payload) > 0:
		return vyre.Invalid("payload", "a push has none: what goes out is the commit")
	case o.Method != "" || o.Headers != nil || o.Secret != nil:
		return vyre.Invalid("options", "method, headers and secret are of http acts")
	}
	if err := remote(a.Target, o.Private); err != nil {
		return err
	}
	if o.Commit == "" || len(o.Commit) > 200 || strings.HasPrefix(o.Commit, "-") {
		return vyre.Invalid("options.commit", "a commit")
	}
	o.Repo = filepath.Clean(o.Repo)
	id, err := s.Git.Line(ctx, o.Repo, "rev-parse", "--verify", "--end-of-options", o.Commit+"^{commit}")
	if err != nil || !objectID.MatchString(id) {
		return vyre.Invalid("options.commit", "the repository has no such commit")
	}
	o.Commit, a.Idempotent = id, true
	a.Payload, err = s.commits(ctx, *o)
	return err
}

// commits are words about what would go out, for the person: it is the id that counts.
func (s *Sender) commits(ctx context.Context, o vyre.GateOptions) ([]byte, error) {
	out, err := s.Git.Run(ctx, git.Call{Dir: o.Repo, Max: 16 << 10, Args: []string{
		"log", "--max-count=50", "--no-show-signature", "--no-decorate", "--no-mailmap", "--format=%h %ad %an: %s", "--date=short", o.Commit, "--not", "--remotes",
	}})
	if err != nil {
		return nil, vyre.Errorf(vyre.CodeInvalid, "the repository's commits can't be listed").Because(err)
	}
	text := fmt.Sprintf("commit %s\nto %s\n\n%s", o.Commit, o.Ref, out.Out)
	if len(out.Out) == 0 {
		text += "(all its commits are at a remote that the repository knows)\n"
	}
	return []byte(text), nil
}

// remote checks where a push goes.
func remote(target string, private bool) error {
	bad := func(why string) error { return vyre.Invalid("target", "%s", why) }
	if len(target) > 1000 || strings.ContainsFunc(target, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return bad("the remote's address in printable ASCII")
	}
	if !strings.Contains(target, "://") {
		if scpLike.MatchString(target) {
			return nil
		}
		return bad("the remote's address: https://…, ssh://… or host:path; not its name, and no folder")
	}
	u, err := url.Parse(target)
	if err != nil || u.Hostname() == "" || strings.HasPrefix(u.Hostname(), "-") {
		return bad("an address: https://… or ssh://…")
	}
	_, password := u.User.Password()
	switch {
	case password || u.User != nil && u.Scheme != "ssh" || u.User != nil && strings.HasPrefix(u.User.Username(), "-"):
		return bad("it has a credential in it: git's own helpers give those")
	case u.RawQuery != "" || u.Fragment != "":
		return bad("a remote has no query")
	case u.Scheme == "http" && u.Hostname() != "127.0.0.1" && u.Hostname() != "localhost" && u.Hostname() != "::1":
		return bad("plain http goes to this machine only")
	case u.Scheme == "http" && !private:
		return vyre.Invalid("options.private", "this address is on this machine: the act must say so with private = true")
	case u.Scheme != "https" && u.Scheme != "ssh" && u.Scheme != "http":
		return bad("https or ssh")
	}
	return nil
}

// Send implements gate.Sender.
func (s *Sender) Send(ctx context.Context, a vyre.GateAct, _ string) gate.Result {
	o := a.Options
	if err := remote(a.Target, o.Private); err != nil || !refName.MatchString(o.Ref) || !objectID.MatchString(o.Commit) {
		return gate.Result{End: gate.Refused, Why: "it is no push that the gate does"}
	}
	dir, env, err := s.room(ctx, o)
	if err != nil {
		return gate.Result{End: gate.Refused, Why: "the repository can't be read: nothing was sent"}
	}
	defer os.RemoveAll(dir) // what stays is an empty repository
	args := []string{"push", "--porcelain", "--no-verify", "--no-follow-tags", "--recurse-submodules=no", "--signed=no"}
	if o.Expected != "" {
		args = append(args, "--force-with-lease="+o.Ref+":"+o.Expected)
	}
	out, err := s.Git.Run(ctx, git.Call{Dir: dir, Env: env, Bound: bound, Max: 4 << 10, Args: append(args, "--", a.Target, o.Commit+":"+o.Ref)})
	if err == nil {
		return gate.Result{End: gate.Done, Why: "the remote took it", Answer: out.Out}
	}
	return s.asked(ctx, a, dir, env, err)
}

// asked decides a push that failed by what the remote says its ref is now.
func (s *Sender) asked(ctx context.Context, a vyre.GateAct, dir string, env []string, failed error) gate.Result {
	r := gate.Result{Status: max(git.Code(failed), 0), Answer: said(failed)}
	out, err := s.Git.Run(ctx, git.Call{Dir: dir, Env: env, Bound: bound, Args: []string{"ls-remote", "--", a.Target, a.Options.Ref}})
	if err != nil {
		r.Why = "the push failed, and the remote can't be asked whether it was done"
		return r
	}
	if id, _, _ := strings.Cut(string(out.Out), "\t"); id == a.Options.Commit {
		r.End, r.Why = gate.Done, "the push failed, and the remote has it all the same"
		return r
	}
	r.End, r.Why = gate.Refused, "the remote did not take it"
	return r
}

func said(err error) []byte {
	if f, ok := err.(*git.Failed); ok { //nolint:errorlint // it is what Run gives
		return []byte(f.Said)
	}
	return nil
}

// room makes an empty repository that reads the objects of the other.
func (s *Sender) room(ctx context.Context, o vyre.GateOptions) (dir string, env []string, err error) {
	objects, err := s.Git.Line(ctx, o.Repo, "rev-parse", "--path-format=absolute", "--git-path", "objects")
	if err != nil {
		return "", nil, err
	}
	if dir, err = os.MkdirTemp(s.Dir, "push-"); err != nil {
		return "", nil, err
	}
	if _, err = s.Git.Run(ctx, git.Call{Dir: dir, Args: []string{"init", "--bare", "-q", "--template=", "."}}); err != nil {
		os.RemoveAll(dir)
		return "", nil, err
	}
	return dir, append([]string{
		"GIT_ALTERNATE_OBJECT_DIRECTORIES=" + objects, "GIT_ALLOW_PROTOCOL=https:http:ssh",
		"GIT_SSH_COMMAND=ssh -oBatchMode=yes", "GIT_SSH_VARIANT=ssh",
	}, s.Env()...), nil
}

// Label implements gate.Sender.
func (s *Sender) Label(a vyre.GateAct) string { return a.Target + " " + a.Options.Ref }

// Warn implements gate.Sender.
func (s *Sender) Warn(a vyre.GateAct) []string {
	out := []string{"It goes with your own git and ssh sign-in."}
	if a.Options.Expected != "" {
		out = append(out, "It replaces what the ref is at the remote ("+a.Options.Expected+"), also if that is not among its own commits.")
	}
	if a.Options.Private {
		out = append(out, "It may go to this machine or to your own network.")
	}
	return out
}
