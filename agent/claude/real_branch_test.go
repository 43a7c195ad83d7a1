package claude_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vyre"
	"vyre/agent"
	"vyre/agent/agenttest"
)

const forked = "33333333-3333-4333-8333-333333333333"

// three has a conversation of three turns, the second of which wrote a file, and
// closes it.
func three(t *testing.T, h *agenttest.Home) (o agent.Options, ids [3]vyre.MessageID) {
	t.Helper()
	l := start(t, h, agent.WithMode(vyre.ModeEdits))
	ids[0] = l.send("say first")
	l.ended(ids[0])
	ids[1] = l.send(`tool Write {"file_path":"$CWD/made","content":"by the second\n"}`, "say second")
	l.ended(ids[1])
	ids[2] = l.send("say third")
	l.ended(ids[2])
	l.s.Close()
	o = h.AgentOptions()
	o.NativeID = l.s.NativeID()
	return o, ids
}

// as opens a session under an id of the test's choice.
func as(t *testing.T, h *agenttest.Home, set func(*agent.Options)) *live {
	t.Helper()
	return startWith(t, h, set)
}

func before(t *testing.T, o agent.Options, id vyre.MessageID) string {
	t.Helper()
	row, err := provider.Before(t.Context(), o, id)
	if err != nil {
		t.Fatal(err)
	}
	return row
}

func heard(t *testing.T, api *agenttest.ModelAPI, has, hasn string) {
	t.Helper()
	got := lastRequest(api)
	if !strings.Contains(got, has) || strings.Contains(got, hasn) {
		t.Errorf("the model was told of %q: %v, and of %q: %v", has, strings.Contains(got, has), hasn, strings.Contains(got, hasn))
	}
}

func TestFork(t *testing.T) {
	// A fork knows the whole conversation and goes on under its own id; what it
	// began with stays as it was. Before its first message it has no history.
	api := agenttest.API(t)
	h := agenttest.Claude(t, api)
	o, _ := three(t, h)
	f := as(t, h, func(o2 *agent.Options) { o2.ForkOf, o2.NativeID = o.NativeID, forked })
	fo := o
	fo.NativeID = forked
	if hist, err := provider.History(t.Context(), fo); err != nil || hist != agent.HistoryNone {
		t.Errorf("before the first message: %s, %v", hist, err)
	}
	f.ended(f.send("say in the fork"))
	heard(t, api, "say third", "\x00")
	f.s.Close()
	if hist, err := provider.History(t.Context(), fo); err != nil || hist != agent.HistoryResumable {
		t.Errorf("after it: %s, %v", hist, err)
	}

	r := start(t, h, agent.WithResume(o.NativeID))
	r.ended(r.send("say in the old one"))
	heard(t, api, "say third", "in the fork")
	r.s.Close()
	r = start(t, h, agent.WithResume(forked))
	r.ended(r.send("say on in the fork"))
	heard(t, api, "say in the fork", "in the old one")
}

func TestRewindByFork(t *testing.T) {
	// A fork at the row before a message never got it; the files can be put back in
	// it too, to what they were before a message that it has.
	api := agenttest.API(t)
	h := agenttest.Claude(t, api)
	o, ids := three(t, h)
	row := before(t, o, ids[2])
	f := as(t, h, func(o2 *agent.Options) { o2.ForkOf, o2.NativeID, o2.ResumeAt = o.NativeID, forked, row })
	f.ended(f.send("say instead"))
	heard(t, api, "by the second", "say third")
	var files agent.FilesRewound
	f.ask(agent.RewindFiles{Message: ids[1], DryRun: true}, &files)
	if len(files.Files) != 1 || files.Files[0] != filepath.Join(h.CWD, "made") {
		t.Errorf("files: %+v", files)
	}
}

