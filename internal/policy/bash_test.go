package policy_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"mvdan.cc/sh/v3/syntax"
	"pgregory.net/rapid"

	"vyre"
	"vyre/internal/policy"
)

// tails are ways to write after (or around) a command line that only reads.
var tails = []string{
	"; rm x", " && rm x", " || rm x", " | tee x", " > x", " >> x", " >& x", " 2> x", " &> x", "\nrm x", " & rm x", "; echo $(rm x)", " `rm x`", " <(rm x)", "; (rm x)", "; { rm x; }",
	"; if true; then rm x; fi", "; for i in a; do rm x; done", "; eval 'rm x'", "; bash -c 'rm x'", " | sh", " | xargs rm", "; f() { rm x; }; f", "; PATH=.:$PATH ls", "; $x", "; . ./x", "; timeout 5 rm x", "; sudo ls",
	"; echo ${x:=$(rm x)}", "; [[ a -eq b ]]", "; echo ${!x}", "; cat <<E\n$(rm x)\nE", "; git config a.b c", "; npm test", "; cd x && touch y",
	"; for i in ls rm; do $i x; done", "; for i in x; do rm $i; done", "; for i in *; do . \"$i\"; done", "; for PATH in .; do ls; done", "; for i in -o; do sort $i x y; done",
}

func TestNothingAllowedGrowsAWrite(t *testing.T) {
	// Whatever reads, with anything that writes or runs behind it is never allowed.
	g := newGround(t)
	var reads []string
	for _, l := range lines(t, "reads.txt") {
		if g.judge(l, nil).Verdict == vyre.VerdictAllow && !strings.Contains(l, "<<") {
			reads = append(reads, l)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom(reads), 1, 4).Draw(t, "reads")
		tail := rapid.SampledFrom(tails).Draw(t, "tail")
		before := strings.Join(parts, rapid.SampledFrom([]string{"; ", " && ", "\n", " & "}).Draw(t, "join"))
		if v := g.judge(before+tail, nil); v.Verdict == vyre.VerdictAllow {
			t.Fatalf("allowed: %s", before+tail)
		}
		if v := g.judge("true "+tail+"\n"+before, nil); v.Verdict == vyre.VerdictAllow {
			t.Fatalf("allowed: true %s\n%s", tail, before)
		}
	})
}

func TestNoCountHidesAnything(t *testing.T) {
	// What is denied stays so at any place of a chain of any length.
	g := newGround(t)
	for _, n := range []int{1, 49, 50, 51, 60, 500, 2000} {
		text := strings.Repeat("echo a; ", n) + "echo x > " + setting + strings.Repeat(" && echo b", n)
		if v := g.judge(text, nil); v.Verdict != vyre.VerdictDeny {
			t.Errorf("after %d commands: %s (%s)", n, v.Verdict, v.Why)
		}
	}
}

func TestHiddenCharactersAreAskedAndShown(t *testing.T) {
	// What a reader may not see, or may take for something else, is asked about and made visible.
	g := newGround(t)
	for _, c := range []string{"\r", "\u00a0", "\u200b", "\u202e", "\u2066", "\x1b[2K", "\x7f", "\xff", "\ufeff", "\u0430", "\u3000", "\x00", "\x08"} {
		v := g.judge("ls a"+c+"b", nil)
		if v.Verdict == vyre.VerdictAllow {
			t.Errorf("%q is allowed", c)
		}
		for _, p := range v.Parts {
			if c != "\u0430" && strings.Contains(p.Text, c) {
				t.Errorf("%q is not made visible: %q", c, p.Text)
			}
		}
	}
	if got := policy.Visible("a\tb\n\x1b[1m\u202eé\xff"); got != "a\tb\n\\x1b[1m\\u{202e}é\\xff" {
		t.Errorf("%q", got)
	}
}

