package claude

import (
	"os"

	"vyre"
	"vyre/agent"
)

// Provider is Claude Code. Make one with New.
type Provider struct {
	path string // list of folders, as in PATH
	home string
}

var _ agent.Provider = (*Provider)(nil)

// Option changes how New looks for the agent.
type Option func(*Provider)

// WithSearchPath sets the folders where Detect looks, as in PATH; by default
// those of this process.
func WithSearchPath(path string) Option { return func(p *Provider) { p.path = path } }

// WithHome sets the home folder where Detect looks for the vendor's own
// installation; by default that of this process.
func WithHome(dir string) Option { return func(p *Provider) { p.home = dir } }

// New returns the provider.
func New(opts ...Option) *Provider {
	p := &Provider{path: os.Getenv("PATH"), home: os.Getenv("HOME")}
	for _, o := range opts {
		o(p)
	}
	return p
}

// Info implements agent.Provider.
func (*Provider) Info() agent.Info {
	return agent.Info{
		Name: "claude", Driver: "claude", Label: "Claude Code",
		Capabilities: agent.Capabilities{
			Streaming: true, Resume: true, OwnID: true, Interrupt: true, Steer: true,
			Questions: true, Plans: true, SetMode: true, SetModel: true, History: true,
			InstantStop: true, Compact: true, Tasks: true, SetEffort: true, Attachments: true,
			Suggest: true, Context: true, Fork: true, Rewind: true, RewindFiles: true, Hooks: true,
			Tools: true,
		},
		Modes: []agent.ModeInfo{
			{Mode: vyre.ModeAsk, Native: "default", Label: "Ask before changes"},
			{Mode: vyre.ModeEdits, Native: "acceptEdits", Label: "Accept edits"},
			{Mode: vyre.ModePlan, Native: "plan", Label: "Plan only"},
		},
		Models: []agent.ModelInfo{},
		Large:  "opus", Small: "haiku", // its own aliases, which move with its releases
		Executables:   []string{"claude"},
		Folders:       []string{"/@anthropic-ai/claude-code/", "/@anthropic-ai/claude-agent-sdk", "/claude/versions/"},
		SubagentTools: []string{"Agent", "Task"}, // its name on the wire, and the one it goes by in lists
	}
}

// Protocol implements agent.Provider.
func (*Provider) Protocol(o agent.Options) agent.Protocol { return newProtocol(o) }

// nativeMode is the agent's word for one of our modes.
func nativeMode(m vyre.Mode) (string, bool) {
	switch m {
	case vyre.ModeAsk, "":
		return "default", true
	case vyre.ModeEdits:
		return "acceptEdits", true
	case vyre.ModePlan:
		return "plan", true
	}
	return "", false
}

// ourMode is the mode that the agent's word stands for, or empty: then the
// session is in a mode that we never set.
func ourMode(native string) vyre.Mode {
	switch native {
	case "default", "manual":
		return vyre.ModeAsk
	case "acceptEdits":
		return vyre.ModeEdits
	case "plan":
		return vyre.ModePlan
	}
	return ""
}
