package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vyre"
)

// attack is one line of the suite: tried by a real agent's Bash, or a process that got
// away from it, and refused; or not tried, with the reason.
type attack struct {
	id   string // of the case, with a letter where it has several forms
	what string // for the page
	// run is shell, in the agent's own Bash. It prints "TRIED <code>" for each attempt,
	// "TRIED ok" for one that went through, "TRIED kernel" where the system kept it from
	// being made; the roles of attack_role_test.go print so.
	run    string
	want   []string // the codes that it is refused with
	kernel bool     // the system may keep it from being made also where no session is shut in
	by     string   // or: the test that tries it elsewhere
	not    string   // or: why it can't be tried here
	open   string   // or: it goes through where no session is shut in, and what would stop it
}

// section is the cases of one letter.
type section struct {
	title   string
	attacks []attack
}

// sections is the whole suite; another letter is another file and a line here.
var sections = []section{identitySection, gateSection}

// TestAttacks tries every line of the suite while a second thread's ask is open, with
// sessions as this machine shuts them in and with sessions that are not: each is refused
// as it says, the ask stays open, the mode stays, and no tool ran.
func TestAttacks(t *testing.T) {
	for _, confine := range []string{"off", "auto"} {
		t.Run(confine, func(t *testing.T) {
			besiege(t, confined(t, confine))
		})
	}
}

func besiege(t *testing.T, h *home) {
	s := newSiege(h)
	for _, sec := range sections {
		for _, a := range sec.attacks {
			if a.run != "" {
				s.add(a)
			}
		}
	}
	s.run()
	for _, sec := range sections {
		for _, a := range sec.attacks {
			if a.run != "" {
				s.judge(a)
			}
		}
	}
	s.unmoved()
	t.Logf("%d attacks, %d attempts: %d refused by us, %d by the system; shut in: %v", len(s.names), s.attempts, s.attempts-s.kept, s.kept, s.shut)
}

// siege is one agent that attacks and one thread whose ask it is after.
type siege struct {
	h              *home
	attacker, prey vyre.ThreadID
	ask            vyre.AskID
	names          []string
	shut           bool // the session is shut in: it doesn't see the daemon's socket
	attempts, kept int  // attempts, and how many the system kept from being made
}

func newSiege(h *home) *siege {
	h.t.Helper()
	s := &siege{h: h, prey: h.begin(touch)}
	s.ask = h.ask(s.prey).ID
	s.attacker = h.begin("say ready")
	h.finished(s.attacker, 1)
	self, err := os.Executable()
	if err != nil {
		h.t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(h.agent.CWD, "attack"), 0o700); err != nil {
		h.t.Fatal(err)
	}
	h.write("attack/env", fmt.Sprintf(`
set -a
A=%q V=%q MAIN=%q HTTP=http://127.0.0.1:%d RUNTIME=%q DAEMON=%d
OWN=$VYRE_SOCKET SELF=$VYRE_THREAD PREY=%q ASK=%q
ANSWER='{"ask":"%s","decision":"allow"}'
export VYRE_HOME=%q
`, self, vyreBin, h.socket(), h.port, h.runtimeDir(), h.cmd.Process.Pid, s.prey, s.ask, s.ask, h.dir))
	return s
}

func (s *siege) add(a attack) {
	s.names = append(s.names, a.id)
	s.h.write("attack/"+a.id+".sh", ". attack/env\n"+strings.TrimSpace(a.run)+"\n")
}

// run has the agent run every script in one call, and waits until each has said that it
// is over.
func (s *siege) run() {
	h := s.h
	h.write("attack/all.sh", `. attack/env
[ -S $MAIN ] || echo shut > attack/shut
for f in attack/[A-Z]*.sh; do
  n=${f%.sh}
  (sh $f > $n.tmp 2>&1; echo OVER >> $n.tmp; mv $n.tmp $n.out) < /dev/null
done
`)
	h.send(s.attacker, `tool Bash {"command":"sh attack/all.sh","timeout":120000}`+"\nsay tried")
	h.mustAnswer(h.ask(s.attacker), vyre.Allow, nil)
	h.finished(s.attacker, 2)
	s.shut = h.exists("attack/shut")
}

