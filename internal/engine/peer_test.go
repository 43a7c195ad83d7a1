package engine_test

import (
	"context"
	"encoding/json"
	"io"
	"slices"
	"strconv"
	"sync"
	"time"

	"vyre"
	"vyre/agent"
	"vyre/internal/engine"
)

// The peer is an agent with a protocol of its own: each line is one object. It
// lives in memory behind the Launcher port, so it outlives an engine as an agent
// outlives a daemon.

type peerLine struct {
	Type     string           `json:"type"`
	Messages []vyre.MessageID `json:"messages,omitempty"`
	Key      string           `json:"key,omitempty"`
	Offset   int              `json:"offset,omitempty"`
	Text     string           `json:"text,omitempty"`
	Status   string           `json:"status,omitempty"`
	Request  string           `json:"request,omitempty"`
	Mode     string           `json:"mode,omitempty"`
	Open     []string         `json:"open,omitempty"`
	Attach   bool             `json:"attach,omitempty"`
	Tool     string           `json:"tool,omitempty"`
	Source   string           `json:"source,omitempty"`
	Agent    string           `json:"agent,omitempty"`
	At       time.Time        `json:"at,omitzero"`
	Limit    bool             `json:"limit,omitempty"`
	Cost     int64            `json:"cost,omitempty"`
	Cmd      string           `json:"cmd,omitempty"` // what a call would run
	Ran      bool             `json:"ran,omitempty"` // a call was let run
	CWD      string           `json:"cwd,omitempty"` // of a hook
	Insists  bool             `json:"insists,omitempty"`
	Blocked  string           `json:"blocked,omitempty"`
	File     string           `json:"file,omitempty"` // what a call would write
}

// input is the input of a call.
func (l peerLine) input() json.RawMessage {
	if l.File != "" {
		b, _ := json.Marshal(map[string]string{"file": l.File, "text": l.Text})
		return b
	}
	if l.Cmd == "" {
		return json.RawMessage(`{}`)
	}
	b, _ := json.Marshal(map[string]string{"command": l.Cmd})
	return b
}

type peerFrame struct {
	N    uint64         `json:"n"`
	Say  string         `json:"say"`
	Data map[string]any `json:"data"`
}

type peerProvider struct {
	lost    bool                     // its histories are gone
	rewinds bool                     // conversations can go back, under ids of their own
	begun   map[string]agent.History // what its history has of a conversation; resumable if it is not named
	history map[vyre.MessageID]bool
	cancels bool                                   // it gives back what it has not begun when it is asked to
	steers  bool                                   // it can take a message into a running turn
	tells   func(vyre.MessageID) (yes, known bool) // its own history, instead of the map

	forgotten *[]string // conversations that it was told to remove
}

func (p peerProvider) Info() agent.Info {
	return agent.Info{
		Name: "peer", Driver: "peer", Label: "Peer", Large: "peer-big", Small: "peer-quick",
		Capabilities:  agent.Capabilities{OwnID: true, Resume: true, Steer: p.steers, Hooks: true, Tools: true, Fork: p.rewinds, Rewind: p.rewinds, Compact: p.rewinds},
		SubagentTools: []string{"Sub"},
	}
}

func (peerProvider) Detect(context.Context, string) (agent.Install, error) {
	return agent.Install{}, nil
}

func (peerProvider) Command(o agent.Options) (agent.Command, error) {
	return agent.Command{Args: []string{o.NativeID, o.ForkOf, o.ResumeAt, strconv.FormatBool(o.Resume)}}, nil
}

// Before names the row above a message after the message.
func (p peerProvider) Before(_ context.Context, _ agent.Options, id vyre.MessageID) (string, error) {
	if p.lost {
		return "", nil
	}
	return "above-" + string(id), nil
}

// Forget keeps the ids of what it was told to remove.
func (p peerProvider) Forget(_ context.Context, o agent.Options, dry bool) ([]string, error) {
	if !dry {
		*p.forgotten = append(*p.forgotten, o.NativeID)
	}
	return []string{"/history/" + o.NativeID}, nil
}

func (p peerProvider) History(_ context.Context, o agent.Options) (agent.History, error) {
	if h, ok := p.begun[o.NativeID]; ok {
		return h, nil
	}
	return agent.HistoryResumable, nil
}

func (p peerProvider) Protocol(agent.Options) agent.Protocol {
	return &peerProtocol{cancels: p.cancels}
}

// Acts knows command lines and nothing else.
func (peerProvider) Acts(_, source string, input json.RawMessage, cwd string) []agent.Act {
	var in struct {
		Command string
		File    string
		Text    string
	}
	if json.Unmarshal(input, &in) == nil && in.File != "" {
		return []agent.Act{{
			Kind: vyre.ActWrite, Paths: []string{in.File}, Edits: []vyre.FileEdit{{Whole: true, New: in.Text}}, CWD: cwd, Source: source,
		}}
	}
	if json.Unmarshal(input, &in) == nil && in.Command != "" {
		return []agent.Act{{Kind: vyre.ActCommand, Command: in.Command, CWD: cwd, Source: source}}
	}
	return []agent.Act{{Kind: vyre.ActOther, CWD: cwd, Source: source}}
}