func TestVerdictsAreQuick(t *testing.T) {
	// Text of any length is judged or denied in time, whatever it is made of.
	g := newGround(t)
	if v := g.judge("ls "+strings.Repeat("a", 1<<20), nil); v.Verdict != vyre.VerdictDeny {
		t.Errorf("a megabyte: %s (%s)", v.Verdict, v.Why)
	}
	pad := func(unit string) string { return strings.Repeat(unit, (160<<10)/len(unit)-40) }
	for name, text := range map[string]string{
		"one word": pad("x"), "words": "ls " + pad("a "), "paths": "ls " + pad("a/b/c "), "commands": pad("ls; "), "chain": pad("ls && ") + "ls", "pipe": pad("cat | ") + "cat",
		"redirections": pad("echo x > a\n"), "comment": "# " + pad("x "), "quoted": "echo '" + pad("x ") + "'", "heredoc": "cat <<'E'\n" + pad("x\n") + "E\n", "nested": pad("("), "substitutions": pad("$(ls) "),
		"assignments": pad("a=b "), "settings": "rm " + pad(setting+" "), "folders": pad("cd a; "), "code": "python3 - <<'E'\n" + pad("# x\n") + "E\n", "globs": "ls " + pad("a* "), "flags": "ls " + pad("--a=b "),
	} {
		start := time.Now()
		v := g.judge(text, nil)
		d := time.Since(start)
		t.Logf("%-14s %8v %s (%s)", name, d.Round(time.Millisecond), v.Verdict, v.Why)
		if v.Verdict == vyre.VerdictAllow && name != "one word" && !slices.Contains([]string{"comment", "quoted", "heredoc", "words", "paths", "commands", "chain", "pipe", "globs", "flags", "assignments"}, name) {
			t.Errorf("%s is allowed", name)
		}
		if d > 2*time.Second { // 100 ms on a machine that does nothing else: see docs/reference/bench.md
			t.Errorf("%s took %v", name, d)
		}
	}
}

// plainly are commands that write, for the fuzzer.
var plainly = []string{"rm", "mv", "cp", "tee", "touch", "mkdir", "dd", "ln", "chmod", "truncate", "install", "sh", "bash", "python3", "node", "npm", "make", "vyre", "claude", "sudo", "crontab", "curl", "ssh"}

func FuzzJudge(f *testing.F) {
	// No text makes the judge panic, and none with a node that writes, or a command that does, is allowed.
	for _, name := range []string{"reads.txt", "writes.txt", "build.txt"} {
		for _, l := range lines(f, name) {
			f.Add(l)
		}
	}
	g := ground{"/nowhere/home", "/nowhere/home/proj"}
	f.Fuzz(func(t *testing.T, text string) {
		v := g.judge(text, nil)
		if v.Verdict != vyre.VerdictAllow {
			return
		}
		file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
		if err != nil {
			t.Fatalf("allowed, and it can't be read: %q", text)
		}
		syntax.Walk(file, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.Redirect:
				to := n.Word.Lit()
				number := strings.Trim(to, "0123456789-") == ""
				reads := n.Op == syntax.RdrIn || n.Op == syntax.Hdoc || n.Op == syntax.DashHdoc || n.Op == syntax.WordHdoc || (n.Op == syntax.DplIn || n.Op == syntax.DplOut) && number
				if !reads && !slices.Contains([]string{"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/zero"}, to) && to != "" {
					t.Fatalf("allowed, and it writes %s: %q", to, text)
				}
			case *syntax.CallExpr:
				if len(n.Args) > 0 && slices.Contains(plainly, n.Args[0].Lit()) && !(len(n.Args) == 2 && slices.Contains([]string{"--version", "-v", "-V", "version", "-version", "--help"}, n.Args[1].Lit())) {
					if name := n.Args[0].Lit(); name != "sh" && name != "bash" { // whose text is judged in turn
						t.Fatalf("allowed, and it runs %s: %q", name, text)
					}
				}
			}
			return true
		})
	})
}
