package sqlite

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vyre"
)

func TestUsageAddsUp(t *testing.T) {
	// What ended turns used adds up by day, model, project, thread and purpose, in a
	// range of time; a turn that still runs is not in it, and the total is over all.
	db := openRunning(t, Options{})
	const day = 86_400_000
	a, b := aThread("a"), aThread("b")
	a.Project, a.Purpose, b.Purpose = "/p", vyre.PurposeProject, vyre.PurposeJob
	turn := func(th vyre.ThreadID, n int, model string, ended int64, cost int64) vyre.Turn {
		return vyre.Turn{
			ID: vyre.MakeTurnID(th, n), Thread: th, Status: vyre.TurnCompleted, Origin: vyre.OriginPerson, Model: model, Started: 1, Ended: vyre.Time(ended),
			Usage: &vyre.Usage{InputTokens: 1, OutputTokens: 2, CacheReadTokens: 3, CacheWriteTokens: 4, CostMicros: cost},
		}
	}
	running := turn("a", 9, "m", 0, 1000)
	running.Status = vyre.TurnStarted
	must(t, db.Commit(t.Context(), &vyre.Commit{Threads: []vyre.Thread{a, b}, Turns: []vyre.Turn{
		turn("a", 1, "big", day, 5), turn("a", 2, "big", 2*day-1, 7), turn("b", 1, "quick", 2*day, 1), running,
	}}))
	row := func(key string, turns, cost int64) UsageRow {
		return UsageRow{key, turns, turns, 2 * turns, 3 * turns, 4 * turns, cost}
	}
	for by, want := range map[UsageBy][]UsageRow{
		UsageByDay:     {row("1970-01-03", 1, 1), row("1970-01-02", 2, 12)},
		UsageByModel:   {row("big", 2, 12), row("quick", 1, 1)},
		UsageByProject: {row("/p", 2, 12), row("", 1, 1)},
		UsageByThread:  {row("a", 2, 12), row("b", 1, 1)},
		UsageByPurpose: {row("project", 2, 12), row("job", 1, 1)},
	} {
		got, total, err := db.Usage(t.Context(), UsageQuery{By: by})
		must(t, err)
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("by %s: %s", by, d)
		}
		if total != row("", 3, 13) {
			t.Errorf("by %s: total %+v", by, total)
		}
	}
	got, total, err := db.Usage(t.Context(), UsageQuery{By: UsageByThread, Since: 2 * day, Until: 3 * day, Limit: 1})
	must(t, err)
	if d := cmp.Diff([]UsageRow{row("b", 1, 1)}, got); d != "" || total != row("", 1, 1) {
		t.Error(d, total)
	}
	if _, _, err := db.Usage(t.Context(), UsageQuery{By: "x; DROP"}); vyre.CodeOf(err) != vyre.CodeInvalid {
		t.Error(err)
	}
}

func TestUsageReadsTheIndexAlone(t *testing.T) {
	// However many turns there are, a sum of usage reads one index and never the turns
	// themselves.
	db := openRunning(t, Options{})
	for by := range groups {
		_, _, err := db.Usage(t.Context(), UsageQuery{By: by})
		must(t, err)
	}
	n := 0
	for text := range db.reads.made {
		for _, step := range queryPlan(t, db, text) {
			if len(step) > 6 && (step[:6] == "SEARCH" || step[:4] == "SCAN") && step != "" && containsWord(step, "turns") {
				n++
				if !containsWord(step, "COVERING") {
					t.Errorf("%s\n\t%s", step, text)
				}
			}
		}
	}
	if n < len(groups) {
		t.Errorf("only %d reads of turns were looked at", n)
	}
}

func containsWord(s, w string) bool {
	for i := 0; i+len(w) <= len(s); i++ {
		if s[i:i+len(w)] == w {
			return true
		}
	}
	return false
}

func BenchmarkUsage(b *testing.B) {
	db := openRunning(b, Options{})
	c := vyre.Commit{}
	for i := range 100 {
		id := vyre.ThreadID(fmt.Sprintf("t%d", i))
		th := aThread(id)
		th.Project = fmt.Sprintf("/p%d", i%7)
		c.Threads = append(c.Threads, th)
		for n := 1; n <= 1000; n++ {
			c.Turns = append(c.Turns, vyre.Turn{
				ID: vyre.MakeTurnID(id, n), Thread: id, Status: vyre.TurnCompleted, Origin: vyre.OriginPerson, Model: "m",
				Ended: vyre.Time(1 + i*n*100_000), Usage: &vyre.Usage{InputTokens: 1, CostMicros: 1},
			})
		}
	}
	must(b, db.Commit(b.Context(), &c))
	for _, by := range UsageBys {
		b.Run(string(by), func(b *testing.B) {
			for b.Loop() {
				if _, _, err := db.Usage(b.Context(), UsageQuery{By: by}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func TestSettingsAreKept(t *testing.T) {
	// A model that was set is there until it is taken away; a version of a prompt is
	// never changed, and the highest is in force.
	db := openRunning(t, Options{})
	ctx := t.Context()
	put := func(c vyre.Commit) error { c.Durable = true; return db.Commit(ctx, &c) }
	must(t, put(vyre.Commit{Model: &vyre.ModelSetting{Scope: vyre.ModelOfPurpose, Name: "chat", Model: "a", By: "p", At: 1}}))
	must(t, put(vyre.Commit{Model: &vyre.ModelSetting{Scope: vyre.ModelOfPurpose, Name: "chat", Model: "b", By: "p", At: 2}}))
	must(t, put(vyre.Commit{Model: &vyre.ModelSetting{Scope: vyre.ModelOfProject, Name: "/p", Model: "c", By: "p", At: 3}}))
	if m, err := db.ModelSet(ctx, vyre.ModelOfPurpose, "chat"); m != "b" || err != nil {
		t.Error(m, err)
	}
	must(t, put(vyre.Commit{Model: &vyre.ModelSetting{Scope: vyre.ModelOfPurpose, Name: "chat"}}))
	all, err := db.Models(ctx)
	must(t, err)
	if d := cmp.Diff([]vyre.ModelSetting{{Scope: vyre.ModelOfProject, Name: "/p", Model: "c", By: "p", At: 3}}, all); d != "" {
		t.Error(d)
	}
	for v, text := range []string{"one", "zwölf"} {
		must(t, put(vyre.Commit{Prompt: &vyre.PromptVersion{Purpose: "chat", Version: v + 1, Text: text, By: "p", At: 1}}))
	}
	if err := put(vyre.Commit{Prompt: &vyre.PromptVersion{Purpose: "chat", Version: 2, Text: "other"}}); vyre.CodeOf(err) != vyre.CodeConflict {
		t.Error("a version was written twice:", err)
	}
	p, ok, err := db.Prompt(ctx, "chat", 0)
	must(t, err)
	if !ok || p.Version != 2 || p.Text != "zwölf" || p.Bytes != 6 {
		t.Errorf("%+v", p)
	}
	if p, _, _ := db.Prompt(ctx, "chat", 1); p.Text != "one" {
		t.Errorf("%+v", p)
	}
	h, err := db.PromptHistory(ctx, "chat", 0)
	must(t, err)
	if len(h) != 2 || h[0].Version != 2 || h[0].Text != "" || h[0].Bytes != 6 {
		t.Errorf("%+v", h)
	}
}
