package daemon

import (
	"maps"
	"os"

	"vyre"
	"vyre/agent"
	"vyre/internal/confine"
	"vyre/internal/identity"
)

// open shows identity the engine's sessions; the engine is made after it.
type open struct{ h *house }

func (o open) Open() []vyre.Session { return o.h.engine.Sessions() }

// newPeers makes what tells who calls on the sockets.
func (h *house) newPeers(drivers []agent.Provider) *identity.Peers {
	programs := agentPrograms(drivers)
	return identity.NewPeers(open{h}, programs.Executables,
		identity.WithFolders(programs.Folders), identity.WithSelf(os.Getpid()), identity.WithNext(h.nextSession))
}

// nextSession is what a session that is started now has.
func (h *house) nextSession() identity.Facts {
	p := h.shims.Parts()
	return identity.Facts{
		Cgroup: h.shims.CgroupParent() != "",
		Scoped: p.Has(confine.Scope | confine.Files), Filtered: p.Has(confine.Calls), Mount: p.Has(confine.Mount | confine.Caps),
	}
}

// others are agents that a person may run without us and that no driver here speaks
// to: what runs below one is not the person. Names are those of the programs, folders
// those of their packages, as their installers make them.
var others = identity.Programs{
	Executables: []string{"codex", "gemini", "opencode", "qwen", "goose", "cursor-agent", "aider", "amp", "crush", "droid", "copilot"},
	Folders: map[string]string{
		"/@openai/codex": "codex", "/@google/gemini-cli": "gemini", "/opencode-ai/": "opencode", "/@qwen-code/qwen-code": "qwen",
		"/@sourcegraph/amp": "amp", "/@github/copilot": "copilot", "/cursor-agent/versions/": "cursor-agent",
	},
}

// agentPrograms is what the drivers know of their own programs, and the others.
func agentPrograms(drivers []agent.Provider) identity.Programs {
	out := identity.Programs{Folders: map[string]string{}}
	for _, p := range drivers {
		info := p.Info()
		out.Executables = append(out.Executables, info.Executables...)
		for _, f := range info.Folders {
			out.Folders[f] = info.Name
		}
	}
	out.Executables = append(out.Executables, others.Executables...)
	maps.Copy(out.Folders, others.Folders)
	return out
}
