package identity

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The ladder, rung by rung: each fact that is missing keeps it where it is, whatever
// else there is, and says so.
func TestLadder(t *testing.T) {
	all := Facts{
		Subreaper: true, Handles: true, Cgroup: true, Scoped: true, Filtered: true, Mount: true, OtherUID: true, NetNS: true,
	}
	for name, c := range map[string]struct {
		change func(*Facts)
		level  string
		why    string
		raise  string
	}{
		"everything":      {func(*Facts) {}, "L5", "", ""},
		"no subreaper":    {func(f *Facts) { f.Subreaper = false }, "L0", "no orphan", "vyre open"},
		"no handles":      {func(f *Facts) { f.Handles = false }, "L1", "6.13", ""},
		"no group":        {func(f *Facts) { f.Cgroup = false }, "L1", "control group", "vyre service install"},
		"a foreign agent": {func(f *Facts) { f.Foreign = "claude" }, "L1", "claude runs", "vyre run"},
		"a dead parent":   {func(f *Facts) { f.Unproven = "t1" }, "L1", "thread t1 died", "vyre stop t1"},
		"root":            {func(f *Facts) { f.Root = true }, "L2", "root", ""},
		"no Landlock":     {func(f *Facts) { f.Scoped = false }, "L2", "signal", ""},
		"no seccomp":      {func(f *Facts) { f.Filtered = false }, "L2", "trace", ""},
		"no mounts":       {func(f *Facts) { f.Mount = false }, "L3", "sockets", ""},
		"the same user":   {func(f *Facts) { f.OtherUID = false }, "L4", "same user", ""},
		"the network":     {func(f *Facts) { f.NetNS = false }, "L4", "", ""},
	} {
		f := all
		c.change(&f)
		level, why, raise := Level(f)
		if level != c.level || !strings.Contains(why, c.why) || raise != c.raise || (why == "") != (level == "L5") {
			t.Errorf("%s: %s, %q, %q", name, level, why, raise)
		}
		if d := doubt(level, why); (d != "") != (level == "L1") {
			t.Errorf("%s: doubt %q", name, d)
		}
	}
}

// No fact that is taken away raises the level, and no agent or dead parent that comes does.
func TestLadderOnlyFalls(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.SliceOfN(rapid.Bool(), 10, 10).Draw(t, "facts")
		less := slices.Clone(b)
		less[rapid.IntRange(0, 9).Draw(t, "which")] = false
		of := func(b []bool) string {
			f := Facts{
				Subreaper: b[0], Handles: b[1], Root: !b[2], Cgroup: b[3], Scoped: b[4], Filtered: b[5],
				Mount: b[6], OtherUID: b[7], NetNS: b[8],
			}
			if !b[9] {
				f.Foreign = "codex"
			}
			level, _, _ := Level(f)
			return level
		}
		if of(less) > of(b) {
			t.Fatalf("%v is %s, %v is %s", b, of(b), less, of(less))
		}
	})
}
