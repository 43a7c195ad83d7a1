package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vyre"
)

// The daemon dies at each step of a start; the next one sweeps what was not
// acknowledged, and the start under the same key then runs its prompt once.
func TestDieAtEachStepOfStart(t *testing.T) {
	h := newHome(t)
	for _, point := range []string{
		"engine.launch.intent", "shim.prepare.group", "shim.prepare.dir", "shim.prepare.spawned", "shim.prepare.told",
		"shim.prepare.ready", "engine.launch.prepared", "shim.go", "shim.go.done", "engine.launch.running",
		"engine.launch.recorded", "engine.frames.written", "engine.frames.delivered", "shim.send", "shim.send:2",
		"engine.frames.delivered:2",
	} {
		key := "k-" + strings.NewReplacer(".", "-", ":", "-").Replace(point)
		in := map[string]any{"provider": "claude", "cwd": h.agent.CWD, "prompt": "say <" + key + ">", "key": key}
		h.kill()
		h.start("VYRE_FAIL=" + point)
		var out struct{ Thread vyre.ThreadID }
		if err := h.try("threads.start", in, &out); err == nil && !strings.Contains(point, "engine.frames") && !strings.Contains(point, ":") {
			t.Errorf("%s: the daemon did not die", point)
		}
		<-h.exited
		h.start()
		h.call("threads.start", in, &out)
		if s := h.finished(out.Thread, 1); s != vyre.TurnCompleted {
			t.Errorf("%s: %s", point, s)
		}
		if n := h.api.Runs("say <" + key + ">"); n != 1 {
			t.Errorf("%s: ran %d times", point, n)
		}
		pids := h.pids(out.Thread)
		h.call("threads.stop", map[string]any{"thread": out.Thread}, nil)
		h.goneAll(pids)
	}
	h.onlySessionsOf(0)
}

// The daemon dies at each step of taking a session over; the next one takes it
// over all the same, and the turn ends whole.
func TestDieAtEachStepOfAdoption(t *testing.T) {
	h := newHome(t)
	for _, point := range []string{"shim.adopt.connected", "shim.adopt.welcomed", "engine.frames.written", "shim.send", "engine.frames.delivered"} {
		gate := h.api.Gate("hold")
		gate.Shut()
		id := h.begin("gate hold\nsay <" + point + ">")
		if err := gate.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		h.kill()
		h.start("VYRE_FAIL=" + point)
		<-h.exited
		gate.Open()
		h.start()
		if s := h.finished(id, 1); s != vyre.TurnCompleted || h.streamed(id) != "<"+point+">" {
			t.Errorf("%s: %s, %q", point, s, h.streamed(id))
		}
		h.call("threads.stop", map[string]any{"thread": id}, nil)
	}
	h.onlySessionsOf(0)
}

// The daemon dies at each step of a stop; asked again, the next one proves the
// tree empty, and the thread says stopped.
func TestDieAtEachStepOfStop(t *testing.T) {
	h := newHome(t)
	for _, point := range []string{"shim.stop.end", "shim.stop.sweep", "shim.stop.proven", "engine.finish.empty", "engine.finish.booked"} {
		id := h.begin("say <" + point + ">")
		h.finished(id, 1)
		pids := h.pids(id)
		h.kill()
		h.start("VYRE_FAIL=" + point)
		_ = h.try("threads.stop", map[string]any{"thread": id}, nil)
		<-h.exited
		h.start()
		var th vyre.Thread
		h.call("threads.stop", map[string]any{"thread": id}, &th)
		if th.State != vyre.StateStopped {
			t.Errorf("%s: %s", point, th.State)
		}
		h.goneAll(pids)
	}
	h.onlySessionsOf(0)
}

// The daemon dies at each step of going back before a message; the thread then has
// the old conversation or the new one, and the same call again ends with the new
// words said once.
func TestDieAtEachStepOfRewind(t *testing.T) {
	h := newHome(t)
	for _, point := range []string{"engine.rewind.files", "engine.rewind.stopped", "engine.rewind.written", "engine.finish.empty"} {
		key := strings.ReplaceAll(point, ".", "-")
		path := filepath.Join(h.agent.CWD, key)
		id := h.begin("say begin")
		h.finished(id, 1)
		h.call("threads.mode", map[string]any{"thread": id, "mode": "edits"}, nil)
		h.call("threads.send", map[string]any{
			"thread": id, "key": "old",
			"text": `tool Write {"file_path":"` + path + `","content":"x"}` + "\nnext\nsay <old " + key + ">",
		}, nil)
		h.finished(id, 2)
		h.kill()
		h.start("VYRE_FAIL=" + point)
		in := map[string]any{"thread": id, "message": "old", "text": "say <new " + key + ">", "key": "new", "files": true}
		_ = h.try("threads.rewind", in, nil)
		<-h.exited
		h.start()
		h.call("threads.rewind", in, nil)
		if s := h.finished(id, 3); s != vyre.TurnCompleted {
			t.Errorf("%s: %s", point, s)
		}
		if n := h.api.Runs("say <new " + key + ">"); n != 1 {
			t.Errorf("%s: the new words ran %d times", point, n)
		}
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s: the file is still there", point)
		}
		for _, r := range h.api.Requests() {
			if r.Human == "say <new "+key+">" && strings.Contains(string(r.Body), "<old "+key) {
				t.Errorf("%s: the model still saw what was left", point)
			}
		}
		h.call("threads.stop", map[string]any{"thread": id}, nil)
	}
	h.onlySessionsOf(0)
}

// onlySessionsOf holds that so many sessions are open, and no more folders are left.
func (h *home) onlySessionsOf(n int) {
	h.t.Helper()
	h.kill()
	h.start() // tidies
	var st struct{ Sessions int }
	h.call("daemon.status", map[string]any{}, &st)
	if st.Sessions != n {
		h.t.Errorf("%d sessions open", st.Sessions)
	}
	if dirs := h.sessionDirs(); len(dirs) != n {
		h.t.Errorf("folders left: %v", dirs)
	}
}
