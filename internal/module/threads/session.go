package threads

import (
	"context"
	"encoding/json"

	"vyre"
	"vyre/agent"
	"vyre/internal/engine"
)

// CommandsIn is the input of threads.commands.
type CommandsIn struct {
	Thread   vyre.ThreadID `json:"thread,omitempty" jsonschema:"the thread whose session is meant"`
	Provider string        `json:"provider,omitempty" jsonschema:"instead of a thread: what this agent's newest session offered"`
}

// ThreadRef tells the registry which thread a call is about.
func (in CommandsIn) ThreadRef() vyre.ThreadID { return in.Thread }

// CommandsOut is the output of threads.commands: slash commands and skills, in the
// agent's order. Live says that the thread's own session said so; else it is what the
// provider's newest session offered, perhaps in another folder.
type CommandsOut struct {
	Commands []agent.CommandInfo `json:"commands"`
	Live     bool                `json:"live"`
}

func (m *Module) commands(ctx context.Context, _ vyre.Caller, in CommandsIn) (CommandsOut, error) {
	if (in.Thread == "") == (in.Provider == "") {
		return CommandsOut{}, vyre.Invalid("thread", "give thread or provider")
	}
	if in.Thread != "" {
		th, err := m.Store.Thread(ctx, in.Thread)
		if err != nil {
			return CommandsOut{}, err
		}
		said, ok, err := m.Engine.Said(ctx, in.Thread)
		if err != nil {
			return CommandsOut{}, err
		}
		if ok && len(said.Commands) > 0 {
			return CommandsOut{filled(said.Commands), true}, nil
		}
		in.Provider = th.Provider
	}
	seen, ok := m.Engine.Seen(in.Provider)
	if !ok {
		return CommandsOut{}, vyre.Errorf(vyre.CodeUnavailable, "no session of %q has said yet what it offers", in.Provider).
			WithHint("Start a thread with it, or resume one.")
	}
	return CommandsOut{Commands: filled(seen.Commands)}, nil
}

// ContextOut is the output of threads.context, in tokens. Live says that the session
// was asked; else it is what the last turn left, without the parts.
type ContextOut struct {
	agent.ContextUsage
	Live bool `json:"live"`
}

func (m *Module) contextUsage(ctx context.Context, _ vyre.Caller, in Ref) (ContextOut, error) {
	var out ContextOut
	err := m.ask(ctx, in.Thread, agent.GetContext{}, &out.ContextUsage)
	if err == nil {
		out.Live, out.Parts = true, filled(out.Parts)
		return out, nil
	}
	if vyre.CodeOf(err) == vyre.CodeNotFound {
		return out, err
	}
	th, terr := m.Store.Thread(ctx, in.Thread)
	if terr != nil {
		return out, terr
	}
	for n := th.Turns; n > 0 && n > th.Turns-20; n-- {
		u, ok, terr := m.Store.Turn(ctx, vyre.MakeTurnID(in.Thread, n))
		if terr != nil {
			return out, terr
		}
		if ok && u.Usage != nil && u.Usage.ContextTokens > 0 {
			out.Tokens, out.Window, out.Parts = u.Usage.ContextTokens, u.Usage.ContextWindow, []agent.ContextShare{}
			return out, nil
		}
	}
	return out, err
}

// ServersOut is the output of threads.servers: the MCP servers of the session.
type ServersOut struct {
	Servers []agent.ServerStatus `json:"servers"`
}

func (m *Module) servers(ctx context.Context, _ vyre.Caller, in Ref) (ServersOut, error) {
	var out ServersOut
	err := m.ask(ctx, in.Thread, agent.GetServers{}, &out.Servers)
	out.Servers = filled(out.Servers)
	return out, err
}

// ask puts a question to the thread's session and reads the answer.
func (m *Module) ask(ctx context.Context, thread vyre.ThreadID, what agent.Say, into any) error {
	b, err := m.Engine.Query(ctx, thread, what)
	if err != nil {
		return err
	}
	if len(b) == 0 {
		return nil
	}
	if err := json.Unmarshal(b, into); err != nil {
		return vyre.Errorf(vyre.CodeUnavailable, "the agent's answer was not understood").Because(err)
	}
	return nil
}

// EffortIn is the input of threads.effort.
type EffortIn struct {
	Thread vyre.ThreadID `json:"thread" jsonschema:"the thread"`
	Effort string        `json:"effort" jsonschema:"the agent's word, for Claude Code low, medium, high, xhigh or max; empty is its default"`
}

func (m *Module) effort(ctx context.Context, c vyre.Caller, in EffortIn) (vyre.Thread, error) {
	if err := m.Engine.SetEffort(ctx, in.Thread, in.Effort, c.String()); err != nil {
		return vyre.Thread{}, err
	}
	return m.Store.Thread(ctx, in.Thread)
}

// session is the part of the engine that these tools need.
type session interface {
	Query(ctx context.Context, thread vyre.ThreadID, what agent.Say) (json.RawMessage, error)
	Said(ctx context.Context, thread vyre.ThreadID) (agent.Ready, bool, error)
	Seen(provider string) (agent.Ready, bool)
	SetEffort(ctx context.Context, thread vyre.ThreadID, effort, by string) error
	Delete(ctx context.Context, thread vyre.ThreadID, transcript, dry bool, by string) ([]string, error)
}

var _ session = (*engine.Engine)(nil)
