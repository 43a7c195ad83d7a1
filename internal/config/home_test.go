package config

import (
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"testing"

	"vyre"
)

func env(kv ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(kv); i += 2 {
			if kv[i] == name {
				return kv[i+1]
			}
		}
		return ""
	}
}

func TestHome(t *testing.T) {
	// The home is where docs/guide/configuration.md says, in that order.
	if runtime.GOOS == "darwin" {
		t.Skip("the paths below are those of Linux")
	}
	for _, c := range []struct {
		env  []string
		want string
	}{
		{[]string{"VYRE_HOME", "/a/../b/", "XDG_STATE_HOME", "/s", "HOME", "/h"}, "/b"},
		{[]string{"XDG_STATE_HOME", "/s", "HOME", "/h"}, "/s/vyre"},
		{[]string{"XDG_STATE_HOME", "rel", "HOME", "/h"}, "/h/.local/state/vyre"},
		{[]string{"HOME", "/h"}, "/h/.local/state/vyre"},
	} {
		if got, err := Home(env(c.env...)); err != nil || got != c.want {
			t.Errorf("%v: got %q, %v, want %q", c.env, got, err, c.want)
		}
	}
	if _, err := Home(env("VYRE_HOME", "rel")); vyre.CodeOf(err) != vyre.CodeInvalid {
		t.Errorf("a relative VYRE_HOME: got %v, want invalid", err)
	}
	if _, err := user.Current(); err != nil {
		t.Logf("this user stands in no password file: %v", err)
	} else if got, err := Home(env()); err != nil || !filepath.IsAbs(got) {
		t.Errorf("without HOME: got %q, %v, want the password file's home", got, err)
	}
}

func TestPrepare(t *testing.T) {
	// A prepared home has every folder with mode 0700, also one that was open before.
	home := filepath.Join(t.TempDir(), "deep", "home")
	if err := os.MkdirAll(filepath.Join(home, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		l, err := Prepare(home)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range []string{l.Home, l.Private(), l.Sessions(), l.Bin(), l.Agents(), l.Worktrees(), l.Attach()} {
			if fi, err := os.Lstat(d); err != nil || fi.Mode() != os.ModeDir|0o700 {
				t.Errorf("%s: %v, %v, want a folder of mode 0700", d, fi, err)
			}
		}
	}
}

func TestPrepareRefusesLinks(t *testing.T) {
	// A link in place of private/ is refused: its target could be anybody's.
	home, other := t.TempDir(), t.TempDir()
	if err := os.Symlink(other, filepath.Join(home, "private")); err != nil {
		t.Fatal(err)
	}
	if _, err := Prepare(home); vyre.CodeOf(err) != vyre.CodeUnavailable {
		t.Fatalf("got %v, want unavailable", err)
	}
}

func TestPrepareRefusesOthers(t *testing.T) {
	// A folder that another user owns is never taken for ours.
	if os.Geteuid() != 0 {
		t.Skip("only root can give a folder away")
	}
	home := t.TempDir()
	if err := os.Chown(home, 4242, 4242); err != nil {
		t.Fatal(err)
	}
	if _, err := Prepare(home); vyre.CodeOf(err) != vyre.CodeUnavailable {
		t.Fatalf("got %v, want unavailable", err)
	}
}
