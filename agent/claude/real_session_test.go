package claude_test

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vyre"
	"vyre/agent"
	"vyre/agent/agenttest"
)

func TestCancel(t *testing.T) {
	// A message that waits at the agent is taken back and never runs; one that it
	// took is not, and runs once.
	api := agenttest.API(t)
	l := start(t, agenttest.Claude(t, api))
	running := l.send("say words", "gate g", "say end")
	until[agent.Text](l, nil)
	waiting := l.send("say waiting")
	l.say(agent.Cancel{ID: waiting})
	want(t, "dropped", until[agent.MessageDropped](l, nil).Message, waiting)
	l.say(agent.Cancel{ID: running})
	until(l, func(r agent.Replied) bool { return r.Err != "" })
	api.Gate("g").Open()
	want(t, "status", l.ended(running).Status, vyre.TurnCompleted)
	l.ended(l.send("say next"))
	want(t, "runs of what was taken back", api.Runs("say waiting"), 0)
}

func TestSteerOrCancelRace(t *testing.T) {
	// A steering message that is taken back at once is either taken or dropped, never
	// both and never neither, however close it was.
	api := agenttest.API(t)
	l := start(t, agenttest.Claude(t, api), agent.WithMode(vyre.ModeEdits))
	for i := range 12 {
		id := l.send(`tool Bash {"command":"echo 1"}`, "next", `tool Bash {"command":"echo 2"}`, "say end")
		steer := agent.WireID(vyre.MessageID(vyre.NewThreadID()))
		l.say(agent.Send{ID: steer, Text: "a word in between", Steer: true})
		if i%3 > 0 {
			until[agent.ToolUpdate](l, nil)
		}
		if i%3 > 1 {
			until[agent.ToolUpdate](l, nil)
		}
		l.say(agent.Cancel{ID: steer})
		until(l, func(agent.Replied) bool { return true })
		l.ended(id)
		l.ended(l.send("say settled"))
		taken, dropped := 0, 0
		for _, ev := range l.seen {
			switch ev := ev.(type) {
			case agent.TurnStarted:
				if slices.Contains(ev.Messages, steer) {
					taken++
				}
			case agent.MessageTaken:
				if ev.Message == steer {
					taken++
				}
			case agent.MessageDropped:
				if ev.Message == steer {
					dropped++
				}
			}
		}
		if taken+dropped != 1 {
			t.Errorf("round %d: taken %d times, dropped %d times", i, taken, dropped)
		}
	}
}

func TestCompactOnDemand(t *testing.T) {
	// A compaction on demand is a turn under its id, and says how full the window is.
	api := agenttest.API(t)
	l := start(t, agenttest.Claude(t, api))
	l.ended(l.send("say one"))
	l.say(agent.Compact{ID: "shorten", Instructions: "keep the names"})
	end := l.ended(agent.WireID("shorten"))
	want(t, "status", end.Status, vyre.TurnCompleted)
	if end.Usage == nil || end.Usage.ContextTokens == 0 {
		t.Errorf("usage: %+v", end.Usage)
	}
	told := false
	for _, r := range api.Requests() {
		told = told || strings.Contains(string(r.Body), "keep the names")
	}
	if !told {
		t.Error("the instructions did not reach the model")
	}
}

func TestPictureReachesTheModel(t *testing.T) {
	// A picture is in the request to the model, a file is named in it.
	api := agenttest.API(t)
	h := agenttest.Claude(t, api)
	l := start(t, h)
	png, err := base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
	if err != nil {
		t.Fatal(err)
	}
	l.say(agent.Send{ID: "look", Text: "say seen", Parts: []agent.Part{
		{Name: "a.png", MediaType: "image/png", Data: png},
		{Name: "n.txt", MediaType: "text/plain", Path: filepath.Join(h.CWD, "n.txt")},
	}})
	want(t, "status", l.ended(agent.WireID("look")).Status, vyre.TurnCompleted)
	got := lastRequest(api)
	if !strings.Contains(got, `"media_type":"image/png"`) || !strings.Contains(got, "Attached file: "+h.CWD) {
		t.Errorf("the request holds no picture or no path: …%s", got[max(0, len(got)-600):])
	}
}

func TestEffort(t *testing.T) {
	// How hard the model thinks is what the session began with, then what was set,
	// then the agent's own again.
	api := agenttest.API(t)
	l := start(t, agenttest.Claude(t, api), agent.WithEffort("low"))
	effort := func(want string) {
		t.Helper()
		l.ended(l.send("say hi"))
		if got := lastRequest(api); !strings.Contains(got, `"effort":"`+want+`"`) {
			t.Errorf("no effort %s in the request", want)
		}
	}
	effort("low")
	l.say(agent.SetEffort{Effort: "high"})
	effort("high")
	l.say(agent.SetEffort{})
	effort("medium")
}

func TestStopTask(t *testing.T) {
	// Work in the background is stopped, and its end is told before the reply.
	h := agenttest.Claude(t, agenttest.API(t))
	l := start(t, h)
	id := l.send(`tool Bash {"command":"tail -f /dev/null","run_in_background":true}`, "say end")
	l.answer(until[agent.Ask](l, nil), agent.Answer{Decision: vyre.Allow})
	task := until(l, func(k agent.Task) bool { return !k.Done })
	l.ended(id)
	l.say(agent.StopTask{Task: task.ID})
	gone := until(l, func(k agent.Task) bool { return k.Done })
	want(t, "task", gone.ID, task.ID)
	want(t, "state", gone.State, "stopped")
	now := until(l, func(n agent.Tasks) bool { return n.State == agent.TaskRunning })
	want(t, "tasks left", len(now.List), 0)
	until[agent.Replied](l, nil)
}

