package policy

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vyre"
)

func commandPart(args ...string) Part {
	return Part{Kind: vyre.ActCommand, Args: args, CWD: "/p", Plain: true, Verdict: vyre.VerdictAsk, By: ByPerson}
}

func granted(kind vyre.GrantKind, words string) vyre.Grant {
	return vyre.Grant{Project: "/p", GrantSpec: vyre.GrantSpec{Kind: kind, Args: strings.Fields(words)}}
}

var inProject = Call{Project: "/p", CWD: "/p", Mode: vyre.ModeAsk, Source: "builtin", Tool: "Bash"}

func TestGrantsOfCommands(t *testing.T) {
	// A grant covers the very words, or a reviewed beginning with what was reviewed after it; nothing else.
	for _, c := range []struct {
		kind    vyre.GrantKind
		words   string
		command string
		want    bool
	}{
		{vyre.GrantCommand, "npm test", "npm test", true},
		{vyre.GrantCommand, "npm test", "npm test x", false},
		{vyre.GrantCommand, "npm test", "npm", false},
		{vyre.GrantCommand, "npm test", "NPM test", false},
		{vyre.GrantPrefix, "npm test", "npm test unit/a.js", true},
		{vyre.GrantPrefix, "npm test", "npm test --prefix=/x", false},
		{vyre.GrantPrefix, "npm test", "npm test ../other", false},
		{vyre.GrantPrefix, "npm run lint", "npm run lint src", true},
		{vyre.GrantPrefix, "npm run lint", "npm run deploy", false},
		{vyre.GrantPrefix, "npm run", "npm run lint", false},
		{vyre.GrantPrefix, "go test", "go test ./... -run TestX -count=1 -v", true},
		{vyre.GrantPrefix, "go test", "go test -exec=sh ./...", false},
		{vyre.GrantPrefix, "go test", "go test -exec sh ./...", false},
		{vyre.GrantPrefix, "go test", "go test -run -exec", false},
		{vyre.GrantPrefix, "go test", "go test -toolexec sh", false},
		{vyre.GrantPrefix, "go test", "go test -o /tmp/x", false},
		{vyre.GrantPrefix, "go test", "go test /tmp/evil", false},
		{vyre.GrantPrefix, "git commit", "git commit -m words", true},
		{vyre.GrantPrefix, "git commit", "git commit -F /etc/passwd", false},
		{vyre.GrantPrefix, "git", "git -c core.pager=sh log", false},
		{vyre.GrantPrefix, "git", "git --exec-path=/tmp status", false},
		{vyre.GrantPrefix, "pytest", "pytest -p evil", false},
		{vyre.GrantPrefix, "pytest", "pytest --rootdir=/x", false},
		{vyre.GrantPrefix, "make test", "make test", false},
		{vyre.GrantPrefix, "bash", "bash -c x", false},
	} {
		g := granted(c.kind, c.words)
		if got := Covers(g, inProject, commandPart(strings.Fields(c.command)...)); got != c.want {
			t.Errorf("%s %q covers %q: %v", c.kind, c.words, c.command, got)
		}
	}
}

func TestGrantsHoldWhereTheyWereGiven(t *testing.T) {
	// Another project, another folder, plan mode and a part that is not plain are not covered.
	g, p := granted(vyre.GrantCommand, "npm test"), commandPart("npm", "test")
	if !Covers(g, inProject, p) {
		t.Fatal("the case itself is not covered")
	}
	for name, change := range map[string]func(*Call, *Part){
		"another project":   func(c *Call, _ *Part) { c.Project = "/q" },
		"plan mode":         func(c *Call, _ *Part) { c.Mode = vyre.ModePlan },
		"another folder":    func(_ *Call, p *Part) { p.CWD = "/tmp" },
		"an unknown folder": func(_ *Call, p *Part) { p.CWD = "" },
		"not plain":         func(_ *Call, p *Part) { p.Plain = false },
		"another kind":      func(_ *Call, p *Part) { p.Kind = vyre.ActWrite },
	} {
		c, p := inProject, p
		change(&c, &p)
		if Covers(g, c, p) {
			t.Error(name)
		}
	}
	if Covers(vyre.Grant{GrantSpec: g.GrantSpec}, Call{CWD: "/p"}, p) {
		t.Error("a grant of no project covers a call of none")
	}
}

