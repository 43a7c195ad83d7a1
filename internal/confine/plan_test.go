package confine

import (
	"errors"
	"reflect"
	"slices"
	"testing"
)

func TestOrderSurvives(t *testing.T) {
	// What a stage is told is what its starter said.
	o := order{
		plan: Plan{
			Parts: Mount | Scope, Fallback: true, Debug: true,
			ReadOnly: []string{"/a", "/b"}, Writable: []string{"/a/w"}, Cover: []string{"/c"}, Back: []string{"/c/d"}, Side: []string{"/s"}, Copies: []string{"/e"},
		},
		cmd:    Command{Path: "/bin/x", Args: []string{"x", "", "two words"}, Env: []string{"A=1", "A=2", "B="}, Dir: "/w"},
		userns: true, uid: 1000, gid: 100,
	}
	got, err := parseOrder(o.append(nil))
	if err != nil || !reflect.DeepEqual(got, o) {
		t.Errorf("%+v, %v\nwant %+v", got, err, o)
	}
	p, err := ParsePlan(o.plan.Append(nil))
	if err != nil || !reflect.DeepEqual(p, o.plan) {
		t.Errorf("%+v, %v", p, err)
	}
	if p, err := ParsePlan(nil); err != nil || p.Parts != 0 {
		t.Errorf("no bytes are %+v, %v", p, err)
	}
}

func FuzzParse(f *testing.F) {
	// No bytes make the reader of plans panic or take memory that is not there.
	f.Add(order{plan: Plan{Parts: All, Cover: []string{"/x"}}, cmd: Command{Path: "/a", Args: []string{"a"}}}.append(nil))
	f.Add([]byte{255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255})
	f.Fuzz(func(_ *testing.T, b []byte) {
		_, _ = parseOrder(b)
		_, _ = ParsePlan(b)
	})
}

func TestJudge(t *testing.T) {
	// Each fact that is missing takes its parts away, with a reason, and with a
	// command where one helps.
	whole := facts{system: "linux", userns: true, maxUsers: 100, landlock: 7, seccomp: true, yama: 1, cgroup: "/x", pids: true, memory: true}
	if r := judge(whole); !r.Whole() || len(r.Missing) != 0 {
		t.Fatalf("%+v", r)
	}
	no := errors.New("no")
	for name, c := range map[string]struct {
		change  func(*facts)
		parts   []string
		missing string
		fix     bool
	}{
		"no user namespaces": {func(f *facts) { f.mount, f.maxUsers = no, 0 }, []string{"caps", "files", "scope", "calls"}, "mount", true},
		"turned off":         {func(f *facts) { f.mount, f.cloneOff = no, true }, []string{"caps", "files", "scope", "calls"}, "mount", true},
		"AppArmor":           {func(f *facts) { f.mount, f.apparmor = no, true }, []string{"caps", "files", "scope", "calls"}, "mount", true},
		"a container":        {func(f *facts) { f.mount = no }, []string{"caps", "files", "scope", "calls"}, "mount", false},
		"Linux 6.2":          {func(f *facts) { f.landlock = 3 }, []string{"mount", "caps", "files", "calls"}, "scope", false},
		"no Landlock":        {func(f *facts) { f.landlock = 0 }, []string{"mount", "caps", "calls"}, "files, scope", true},
		"no seccomp":         {func(f *facts) { f.seccomp = false }, []string{"mount", "caps", "files", "scope"}, "calls", false},
		"root":               {func(f *facts) { f.root = true }, All.Names(), "user of their own", true},
		"no control group":   {func(f *facts) { f.cgroup = "" }, All.Names(), "limits", true},
		"hybrid":             {func(f *facts) { f.pids, f.hybrid = false, true }, All.Names(), "limits", true},
		"no Yama":            {func(f *facts) { f.yama = -1 }, All.Names(), "Yama", true},
	} {
		f := whole
		c.change(&f)
		r := judge(f)
		if !slices.Equal(r.Parts, c.parts) {
			t.Errorf("%s: parts %q, want %q", name, r.Parts, c.parts)
		}
		if len(r.Missing) != 1 || r.Missing[0].What != c.missing || r.Missing[0].Why == "" || (r.Missing[0].Fix != "") != c.fix {
			t.Errorf("%s: missing %+v", name, r.Missing)
		}
		if r.Whole() != r.Can().Has(All) {
			t.Errorf("%s: whole %v of %q", name, r.Whole(), r.Parts)
		}
	}
}