func TestTasksAtAttach(t *testing.T) {
	// A reader that attaches is told what runs in the background.
	h := agenttest.Claude(t, agenttest.API(t))
	l := start(t, h)
	id := l.send(`tool Bash {"command":"tail -f /dev/null","run_in_background":true}`, "say end")
	l.answer(until[agent.Ask](l, nil), agent.Answer{Decision: vyre.Allow})
	task := until(l, func(k agent.Task) bool { return !k.Done })
	l.ended(id)
	l.say(agent.Initialize{Attach: true})
	until(l, func(r agent.Ready) bool { return r.Attached })
	now := until(l, func(n agent.Tasks) bool { return n.State == agent.TaskRunning })
	if len(now.List) != 1 || now.List[0].ID != task.ID {
		t.Errorf("tasks: %+v", now)
	}
	l.say(agent.StopTask{Task: task.ID})
	until(l, func(k agent.Task) bool { return k.Done })
}

func TestScheduledWakes(t *testing.T) {
	// What the agent will wake up for is told at the end of a turn, whole each time.
	l := start(t, agenttest.Claude(t, agenttest.API(t)))
	l.ended(l.send(`tool CronCreate {"cron":"*/5 * * * *","prompt":"say woken"}`, "say end"))
	tasks := all[agent.Tasks](l)
	if len(tasks) != 1 || tasks[0].State != agent.TaskScheduled || len(tasks[0].List) != 1 || !strings.Contains(tasks[0].List[0].Title, "say woken") {
		t.Fatalf("scheduled: %+v", tasks)
	}
	l.ended(l.send(`tool CronDelete {"id":"`+tasks[0].List[0].ID+`"}`, "say end"))
	tasks = all[agent.Tasks](l)
	want(t, "left", len(tasks[len(tasks)-1].List), 0)
}

func TestContextAndFiles(t *testing.T) {
	// How full the context window is, by part, and what files a person may mean.
	api := agenttest.API(t)
	h := agenttest.Claude(t, api)
	if err := os.WriteFile(filepath.Join(h.CWD, "alpha.txt"), []byte("a"), 0o600); err != nil {
		t.Fatal(err)
	}
	l := start(t, h)
	end := l.ended(l.send("say hi", "usage in=11 out=22 cache_read=33 cache_write=44"))
	want(t, "context by the turn", end.Usage.ContextTokens, 88)
	var use agent.ContextUsage
	l.ask(agent.GetContext{}, &use)
	sum := int64(0)
	for _, p := range use.Parts {
		sum += p.Tokens
	}
	if use.Window <= 0 || use.Tokens <= 0 || sum <= 0 {
		t.Errorf("context: %+v", use)
	}
	var files []string
	for len(files) == 0 { // the first question only begins to look; the test's time bounds it
		l.ask(agent.GetFiles{Query: "alp"}, &files)
	}
	want(t, "the first file", files[0], "alpha.txt")
	l.ask(agent.GetFiles{Query: "no such thing"}, &files)
	want(t, "files for nonsense", len(files), 0)
}

func TestJob(t *testing.T) {
	// A bare session offers the model no tools, and a budget ends its turn.
	api := agenttest.API(t)
	h := agenttest.Claude(t, api)
	l := startWith(t, h, func(o *agent.Options) { o.Bare, o.MaxTurns, o.BudgetMicros = true, 1, 1 })
	end := l.ended(l.send("say hi"))
	want(t, "status over the budget", end.Status, vyre.TurnFailed)
	if !strings.Contains(lastRequest(api), `"tools":[]`) {
		t.Error("the model was offered tools")
	}
	if !strings.Contains(end.Error, "budget") {
		t.Errorf("error: %q", end.Error)
	}
}

func TestLimitIsTold(t *testing.T) {
	// At a subscription's limit nothing is retried, and when it resets is told before
	// the turn's end.
	api := agenttest.API(t)
	l := start(t, agenttest.Claude(t, api), agent.WithCredential(agent.Credential{Kind: agent.CredentialOAuthToken, Value: []byte("sk-ant-oat01-x")}))
	id := l.send("limit rejected")
	lim := until(l, func(e agent.Limit) bool { return e.Status == "rejected" })
	if lim.ResetsAt == 0 || lim.Window != "five_hour" {
		t.Errorf("limit: %+v", lim)
	}
	if end := l.ended(id); !end.Limit {
		t.Errorf("end: %+v", end)
	}
	want(t, "requests", api.Runs("limit rejected"), 1)
}

func TestDo(t *testing.T) {
	// A program that asks for something gets the answer itself, and a refusal as an error.
	l := start(t, agenttest.Claude(t, agenttest.API(t)))
	l.ended(l.send("say hi"))
	body, err := l.s.Do(t.Context(), agent.GetServers{})
	if err != nil || string(body) != "[]" {
		t.Errorf("servers: %s, %v", body, err)
	}
	if _, err := l.s.Do(t.Context(), agent.RewindFiles{Message: "never"}); vyre.CodeOf(err) != vyre.CodeConflict {
		t.Errorf("a refusal: %v", err)
	}
	l.s.Close()
	if _, err := l.s.Do(t.Context(), agent.GetServers{}); vyre.CodeOf(err) != vyre.CodeUnavailable {
		t.Errorf("after the end: %v", err)
	}
}
