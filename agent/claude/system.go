package claude

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"vyre"
	"vyre/agent"
)

// system handles the agent's messages about itself.
func (p *protocol) system(subtype string, line []byte) ([]agent.Event, bool) {
	switch subtype {
	case "session_state_changed", "thinking_tokens", "commands_changed",
		"session_title_changed", "task_progress", "control_request_progress":
		return nil, true
	}
	var l systemLine
	if json.Unmarshal(line, &l) != nil {
		return nil, false
	}
	switch subtype {
	case "init":
		return p.init(&l), true
	case "status":
		return p.status(&l), true
	case "api_retry":
		return append(p.work(nil), retry(&l)), true
	case "background_tasks_changed":
		return background(&l), true
	case "task_started":
		return p.taskStarted(&l), true
	case "task_updated":
		return p.taskUpdated(&l), true
	case "task_notification":
		return p.taskEnded(&l), true
	case "compact_boundary":
		return p.compacted(&l), true
	case "informational", "local_command_output", "notification",
		"model_refusal_fallback", "model_refusal_no_fallback":
		if text := l.Content + l.Text; text != "" && !strings.HasPrefix(text, unheard) {
			return []agent.Event{notice(l.UUID, text)}, true
		}
		return nil, true
	case "permission_denied":
		return []agent.Event{notice(l.UUID, l.ToolName+" was refused: "+l.Message)}, true
	}
	return nil, false
}

// init comes at the start of each turn.
func (p *protocol) init(l *systemLine) []agent.Event {
	evs := p.work(l.Messages)
	p.parked = false
	if l.Model != "" {
		evs = append(evs, agent.ModelChanged{Model: l.Model})
	}
	if l.Mode != "" {
		evs = append(evs, agent.ModeChanged{Mode: ourMode(l.Mode), Native: l.Mode})
	}
	return evs
}

func (p *protocol) status(l *systemLine) []agent.Event {
	var evs []agent.Event
	if l.Mode != "" {
		evs = append(evs, agent.ModeChanged{Mode: ourMode(l.Mode), Native: l.Mode, Asked: p.yes})
		p.yes = false
	}
	if l.Status != nil && (*l.Status == "requesting" || *l.Status == "compacting") {
		evs = append(p.work(l.Messages), evs...)
	}
	if l.CompactError != "" {
		evs = append(evs, agent.Item{
			Key: l.UUID, Kind: vyre.ItemError, Status: vyre.ItemFailed, Title: "Compaction failed", Text: l.CompactError,
		})
	}
	return evs
}

// retry is one notice a turn, that moves on.
func retry(l *systemLine) agent.Item {
	why := "nothing, or not all"
	if l.ErrorCode != nil {
		why = fmt.Sprintf("%s (%d)", strings.ReplaceAll(l.Error, "_", " "), *l.ErrorCode)
	}
	d := (time.Duration(l.DelayMS) * time.Millisecond).Round(100 * time.Millisecond)
	return notice("retry", fmt.Sprintf("The model's service answered: %s. Try %d of %d in %s.", why, l.Attempt, l.MaxRetries, d))
}

func (p *protocol) compacted(l *systemLine) []agent.Event {
	p.summary = l.UUID
	var after struct {
		Tokens int64 `json:"post_tokens"`
	}
	if len(l.Compact) > 0 && json.Unmarshal(l.Compact, &after) == nil && after.Tokens > 0 {
		p.context = after.Tokens
	}
	return append(p.work(nil), agent.Item{
		Key: l.UUID, Kind: vyre.ItemCompaction, Status: vyre.ItemCompleted,
		Title: "Conversation compacted", Body: l.Compact,
	})
}

// taskStarted: work of a call, in its foreground or behind it.
func (p *protocol) taskStarted(l *systemLine) []agent.Event {
	if l.TaskType == "local_agent" || l.SubagentType != "" {
		path := slices.Clone(p.agents[l.ParentTask].path)
		p.agents[l.TaskID] = runningAgent{
			call: l.ToolUseID, path: append(path, agentName(l)), parent: l.ParentTask, behind: l.Background,
		}
	}
	if !l.Background {
		p.tasks[l.TaskID] = l.ToolUseID
		return nil
	}
	return []agent.Event{agent.Task{ID: l.TaskID, Key: l.ToolUseID, Title: l.Description, State: agent.TaskRunning}}
}

// background is all the work that goes on behind its calls.
func background(l *systemLine) []agent.Event {
	t := agent.Tasks{State: agent.TaskRunning, List: []agent.Task{}}
	for _, x := range l.Tasks {
		t.List = append(t.List, agent.Task{ID: x.ID, Title: x.Description, State: agent.TaskRunning})
	}
	return []agent.Event{t}
}

func agentName(l *systemLine) string {
	switch {
	case l.SubagentType == "":
		return l.Description
	case l.Description == "":
		return l.SubagentType
	}
	return l.SubagentType + ": " + l.Description
}

func (p *protocol) taskUpdated(l *systemLine) []agent.Event {
	call, ok := p.tasks[l.TaskID]
	if !ok || !l.Patch.Background {
		return nil
	}
	delete(p.tasks, l.TaskID) // it was put behind
	if a, ok := p.agents[l.TaskID]; ok {
		a.behind = true
		p.agents[l.TaskID] = a
	}
	return []agent.Event{agent.Task{ID: l.TaskID, Key: call, State: agent.TaskRunning}}
}

func (p *protocol) taskEnded(l *systemLine) []agent.Event {
	delete(p.agents, l.TaskID)
	if _, ok := p.tasks[l.TaskID]; ok {
		delete(p.tasks, l.TaskID)
		return nil
	}
	state := "completed"
	if l.Status != nil {
		state = *l.Status
	}
	return []agent.Event{agent.Task{ID: l.TaskID, Key: l.ToolUseID, Title: l.Summary, Done: true, State: state}}
}

func (p *protocol) rateLimit(l *rateLimitLine) []agent.Event {
	status := l.Info.Status
	if status == "allowed_warning" {
		status = "warning"
	}
	return []agent.Event{agent.Limit{Status: status, Window: l.Info.Type, ResetsAt: vyre.Time(l.Info.ResetsAt * 1000)}}
}

func (p *protocol) reset(l *resetLine) []agent.Event {
	if l.ID == "" {
		return nil
	}
	return []agent.Event{agent.NativeID{ID: l.ID}}
}
