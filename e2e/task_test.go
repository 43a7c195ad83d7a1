package e2e

import (
	"fmt"
	"os"
	"testing"

	"vyre"
)

// Work in the background outlives its turn, is listed, and ends with its process when
// a person says so; no turn begins for it, and the next message runs as ever.
func TestStopTask(t *testing.T) {
	h := newHome(t)
	id := h.begin(`tool Bash {"command":"touch ran; sleep 4321","description":"later","run_in_background":true}` + "\nsay started.")
	h.mustAnswer(h.ask(id), vyre.Allow, nil)
	h.finished(id, 1)
	var list struct{ Tasks []vyre.Task }
	h.call("threads.tasks", map[string]any{"thread": id}, &list)
	if len(list.Tasks) != 1 || list.Tasks[0].Title != "later" {
		t.Fatalf("tasks %+v", list.Tasks)
	}
	h.until("the command", func() bool { return h.byName(id, "sleep") != 0 })
	sleep := h.byName(id, "sleep")
	h.call("threads.stop_task", map[string]any{"thread": id, "task": list.Tasks[0].ID}, nil)
	h.call("threads.tasks", map[string]any{"thread": id}, &list)
	if len(list.Tasks) != 0 {
		t.Errorf("still listed: %+v", list.Tasks)
	}
	h.eventually("the end of the command", func() bool {
		_, err := os.Stat(fmt.Sprintf("/proc/%d", sleep))
		return os.IsNotExist(err)
	})
	err := h.try("threads.stop_task", map[string]any{"thread": id, "task": "nothing"}, nil)
	if vyre.CodeOf(err) != vyre.CodeNotFound {
		t.Errorf("a task that is not there: %v", err)
	}
	h.send(id, "say after.")
	if s := h.finished(id, 2); s != vyre.TurnCompleted {
		t.Errorf("status %s", s)
	}
	if got := h.text(id, vyre.ItemText); got != "started.|after." {
		t.Errorf("words %q\n%s", got, h.log())
	}
}
