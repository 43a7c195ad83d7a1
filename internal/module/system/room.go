package system

import (
	"context"

	"vyre"
	"vyre/internal/registry"
)

// Room looks after the disk. internal/room does it; the daemon hands it in.
type Room interface {
	Usage(ctx context.Context) ([]RoomUse, RoomState, error)
	Clean(ctx context.Context) (CleanOut, error)
}

// RoomState is how the room on the home's disk stands. Sizes are bytes.
type RoomState struct {
	Level  string `json:"level"` // ok, near (80 % of the budget, or near the floor), over (above the budget), full (below the floor: no new session)
	Free   int64  `json:"free"`  // on the home's disk
	Total  int64  `json:"total"`
	Floor  int64  `json:"floor"`
	Used   int64  `json:"used"` // by the home without its worktrees, as last measured; 0 before that
	Budget int64  `json:"budget"`
	Parked int    `json:"parked"` // threads that can't write down what their agent said, and wait for room
}

// DaemonRoom is the event daemon.room.
type DaemonRoom struct {
	Level  string `json:"level"`
	Free   int64  `json:"free"`
	Floor  int64  `json:"floor"`
	Used   int64  `json:"used"`
	Budget int64  `json:"budget"`
}

// EventKind implements vyre.EventData.
func (DaemonRoom) EventKind() vyre.Kind { return "daemon.room" }

func (m *Module) registerRoom(r *registry.Registry) {
	registry.Define(r, vyre.Tool{
		Name: "daemon.du", Effect: vyre.EffectRead, Reach: vyre.ReachPerson,
		Summary: "What of the home uses how much of the disk, and what could be freed, by what.",
	}, m.du)
	registry.Define(r, vyre.Tool{
		Name: "daemon.clean", Effect: vyre.EffectAdmin, Reach: vyre.ReachPerson,
		Summary: "Remove what nothing needs: old versions of agents, folders of ended sessions, empty pages of the database. Nothing a person made.",
	}, m.clean)
	registry.DefineEvent[DaemonRoom](r, "The room on the home's disk, or in its budget, got short, or is there again.")
}

// RoomUse is what one class takes.
type RoomUse struct {
	Class    string `json:"class"`
	Within   string `json:"within,omitempty"` // the class it is a part of
	Bytes    int64  `json:"bytes"`
	Count    int    `json:"count,omitempty"`
	Freeable int64  `json:"freeable"` // could go without anything of a person's
	How      string `json:"how"`      // what makes it less
}

// DuOut is the output of daemon.du.
type DuOut struct {
	Uses []RoomUse `json:"uses"`
	Room RoomState `json:"room"`
}

func (m *Module) du(ctx context.Context, _ vyre.Caller, _ Empty) (DuOut, error) {
	uses, state, err := m.Room.Usage(ctx)
	if uses == nil {
		uses = []RoomUse{}
	}
	return DuOut{uses, state}, err
}

// CleanOut is the output of daemon.clean. Sizes are bytes.
type CleanOut struct {
	Agents   []string `json:"agents"`   // versions that were removed, <provider>/<version>
	Sessions int64    `json:"sessions"` // folders of sessions that ended
	Database int64    `json:"database"` // empty pages and the write-ahead log
	Freed    int64    `json:"freed"`    // all of it
}

func (m *Module) clean(ctx context.Context, _ vyre.Caller, _ Empty) (CleanOut, error) {
	out, err := m.Room.Clean(ctx)
	if out.Agents == nil {
		out.Agents = []string{}
	}
	return out, err
}
