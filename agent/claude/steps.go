package claude

import (
	"encoding/json"
	"regexp"

	"vyre"
	"vyre/agent"
)

// stepCall is a call of the agent's task tools whose result is not here. Newer
// versions keep the plan by such calls, one step at a time, where older ones write the
// whole list with TodoWrite.
type stepCall struct {
	name  string
	input json.RawMessage
}

// stepMade is how the agent tells the id of a step that it made (measured on 2.1.332).
var stepMade = regexp.MustCompile(`^Task #([A-Za-z0-9_-]{1,40}) created`)

// noteStep keeps a call of a task tool until its result says that it was done.
func (p *protocol) noteStep(id, name string, input json.RawMessage) {
	if name == "TaskCreate" || name == "TaskUpdate" {
		p.steps[id] = stepCall{name, input}
	}
}

// stepDone is what the result of a call changes in the plan.
func (p *protocol) stepDone(u agent.ToolUpdate) []agent.Event {
	c, ok := p.steps[u.Key]
	if !ok {
		return nil
	}
	delete(p.steps, u.Key)
	var in struct {
		TaskID  string `json:"taskId"`
		Subject string `json:"subject"`
		Status  string `json:"status"`
	}
	if u.Status != vyre.ItemCompleted || json.Unmarshal(c.input, &in) != nil {
		return nil
	}
	if c.name == "TaskCreate" {
		var said string
		m := []string(nil)
		if json.Unmarshal(u.Output, &said) == nil {
			m = stepMade.FindStringSubmatch(said)
		}
		if m == nil {
			return nil
		}
		in.TaskID, in.Status = m[1], "pending"
	}
	if in.TaskID == "" {
		return nil
	}
	return []agent.Event{agent.PlanStep{ID: in.TaskID, Text: in.Subject, Status: in.Status, Removed: in.Status == "deleted"}}
}