func (p peerProvider) Delivered(_ context.Context, _ agent.Options, id vyre.MessageID) (bool, bool, error) {
	if p.tells != nil {
		yes, known := p.tells(agent.WireID(id))
		return yes, known, nil
	}
	return p.history[id], true, nil
}

type peerProtocol struct{ busy, cancels bool }

func (p *peerProtocol) Clean() bool { return !p.busy }

func (p *peerProtocol) Encode(id uint64, s agent.Say) ([]byte, error) {
	f := peerFrame{N: id, Data: map[string]any{}}
	switch s := s.(type) {
	case agent.Initialize:
		f.Say, f.Data["attach"] = "hello", s.Attach
	case agent.Send:
		f.Say, f.Data["id"], f.Data["text"] = "send", string(agent.WireID(s.ID)), s.Text
		f.Data["steer"] = s.Steer
	case agent.Compact:
		f.Say, f.Data["id"], f.Data["text"] = "compact", string(agent.WireID(s.ID)), s.Instructions
	case agent.Cancel:
		if !p.cancels {
			return nil, agent.ErrUnsupported
		}
		f.Say, f.Data["id"] = "cancel", string(agent.WireID(s.ID))
	case agent.StopTask:
		f.Say, f.Data["task"] = "stop_task", s.Task
	case agent.Answer:
		f.Say, f.Data["request"], f.Data["decision"], f.Data["message"] = "answer", s.Request, string(s.Decision), s.Message
	case agent.Interrupt:
		f.Say = "interrupt"
	case agent.SetMode:
		f.Say, f.Data["mode"] = "mode", string(s.Mode)
	case agent.HookReply:
		f.Say, f.Data["request"], f.Data["decision"], f.Data["ask"], f.Data["why"] = "hook", s.Request, string(s.Decision), s.Ask, s.Why
	case agent.ToolReply:
		f.Say, f.Data["request"], f.Data["output"], f.Data["failed"] = "tool", s.Request, string(s.Output), s.Failed
	case agent.Native:
		f.Say, f.Data["line"] = "native", string(s.Line)
	case agent.GetFiles:
		f.Say, f.Data["query"] = "files", s.Query
	case agent.GetServers:
		f.Say = "servers"
	case agent.GetContext:
		f.Say = "context"
	default:
		return nil, agent.ErrUnsupported
	}
	b, err := json.Marshal(f)
	return append(b, '\n'), err
}