func TestRewindInPlace(t *testing.T) {
	// Going back in place counts from the next message on: until then a plain resume
	// is at the old end, after it at the new one. What was left can't be gone back to.
	api := agenttest.API(t)
	h := agenttest.Claude(t, api)
	o, ids := three(t, h)
	row := before(t, o, ids[1])
	as(t, h, func(o2 *agent.Options) { o2.NativeID, o2.Resume, o2.ResumeAt = o.NativeID, true, row }).s.Close()
	r := start(t, h, agent.WithResume(o.NativeID))
	r.ended(r.send("say at the old end"))
	heard(t, api, "say third", "\x00")
	r.s.Close()

	r = as(t, h, func(o2 *agent.Options) { o2.NativeID, o2.Resume, o2.ResumeAt = o.NativeID, true, row })
	r.ended(r.send("say at the new end"))
	heard(t, api, "say first", "by the second")
	r.s.Close()
	r = start(t, h, agent.WithResume(o.NativeID))
	r.ended(r.send("say after it"))
	heard(t, api, "say at the new end", "say third")
	if _, err := provider.Before(t.Context(), o, ids[2]); vyre.CodeOf(err) != vyre.CodeConflict {
		t.Errorf("a message that was left: %v", err)
	}
}

func TestBefore(t *testing.T) {
	// The row before a message is told; none before the first, and errors say what
	// can't be gone back to.
	api := agenttest.API(t)
	h := agenttest.Claude(t, api)
	l := start(t, h)
	first := l.send("say first")
	l.ended(first)
	call := l.send(`tool Bash {"command":"echo hi"}`, "next", `tool Bash {"command":"touch x"}`, "say end")
	a := until[agent.Ask](l, nil)
	l.say(agent.Send{ID: "steering", Text: "fold me", Steer: true})
	l.answer(a, agent.Answer{Decision: vyre.Allow})
	l.ended(call)
	l.say(agent.Compact{ID: "shorten"})
	o := h.AgentOptions()
	o.NativeID = l.s.NativeID()
	want(t, "before the first", before(t, o, first), "")
	if before(t, o, call) == "" || before(t, o, "steering") == "" || before(t, o, "steering") == before(t, o, call) {
		t.Error("no row before a later message, or the same for two")
	}
	l.ended(agent.WireID("shorten"))
	after := l.send("say after")
	l.ended(after)
	l.s.Close()

	for name, c := range map[string]struct {
		id   vyre.MessageID
		code vyre.Code
	}{"compacted away": {call, vyre.CodeConflict}, "never there": {"other", vyre.CodeNotFound}} {
		if row, err := provider.Before(t.Context(), o, c.id); vyre.CodeOf(err) != c.code {
			t.Errorf("%s: %q, %v", name, row, err)
		}
	}
	row := before(t, o, after)
	f := as(t, h, func(o2 *agent.Options) { o2.ForkOf, o2.NativeID, o2.ResumeAt = o.NativeID, forked, row })
	want(t, "a fork after the compaction", f.ended(f.send("say in the fork")).Status, vyre.TurnCompleted)
	heard(t, api, "say in the fork", "say after")
}

func TestRewindFiles(t *testing.T) {
	// Files go back to before a message of an earlier process of the session: first
	// it is told what would change, then it is done. Without a checkpoint it is refused.
	h := agenttest.Claude(t, agenttest.API(t))
	o, ids := three(t, h)
	r := start(t, h, agent.WithResume(o.NativeID))
	var dry, done agent.FilesRewound
	r.ask(agent.RewindFiles{Message: ids[1], DryRun: true}, &dry)
	if len(dry.Files) != 1 || dry.Files[0] != filepath.Join(h.CWD, "made") || dry.Deletions != 1 || dry.Insertions != 0 {
		t.Errorf("dry run: %+v", dry)
	}
	if !exists(t, h, "made") {
		t.Fatal("a dry run changed a file")
	}
	r.ask(agent.RewindFiles{Message: ids[1]}, &done)
	if exists(t, h, "made") {
		t.Error("the file is still there")
	}
	r.say(agent.RewindFiles{Message: "other"})
	if rep := until(r, func(rep agent.Replied) bool { return rep.Err != "" }); rep.Err != "No file checkpoint found for this message." {
		t.Errorf("no checkpoint: %+v", rep)
	}
	if _, err := os.Stat(h.CWD); err != nil {
		t.Error(err)
	}
}
