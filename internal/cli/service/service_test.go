package service

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// specs are one of each kind, and one whose names try every format's quoting.
var specs = map[string]Spec{
	"user.service":   {Kind: User, Program: "/home/ada/.local/bin/vyre", Home: "/home/ada/.local/state/vyre", PersonHome: "/home/ada"},
	"system.service": {Kind: System, Program: "/usr/local/bin/vyre", Home: "/home/ada/.local/state/vyre", Listen: "127.0.0.1:7801", PersonHome: "/home/ada", UserName: "ada"},
	"odd.service":    {Kind: User, Program: `/home/a $x/100%/vyre`, Home: `/home/a\b "c" 100%/$HOME`, PersonHome: "/home/a"},
	"agent.plist":    {Kind: Launchd, Program: "/Applications/V & <W>/vyre", Home: "/h/Library/Application Support/Vyre", PersonHome: "/h"},
}

func TestGolden(t *testing.T) {
	// The units are exactly those in testdata: a change of one shows in review.
	for name, s := range specs {
		path := filepath.Join("testdata", name)
		if os.Getenv("VYRE_UPDATE") != "" {
			if err := os.WriteFile(path, []byte(s.Text()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if s.Text() != string(want) {
			t.Errorf("%s is not the golden:\n%s", name, s.Text())
		}
		if !Ours(s.Text()) || !Runs(s.Text(), s.Home) || Runs(s.Text(), s.Home+"2") {
			t.Errorf("%s is not told to be ours and for its home alone", name)
		}
	}
}

func TestWhatEveryUnitHolds(t *testing.T) {
	// A stop leaves the sessions alone, and nothing of the environment but the named
	// variables is in a unit.
	for name, s := range specs {
		text := s.Text()
		want := []string{"KillMode=process\n", "Delegate=yes\n", "RestartForceExitStatus=75\n"}
		if s.Kind == Launchd {
			want = []string{"<key>AbandonProcessGroup</key>\n  <true/>"}
		}
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%s lacks %q", name, w)
			}
		}
		for _, bad := range []string{"PATH=", "TOKEN", "KEY="} {
			if strings.Contains(text, bad) {
				t.Errorf("%s has %q", name, bad)
			}
		}
	}
}

func TestSystemdReadsThem(t *testing.T) {
	// systemd itself finds nothing wrong with the units, and reads the names as they are.
	tool, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("this machine has no systemd-analyze")
	}
	for name, s := range specs {
		if s.Kind == Launchd {
			continue
		}
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s.Program = filepath.Join(dir, `a $x 100%`, "vyre") // it must be there
			if err := errors.Join(os.MkdirAll(filepath.Dir(s.Program), 0o755), os.WriteFile(s.Program, []byte("#!/bin/sh\n"), 0o755)); err != nil {
				t.Fatal(err)
			}
			if s.UserName != "" {
				s.UserName = "root" // it must exist
			}
			unit := filepath.Join(dir, UnitName)
			if err := os.WriteFile(unit, []byte(s.Text()), 0o644); err != nil {
				t.Fatal(err)
			}
			mode := map[Kind]string{User: "--user", System: "--system"}[s.Kind]
			cmd := exec.Command(tool, mode, "--man=no", "verify", unit)
			cmd.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+dir, "HOME="+dir)
			out, err := cmd.CombinedOutput()
			for line := range strings.Lines(string(out)) {
				if strings.Contains(line, "vyre") && !strings.Contains(line, "Unknown key") {
					t.Errorf("%s", line) // other lines are about units of the machine's own
				}
			}
			if err != nil && !strings.Contains(string(out), "vyre") {
				t.Skipf("systemd-analyze can't work here: %v\n%s", err, out)
			}
		})
	}
}

func TestPlistIsXML(t *testing.T) {
	// The plist is well formed and gives the names back.
	d := xml.NewDecoder(strings.NewReader(specs["agent.plist"].Text()))
	var words []string
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if c, ok := tok.(xml.CharData); ok {
			words = append(words, string(c))
		}
	}
	if all := strings.Join(words, "|"); !strings.Contains(all, "|/Applications/V & <W>/vyre|daemon|") {
		t.Errorf("words %q", all)
	}
}

func TestFits(t *testing.T) {
	// A path that systemd would refuse is known to be one.
	for path, fits := range map[string]bool{"/a b/$c/100%/ü": true, "/a\"b": false, "/a'b": false, `/a\b`: false, "/a\nb": false} {
		if got := (Spec{Kind: User, Program: path}).Fits(); got != fits {
			t.Errorf("%q: %v", path, got)
		}
	}
}

func TestPaths(t *testing.T) {
	// Each unit lies where its manager looks.
	for _, c := range []struct {
		s          Spec
		config, at string
	}{
		{Spec{Kind: User, PersonHome: "/h"}, "", "/h/.config/systemd/user/vyre.service"},
		{Spec{Kind: User, PersonHome: "/h"}, "/c", "/c/systemd/user/vyre.service"},
		{Spec{Kind: User, PersonHome: "/h"}, "relative", "/h/.config/systemd/user/vyre.service"},
		{Spec{Kind: System, PersonHome: "/h"}, "/c", "/etc/systemd/system/vyre.service"},
		{Spec{Kind: Launchd, PersonHome: "/h"}, "/c", "/h/Library/LaunchAgents/vyre.daemon.plist"},
	} {
		if got := c.s.Path(c.config); got != c.at {
			t.Errorf("%s lies at %s", c.s.Kind, got)
		}
	}
}