func (p *peerProtocol) Decode(line []byte) []agent.Event {
	var l peerLine
	if json.Unmarshal(line, &l) != nil {
		return []agent.Event{agent.Raw{Name: "noise", JSON: json.RawMessage(`"noise"`)}}
	}
	switch l.Type {
	case "ready":
		r := agent.Ready{Attached: l.Attach, Mode: vyre.Mode(l.Mode)}
		for _, q := range l.Open {
			r.Open = append(r.Open, agent.Ask{Request: q, Kind: vyre.AskTool})
		}
		return []agent.Event{r}
	case "turn":
		p.busy = true
		return []agent.Event{agent.TurnStarted{Messages: l.Messages}}
	case "taken":
		return []agent.Event{agent.MessageTaken{Message: l.Messages[0]}}
	case "dropped":
		return []agent.Event{agent.MessageDropped{Message: l.Messages[0]}}
	case "task":
		return []agent.Event{agent.Task{ID: l.Key, Title: l.Text, State: l.Status, Done: l.Status != "running"}}
	case "refused":
		return []agent.Event{agent.Replied{ID: uint64(l.Offset), Err: l.Text}}
	case "text":
		return []agent.Event{agent.Text{Key: l.Key, Kind: vyre.ItemText, Offset: l.Offset, Text: l.Text}}
	case "said":
		return []agent.Event{agent.Item{Key: l.Key, Kind: vyre.ItemText, Status: vyre.ItemCompleted, Text: l.Text}}
	case "tool":
		return []agent.Event{agent.Item{Key: l.Key, Kind: vyre.ItemTool, Status: vyre.ItemRunning, Tool: &vyre.ToolBody{Call: l.Key, Tool: "Do", Source: "builtin", Input: l.input()}}}
	case "result":
		out, _ := json.Marshal(l.Text)
		return []agent.Event{agent.ToolUpdate{Key: l.Key, Status: vyre.ItemCompleted, Output: out, By: vyre.ByPerson, Ran: l.Ran}}
	case "plan":
		return []agent.Event{agent.Ask{Request: l.Request, Kind: vyre.AskPlan, Tool: "Plan", Input: json.RawMessage(`{}`)}}
	case "tasks":
		return []agent.Event{tasksOf(l)}
	case "owe":
		return []agent.Event{agent.Reply{Say: agent.Native{Line: json.RawMessage(l.Text)}}}
	case "body":
		b, _ := json.Marshal(l.Text)
		return []agent.Event{agent.Replied{ID: uint64(l.Offset), Body: b}}
	case "replied":
		return []agent.Event{agent.Replied{ID: uint64(l.Offset)}}
	case "ask":
		return []agent.Event{agent.Ask{
			Request: l.Request, Call: l.Key, Kind: vyre.AskTool, Tool: "Do", Source: "builtin", Title: l.Text, Input: l.input(), Insists: l.Insists, Blocked: l.Blocked,
		}}
	case "call":
		return []agent.Event{agent.Item{Key: l.Key, Kind: vyre.ItemTool, Status: vyre.ItemRunning, Tool: &vyre.ToolBody{Call: l.Key, Tool: l.Tool}}}
	case "hook":
		return []agent.Event{agent.Hook{Request: l.Request, Kind: agent.HookPreTool, Call: l.Key, Tool: l.Tool, AgentID: l.Agent, Source: "builtin", CWD: l.CWD, Input: l.input()}}
	case "unhook":
		return []agent.Event{agent.HookWithdrawn{Request: l.Request}}
	case "ourcall":
		return []agent.Event{agent.ToolCall{Request: l.Request, Tool: l.Tool, Call: l.Key, Input: json.RawMessage(`{}`)}}
	case "untool":
		return []agent.Event{agent.ToolWithdrawn{Request: l.Request}}
	case "ourask":
		return []agent.Event{agent.Ask{Request: l.Request, Call: l.Key, Kind: vyre.AskTool, Tool: l.Tool, Own: l.Tool, Source: l.Source, Input: json.RawMessage(`{}`)}}
	case "behind":
		return []agent.Event{agent.Task{ID: l.Key + "-task", Key: l.Key, State: l.Status, Done: l.Status != "running"}}
	case "withdraw":
		return []agent.Event{agent.AskWithdrawn{Request: l.Request, Why: l.Text}}
	case "mode":
		return []agent.Event{agent.ModeChanged{Mode: vyre.Mode(l.Mode), Native: l.Mode}}
	case "end":
		p.busy = false
		end := agent.TurnEnded{Messages: l.Messages, Status: vyre.TurnStatus(l.Status), Limit: l.Limit}
		if l.Cost > 0 {
			end.Usage = &vyre.Usage{CostMicros: l.Cost}
		}
		return []agent.Event{end}
	case "limit":
		return []agent.Event{agent.Limit{Status: l.Status, ResetsAt: vyre.At(l.At)}}
	}
	return []agent.Event{agent.Raw{Name: l.Type, JSON: line}}
}

// peerProc is one running peer. Script is called for every frame it takes, once.
type peerProc struct {
	mu      sync.Mutex
	lines   []engine.Line
	end     int64
	grew    chan struct{}
	from    int64
	last    uint64
	took    chan struct{} // closed and replaced at each frame
	frames  []peerFrame
	gone    bool
	exit    agent.Exited
	done    chan struct{}
	stopped bool
	signals []string
	script  func(p *peerProc, f peerFrame)
	// Faults: so many calls fail before one works.
	failSend, failStop, failAccepted int
	deaf                             bool // it takes no input any more
	atStop                           func()
}

func newPeerProc(script func(*peerProc, peerFrame)) *peerProc {
	return &peerProc{grew: make(chan struct{}), took: make(chan struct{}), done: make(chan struct{}), script: script}
}

func (p *peerProc) say(all ...peerLine) {
	lines := make([]string, 0, len(all))
	for _, l := range all {
		b, _ := json.Marshal(l)
		lines = append(lines, string(b))
	}
	p.raw(lines...)
}

// raw writes lines, which are read together.
func (p *peerProc) raw(lines ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, line := range lines {
		p.end += int64(len(line)) + 1
		p.lines = append(p.lines, engine.Line{Bytes: []byte(line), End: p.end})
	}
	close(p.grew)
	p.grew = make(chan struct{})
}

func (p *peerProc) die(x agent.Exited) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.gone {
		p.gone, p.exit = true, x
		close(p.done)
		close(p.grew)
		p.grew = make(chan struct{})
	}
}

func (p *peerProc) Go(context.Context) (int, error) { return 4242, nil }

func (p *peerProc) Confined() (held, open []string) { return []string{"mount"}, []string{"/side"} }

