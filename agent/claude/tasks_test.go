package claude_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vyre"
	"vyre/agent"
)

// began is the line with which a subagent begins.
func began(id, parent string, behind bool) string {
	return fmt.Sprintf(`{"type":"system","subtype":"task_started","task_id":%q,"parent_task_id":%q,"tool_use_id":"call-%s","task_type":"local_agent","subagent_type":"x","is_backgrounded":%v}`, id, parent, id, behind)
}

func ended(id string) string {
	return fmt.Sprintf(`{"type":"system","subtype":"task_notification","task_id":%q,"tool_use_id":"call-%s","status":"completed","summary":"s"}`, id, id)
}

const (
	turnBegins = `{"type":"system","subtype":"init"}`
	turnEnds   = `{"type":"result","subtype":"success","terminal_reason":"aborted_streaming"}`
	putBehind  = `{"type":"system","subtype":"task_updated","task_id":"a","patch":{"is_backgrounded":true}}`
)

func TestCutSubagents(t *testing.T) {
	// A subagent that was cut off with its turn, and is never told to have ended,
	// does not keep the session from being clean. One behind its call outlives the
	// turn with all that it began.
	for name, c := range map[string]struct {
		lines []string
		left  []string // the notifications that make it clean
	}{
		"in front":                     {lines: []string{began("a", "", false)}},
		"in front, with one below":     {lines: []string{began("a", "", false), began("b", "a", false)}},
		"its own parent":               {lines: []string{began("a", "a", false)}},
		"parents of each other":        {lines: []string{began("a", "b", false), began("b", "a", false)}},
		"behind":                       {lines: []string{began("a", "", true)}, left: []string{ended("a")}},
		"put behind":                   {lines: []string{began("a", "", false), putBehind}, left: []string{ended("a")}},
		"in front of one behind":       {lines: []string{began("a", "", true), began("b", "a", false)}, left: []string{ended("b"), ended("a")}},
		"behind, begun by one cut off": {lines: []string{began("a", "", false), began("b", "a", true)}, left: []string{ended("b")}},
	} {
		t.Run(name, func(t *testing.T) {
			p := provider.Protocol(agent.Options{})
			for _, line := range slices.Concat([]string{turnBegins}, c.lines, []string{turnEnds}) {
				p.Decode([]byte(line))
			}
			for _, line := range c.left {
				if p.Clean() {
					t.Fatal("clean while a subagent runs")
				}
				p.Decode([]byte(line))
			}
			if !p.Clean() {
				t.Error("not clean")
			}
		})
	}
}

func TestAskOfOneBehindNamesItsPath(t *testing.T) {
	// Who outlived the turn is still named in full when it asks.
	p := provider.Protocol(agent.Options{})
	for _, line := range []string{turnBegins, began("a", "", true), began("b", "a", false), turnEnds} {
		p.Decode([]byte(line))
	}
	evs := p.Decode([]byte(`{"type":"control_request","request_id":"r","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{},"tool_use_id":"t","agent_id":"b"}}`))
	a, ok := evs[len(evs)-1].(agent.Ask)
	if !ok || !slices.Equal(a.AgentPath, []string{"x", "x"}) {
		t.Errorf("got %+v", evs)
	}
}

func TestTasksNameTheirCall(t *testing.T) {
	// Work in the background names the call that began it: when it begins, when it
	// is put there and when it ends.
	p := provider.Protocol(agent.Options{})
	var got []agent.Event
	for _, line := range []string{turnBegins, began("a", "", false), putBehind, began("b", "", true), ended("b"), ended("a")} {
		for _, ev := range p.Decode([]byte(line)) {
			if task, ok := ev.(agent.Task); ok {
				got = append(got, task)
			}
		}
	}
	want := []agent.Event{
		agent.Task{ID: "a", Key: "call-a", State: "running"},
		agent.Task{ID: "b", Key: "call-b", State: "running"},
		agent.Task{ID: "b", Key: "call-b", Title: "s", Done: true, State: "completed"},
		agent.Task{ID: "a", Key: "call-a", Title: "s", Done: true, State: "completed"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if evs := p.Decode([]byte(turnEnds)); evs[len(evs)-1].(agent.TurnEnded).Status != vyre.TurnCanceled || !p.Clean() {
		t.Errorf("not clean after %+v", evs)
	}
}