// judge reads what one attack printed.
func (s *siege) judge(a attack) {
	t := s.h.t
	t.Helper()
	out := s.h.read("attack/" + a.id + ".out")
	tries, codes := 0, []string{}
	for line := range strings.Lines(out) {
		code, ok := strings.CutPrefix(strings.TrimSpace(line), "TRIED ")
		if !ok {
			continue
		}
		tries++
		codes = append(codes, code)
		if code == "ok" {
			t.Errorf("%s (%s) was ACCEPTED:\n%s", a.id, a.what, out)
		} else if code == "kernel" && (s.shut || a.kernel) {
			s.kept++
		} else if !slices.Contains(a.want, code) {
			t.Errorf("%s (%s) was refused as %s, not as %v:\n%s", a.id, a.what, code, a.want, out)
		}
	}
	if tries == 0 {
		t.Errorf("%s (%s) was not tried:\n%s", a.id, a.what, out)
	}
	s.attempts += tries
	t.Logf("%-5s %s", a.id, strings.Join(codes, " "))
}

// unmoved holds that nothing came of it.
func (s *siege) unmoved() {
	h, t := s.h, s.h.t
	t.Helper()
	if got := h.asks(s.prey); len(got) != 1 || got[0].ID != s.ask || got[0].State != vyre.AskOpen {
		t.Errorf("the ask: %+v", got)
	}
	for _, th := range []vyre.ThreadID{s.prey, s.attacker} {
		if m := h.thread(th).Mode; m != vyre.ModeAsk {
			t.Errorf("mode %s", m)
		}
	}
	if h.exists("made.txt") {
		t.Error("a tool ran without an answer")
	}
	for _, e := range h.events() {
		if e.Kind == vyre.EvAskAnswered && strings.Contains(string(e.Data), string(s.ask)) {
			t.Errorf("answered: %s", e.Data)
		}
	}
}

// The page of attacks is what the table says.
func TestAttackReference(t *testing.T) {
	var b strings.Builder
	b.WriteString("# What was attacked\n\n<!-- Generated from the tables of e2e/attack_*_test.go. -->\n\n" +
		"Each line is tried by a real agent's own Bash or by a process that got away from it, while another\n" +
		"thread's question is open (`go test ./e2e -run TestAttacks`), or by the test that is named. The suite\n" +
		"fails when one is accepted, is refused as something else, or was not tried. `kernel`: the system\n" +
		"itself keeps the attempt from being made where sessions are shut in.\n")
	for _, s := range sections {
		fmt.Fprintf(&b, "\n## %s\n\n| case | tried | refused as |\n|---|---|---|\n", s.title)
		for _, a := range s.attacks {
			switch {
			case a.run != "":
				fmt.Fprintf(&b, "| %s | %s | %s |\n", a.id, a.what, "`"+strings.Join(a.want, "`, `")+"`")
			case a.by != "":
				fmt.Fprintf(&b, "| %s | %s | by `%s` |\n", a.id, a.what, a.by)
			}
		}
		b.WriteString("\nNot tried here, so nothing is claimed:\n\n| case | what | why not |\n|---|---|---|\n")
		for _, a := range s.attacks {
			if a.not != "" {
				fmt.Fprintf(&b, "| %s | %s | %s |\n", a.id, a.what, a.not)
			}
		}
		b.WriteString("\nGoes through where sessions are not shut in (`sessions.confine = off`, or a machine that can't), and is said:\n\n| case | what | what would stop it |\n|---|---|---|\n")
		for _, a := range s.attacks {
			if a.open != "" {
				fmt.Fprintf(&b, "| %s | %s | %s |\n", a.id, a.what, a.open)
			}
		}
	}
	path := filepath.Join("..", "docs", "reference", "attacks.md")
	if os.Getenv("VYRE_UPDATE") != "" {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != b.String() {
		t.Errorf("%s is not fresh (%v): run `make docs` and look at the change", path, err)
	}
}
