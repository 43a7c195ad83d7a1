package daemon

import (
	"vyre"
	"vyre/internal/config"
	"vyre/internal/engine/slots"
)

// slotBounds reads the bounds of parallel work from the settings.
func slotBounds(c config.Sessions) map[vyre.SlotKind]slots.Bound {
	return map[vyre.SlotKind]slots.Bound{
		vyre.SlotSubagent: {Node: c.Subagents, Project: c.SubagentsProject},
		vyre.SlotTeammate: {Node: c.Teammates, Project: c.TeammatesProject},
	}
}
