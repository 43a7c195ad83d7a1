package threads

import (
	"vyre"
	"vyre/internal/registry"
)

// registerTerminal declares what a person knows from an agent's terminal.
func (m *Module) registerTerminal(r *registry.Registry) {
	registry.Define(r, vyre.Tool{
		Name: "threads.attach", Effect: vyre.EffectWrite, Reach: vyre.ReachPerson, MaxInput: maxAttach,
		Summary: "Keep a picture or a file, to go with a message of threads.send or threads.start. One that no message names is kept for a day.",
	}, m.attach)
	registry.Define(r, vyre.Tool{
		Name: "threads.suggest", Effect: vyre.EffectRead, Reach: vyre.ReachPerson,
		Summary: "Suggest the files that a person who types @ and a few letters may mean.",
	}, m.suggest)
	registry.Define(r, vyre.Tool{
		Name: "threads.commands", Effect: vyre.EffectRead, Reach: vyre.ReachSelf,
		Summary: "List the slash commands and skills that a session offers.",
	}, m.commands)
	registry.Define(r, vyre.Tool{
		Name: "threads.context", Effect: vyre.EffectRead, Reach: vyre.ReachSelf,
		Summary: "Say how a thread's context window is used.",
	}, m.contextUsage)
	registry.Define(r, vyre.Tool{
		Name: "threads.servers", Effect: vyre.EffectRead, Reach: vyre.ReachSelf,
		Summary: "List the MCP servers of a live session and how they are.",
	}, m.servers)
	registry.Define(r, vyre.Tool{
		Name: "threads.effort", Effect: vyre.EffectWrite, Reach: vyre.ReachPerson,
		Summary: "Set how hard a thread's model thinks.",
	}, m.effort)
	registry.Define(r, vyre.Tool{
		Name: "threads.export", Effect: vyre.EffectRead, Reach: vyre.ReachSelf,
		Summary: "Export a thread as Markdown or JSON, a page at a time from its beginning.",
	}, m.export)
	registry.Define(r, vyre.Tool{
		Name: "threads.delete", Effect: vyre.EffectWrite, Reach: vyre.ReachPerson, Decides: true,
		Summary: "Delete a thread that has no live session: its rows and the data of its events. Its folder stays, and the agent's transcript unless that is named.",
	}, m.remove)
}