func (p *peerProc) Send(_ context.Context, n uint64, b []byte) error {
	p.mu.Lock()
	if p.gone || p.deaf {
		p.mu.Unlock()
		return vyre.Errorf(vyre.CodeConflict, "the agent takes no more input")
	}
	if p.failSend > 0 {
		p.failSend--
		p.mu.Unlock()
		return vyre.Errorf(vyre.CodeTimeout, "the shim did not answer")
	}
	if n <= p.last {
		p.mu.Unlock()
		return nil
	}
	p.last = n
	var f peerFrame
	_ = json.Unmarshal(b, &f)
	p.frames = append(p.frames, f)
	close(p.took)
	p.took = make(chan struct{})
	p.mu.Unlock()
	p.script(p, f)
	return nil
}

func (p *peerProc) Accepted(context.Context) (uint64, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failAccepted > 0 {
		p.failAccepted--
		return 0, vyre.Errorf(vyre.CodeTimeout, "the shim did not answer")
	}
	return p.last, nil
}

func (p *peerProc) SetOffset(o int64) { p.mu.Lock(); p.from = o; p.mu.Unlock() }

func (p *peerProc) Read(ctx context.Context, _ int) ([]engine.Line, error) {
	for {
		p.mu.Lock()
		var out []engine.Line
		for _, l := range p.lines {
			if l.End > p.from {
				out = append(out, l)
			}
		}
		p.from = p.end
		grew, gone := p.grew, p.gone
		p.mu.Unlock()
		if len(out) > 0 {
			return out, nil
		}
		if gone {
			return nil, io.EOF
		}
		select {
		case <-grew:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (p *peerProc) Committed(int64) {}
func (p *peerProc) Release(int64)   {}
func (p *peerProc) Tree(context.Context) ([]engine.Member, error) {
	return []engine.Member{{PID: 1, PGID: 1, SID: 1}}, nil
}

func (p *peerProc) Signal(_ context.Context, s string) error {
	p.mu.Lock()
	p.signals = append(p.signals, s)
	p.mu.Unlock()
	return nil
}

func (p *peerProc) Stop(context.Context) error {
	p.mu.Lock()
	if p.failStop > 0 {
		p.failStop--
		p.mu.Unlock()
		return vyre.Errorf(vyre.CodeTimeout, "something does not end")
	}
	p.stopped = true
	atStop := p.atStop
	p.mu.Unlock()
	if atStop != nil {
		atStop()
	}
	p.die(agent.Exited{Code: -1, Signal: "killed"})
	return nil
}

func (p *peerProc) Done() <-chan struct{} { return p.done }
func (p *peerProc) Exit() agent.Exited    { p.mu.Lock(); defer p.mu.Unlock(); return p.exit }
func (p *peerProc) Detach()               {}

func (p *peerProc) said(what string) []peerFrame {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []peerFrame
	for _, f := range p.frames {
		if f.Say == what {
			out = append(out, f)
		}
	}
	return out
}

// sent waits for the n-th message that the peer was sent.
func (p *peerProc) sent(n int) peerFrame { return p.nth("send", n) }

// nth waits for the n-th frame of a kind.
func (p *peerProc) nth(what string, n int) peerFrame {
	for {
		p.mu.Lock()
		took := p.took
		p.mu.Unlock()
		if got := p.said(what); len(got) >= n {
			return got[n-1]
		}
		<-took
	}
}

// peers is the Launcher: what it started stays when the engine goes.
type peers struct {
	mu     sync.Mutex
	procs  map[vyre.SessionID]*peerProc
	order  []*peerProc
	script func(*peerProc, peerFrame)
	fail   error          // of Prepare
	gone   []vyre.Session // discarded
	born   func(*peerProc)
	args   [][]string // of each process: id, what it is copied from, up to where, whether it goes on
}

func (l *peers) Prepare(_ context.Context, s vyre.Session, cmd agent.Command) (vyre.Session, engine.Process, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fail != nil {
		return s, nil, l.fail
	}
	p := newPeerProc(l.script)
	if l.born != nil {
		l.born(p)
	}
	l.procs[s.ID] = p
	l.order = append(l.order, p)
	l.args = append(l.args, cmd.Args)
	s.PID, s.BootID, s.StartTime = 1000+len(l.order), "boot", 1
	return s, p, nil
}

func (l *peers) Adopt(_ context.Context, s vyre.Session) (engine.Process, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p, ok := l.procs[s.ID]; ok && s.PID != 0 {
		return p, nil
	}
	p := newPeerProc(l.script) // it never came to be
	p.die(agent.Exited{})
	return p, nil
}

func (l *peers) Discard(s vyre.Session) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.gone = append(l.gone, s)
	return nil
}

func (l *peers) discarded() []vyre.Session {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.gone)
}

// of is the process of a session.
func (l *peers) of(s vyre.SessionID) *peerProc {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.procs[s]
}

func (l *peers) newest() *peerProc {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.order[len(l.order)-1]
}

func (l *peers) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.order)
}