func TestGrantsOfFilesAndTools(t *testing.T) {
	// Edits below a folder of the project, also in a work tree of it; a tool by its server.
	write := func(path string) (Call, Part) {
		c := inProject
		c.Tool, c.Acts = "Write", []vyre.Act{{Kind: vyre.ActWrite, Paths: []string{path}}}
		return c, Part{Kind: vyre.ActWrite, Path: path, CWD: "/p", Plain: true}
	}
	src := vyre.Grant{Project: "/p", GrantSpec: vyre.GrantSpec{Kind: vyre.GrantWrite, Path: "src"}}
	all := vyre.Grant{Project: "/p", GrantSpec: vyre.GrantSpec{Kind: vyre.GrantWrite, Path: "."}}
	for path, want := range map[string][2]bool{
		"/p/src/a/b.go": {true, true}, "/p/srcs/a": {false, true}, "/p/a": {false, true}, "/q/src/a": {false, false},
		"/p/.git/config": {false, false}, "/p/src": {true, true}, "/": {false, false},
	} {
		c, p := write(path)
		if a, b := Covers(src, c, p), Covers(all, c, p); path != "/p/src" && (a != want[0] || b != want[1]) {
			t.Errorf("%s: %v %v", path, a, b)
		}
	}
	c, p := write("/trees/x/src/a")
	c.CWD = "/trees/x"
	if !Covers(src, c, p) {
		t.Error("a work tree of the project is another project")
	}
	c, p = write("/p/src/a")
	c.Acts = append(c.Acts, vyre.Act{Kind: vyre.ActCommand})
	if Covers(src, c, p) {
		t.Error("a command's write is covered by a grant for file tools")
	}
	tool := vyre.Grant{Project: "/p", GrantSpec: vyre.GrantSpec{Kind: vyre.GrantTool, Source: "config:files", Tool: "mcp__files__read"}}
	other := Part{Kind: vyre.ActOther, Plain: true}
	call := Call{Project: "/p", CWD: "/p", Tool: "mcp__files__read", Source: "config:files"}
	if !Covers(tool, call, other) {
		t.Error("the tool is not covered")
	}
	call.Source = "config:other"
	if Covers(tool, call, other) {
		t.Error("a tool of the same name from another server is covered")
	}
}

func TestOffers(t *testing.T) {
	// An ask offers what would have let it pass, in exact words; nothing where a part is always asked.
	v := Verdict{Verdict: vyre.VerdictAsk, By: ByPerson, Parts: []Part{commandPart("npm", "test", "a b"), {Kind: vyre.ActRead, Verdict: vyre.VerdictAllow}}}
	got := Offers(inProject, v)
	if len(got) != 2 || got[0].Label != "Always in this project: npm test 'a b'" || got[1].Label != "Always in this project: npm test …" {
		t.Errorf("%+v", got)
	}
	v.Parts = append(v.Parts, Part{Kind: vyre.ActCommand, Verdict: vyre.VerdictAsk, By: ByFloor, Args: []string{"git", "config"}, CWD: "/p", Plain: true})
	if got := Offers(inProject, v); got != nil {
		t.Errorf("what is always asked is offered: %+v", got)
	}
	v.Parts = []Part{{Kind: vyre.ActCommand, Verdict: vyre.VerdictAsk, By: ByPerson}}
	if got := Offers(inProject, v); got != nil {
		t.Errorf("what can't be read is offered: %+v", got)
	}
	v.Parts = []Part{commandPart("make", "test")}
	if got := Offers(inProject, v); len(got) != 1 {
		t.Errorf("make: %+v", got)
	}
}

func TestAnOfferCoversWhatItWasMadeFor(t *testing.T) {
	// Whatever the words: what an offer grants covers the call it was made for, and no other program.
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.OneOf(rapid.SampledFrom([]string{"go", "test", "npm", "run", "-v", "--", "-run", "x=y", "git", "commit", "-m", "/etc", ".."}), rapid.String())
		args := rapid.SliceOfN(word, 1, 6).Draw(t, "args")
		other := rapid.SliceOfN(word, 1, 6).Draw(t, "other")
		for _, o := range Offers(inProject, Verdict{Verdict: vyre.VerdictAsk, By: ByPerson, Parts: []Part{commandPart(args...)}}) {
			g := vyre.Grant{Project: "/p", GrantSpec: o.Grants[0]}
			if !Covers(g, inProject, commandPart(args...)) {
				t.Fatalf("%+v does not cover %q", g, args)
			}
			if Covers(g, inProject, commandPart(other...)) && other[0] != args[0] {
				t.Fatalf("%+v covers %q", g, other)
			}
		}
	})
}

func TestCheckGrant(t *testing.T) {
	// A person's grant names what somebody reviewed; what hides characters or leaves the project is refused.
	for _, c := range []struct {
		s  vyre.GrantSpec
		ok bool
	}{
		{vyre.GrantSpec{Kind: vyre.GrantCommand, Args: []string{"make", "test"}}, true},
		{vyre.GrantSpec{Kind: vyre.GrantCommand}, false},
		{vyre.GrantSpec{Kind: vyre.GrantCommand, Args: []string{"npm", "te\u200bst"}}, false},
		{vyre.GrantSpec{Kind: vyre.GrantPrefix, Args: []string{"npm", "run", "lint"}}, true},
		{vyre.GrantSpec{Kind: vyre.GrantPrefix, Args: []string{"git"}}, false},
		{vyre.GrantSpec{Kind: vyre.GrantPrefix, Args: []string{"npm", "run", "../x"}}, false},
		{vyre.GrantSpec{Kind: vyre.GrantWrite, Path: "src/a"}, true},
		{vyre.GrantSpec{Kind: vyre.GrantWrite, Path: "../x"}, false},
		{vyre.GrantSpec{Kind: vyre.GrantWrite, Path: "/etc"}, false},
		{vyre.GrantSpec{Kind: vyre.GrantTool, Source: "config:x", Tool: "mcp__x__y"}, true},
		{vyre.GrantSpec{Kind: vyre.GrantTool, Source: "builtin", Tool: "Bash"}, false},
		{vyre.GrantSpec{Kind: "all"}, false},
	} {
		if err := CheckGrant(c.s); (err == nil) != c.ok {
			t.Errorf("%+v: %v", c.s, err)
		}
	}
}
