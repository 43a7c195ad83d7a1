package daemon

import (
	"vyre/agent"
	"vyre/internal/door/session"
)

// offer hands the tools of the session door to the engine.
type offer struct{ *session.Door }

// Offer implements engine.Tools.
func (o offer) Offer() []agent.ToolSpec {
	var out []agent.ToolSpec
	for _, s := range o.Door.Offer() {
		out = append(out, agent.ToolSpec(s))
	}
	return out
}
