package claude

import (
	"encoding/json"
	"strconv"
	"strings"

	"vyre/agent"
)

// What our requests are about, the last part of their ids.
const (
	whatInit      = "init"
	whatAttach    = "attach"
	whatMode      = "mode"
	whatModel     = "model"
	whatInterrupt = "interrupt"
	whatEnd       = "end"
	whatCancel    = "cancel"
	whatStopTask  = "stop-task"
	whatEffort    = "effort"
	whatRewind    = "rewind"
	whatDryRun    = "rewind-dry"
	whatContext   = "context"
	whatFiles     = "files"
	whatServers   = "servers"
)

const idPrefix = "vyre-"

func requestID(id uint64, what string) string {
	return idPrefix + strconv.FormatUint(id, 10) + "-" + what
}

// parseID takes apart an id that requestID made.
func parseID(s string) (id uint64, what string, ok bool) {
	rest, ok := strings.CutPrefix(s, idPrefix)
	if !ok {
		return 0, "", false
	}
	num, what, ok := strings.Cut(rest, "-")
	if !ok {
		return 0, "", false
	}
	id, err := strconv.ParseUint(num, 10, 64)
	return id, what, err == nil
}

// response handles replies to us, and the echoes of our answers.
func (p *protocol) response(l *responseLine) []agent.Event {
	r := &l.Response
	id, what, ok := parseID(r.RequestID)
	if !ok {
		p.echo(r.RequestID, r.Subtype, r.Response)
		return p.unpark()
	}
	if r.Subtype != "success" {
		msg := r.Error
		if msg == "" {
			msg = "the agent refused"
		}
		return []agent.Event{agent.Replied{ID: id, Err: msg}}
	}
	var evs []agent.Event
	switch what {
	case whatInit, whatAttach:
		evs = p.ready(l, what == whatAttach)
	case whatMode:
		var v struct {
			Mode string `json:"mode"`
		}
		if json.Unmarshal(r.Response, &v) == nil && v.Mode != "" {
			evs = []agent.Event{agent.ModeChanged{Mode: ourMode(v.Mode), Native: v.Mode, Asked: true}}
		}
	case whatModel:
		var v struct {
			Model string `json:"model"`
		}
		if json.Unmarshal(r.Response, &v) == nil && v.Model != "" {
			evs = []agent.Event{agent.ModelChanged{Model: v.Model}}
		}
	default:
		return []agent.Event{replied(id, what, r.Response)}
	}
	return append(evs, agent.Replied{ID: id})
}

// echo notes that an answer of ours has arrived, and whether a change of mode
// follows from it.
func (p *protocol) echo(request, subtype string, body json.RawMessage) {
	a, ok := p.asks[request]
	if !ok {
		return
	}
	delete(p.asks, request)
	var v struct {
		Behavior string `json:"behavior"`
		Updates  []struct {
			Type string `json:"type"`
		} `json:"updatedPermissions"`
	}
	if subtype != "success" || json.Unmarshal(body, &v) != nil || v.Behavior != "allow" {
		return
	}
	p.yes = a.plan
	for _, u := range v.Updates {
		p.yes = p.yes || u.Type == "setMode"
	}
}

// ready is the answered handshake.
func (p *protocol) ready(l *responseLine, attached bool) []agent.Event {
	var v initReply
	if len(l.Response.Response) > 0 && json.Unmarshal(l.Response.Response, &v) != nil {
		v = initReply{}
	}
	ev := agent.Ready{
		NativeID: p.opts.NativeID, Version: v.Version, Mode: ourMode(v.Mode), Attached: attached,
		Models: []agent.ModelInfo{}, Commands: []agent.CommandInfo{},
	}
	for _, m := range v.Models {
		ev.Models = append(ev.Models, agent.ModelInfo{ID: m.Value, Label: m.Label})
	}
	for _, c := range v.Commands {
		ev.Commands = append(ev.Commands, agent.CommandInfo{Name: c.Name, Description: c.Description, Hint: c.Hint})
	}
	var others []agent.Event
	for _, r := range l.Response.Pending {
		if r.Request.Subtype == "can_use_tool" {
			ev.Open = append(ev.Open, p.ask(&r))
		}
	}
	for _, r := range l.Response.Dialogs {
		others = append(others, agent.Request{Request: r.RequestID, Name: r.Request.Subtype})
	}
	return append([]agent.Event{ev}, others...)
}

// request handles what the agent wants from us.
func (p *protocol) request(l *requestLine) []agent.Event {
	if l.RequestID == "" {
		return nil
	}
	if l.Request.Subtype != "can_use_tool" {
		return []agent.Event{agent.Request{Request: l.RequestID, Name: l.Request.Subtype}}
	}
	// A subagent in the background asks outside of any turn: its question begins
	// one that nobody sent, as a thread waits only within a turn.
	idle := !p.running
	evs := p.work(nil)
	p.parked = p.parked || idle && l.Request.AgentID != ""
	return append(evs, p.ask(l))
}

// cancelled: the agent does not want an answer any more.
func (p *protocol) cancelled(request string) []agent.Event {
	if _, ok := p.asks[request]; !ok {
		return nil
	}
	delete(p.asks, request)
	evs := []agent.Event{agent.AskWithdrawn{Request: request, Why: "the agent withdrew it"}}
	return append(evs, p.unpark()...)
}
