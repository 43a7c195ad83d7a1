package daemon

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"vyre"
	"vyre/internal/config"
	"vyre/internal/install"
	"vyre/internal/module/system"
	"vyre/internal/room"
	"vyre/internal/store/sqlite"
)

const day = 24 * time.Hour

func retention(c config.Retention) sqlite.Retention {
	days := func(n int) time.Duration { return time.Duration(n) * day }
	return sqlite.Retention{
		Words: days(c.WordsDays), Events: days(c.EventsDays), Raw: days(c.RawDays), Outputs: days(c.OutputsDays),
	}
}

// openStore opens the database. That takes a little room on the disk: where there is
// none, what was kept back for it is given up.
func (h *house) openStore(ctx context.Context) (*sqlite.DB, error) {
	open := func() (*sqlite.DB, error) {
		return sqlite.Open(ctx, h.layout.DB(), sqlite.Options{
			Now: time.Now, Log: h.opt.Log,
			Clean:     func(c *vyre.Commit) { h.redact.Now().Commit(c) },
			OnCommit:  func(evs []vyre.Event) { h.feed.Publish(evs) },
			Retention: retention(h.cfg.Retention),
		})
	}
	db, err := open()
	if h.madeRoom(err) {
		return open()
	}
	return db, err
}

// madeRoom gives up what was kept back, if err says that the disk is full.
func (h *house) madeRoom(err error) bool {
	if vyre.CodeOf(err) != vyre.CodeNoSpace || !room.Release(h.layout.Reserve()) {
		return false
	}
	h.opt.Log.Warn("the disk is full: what was kept back is given up")
	return true
}

// newKeeper makes who looks after the room of the home.
func (h *house) newKeeper() *room.Keeper {
	return room.New(room.Config{
		Places: room.Places{
			Home: h.layout.Home, Sessions: h.layout.Sessions(), Attach: h.layout.Attach(),
			Agents: h.layout.Agents(), Worktrees: h.layout.Worktrees(), DB: h.layout.DB(), Reserve: h.layout.Reserve(),
		},
		Store:  stored{h.db},
		Budget: int64(h.cfg.Retention.DiskBudgetMB) << 20, Floor: int64(h.cfg.Retention.FreeFloorMB) << 20,
		Leftover: h.leftover, AgentInUse: h.agentInUse, Tell: h.tellRoom, Log: h.opt.Log,
	})
}

// tellRoom writes the event. With a full disk that may fail: status and doctor say
// it all the same.
func (h *house) tellRoom(ctx context.Context, s room.State) {
	h.opt.Log.Warn("the room on the disk changed", "level", string(s.Level), "free", s.Free, "used", s.Used)
	h.engine.CallLine()
	e := vyre.NewEvent("", "", system.DaemonRoom{Level: string(s.Level), Free: s.Free, Floor: s.Floor, Used: s.Used, Budget: s.Budget})
	if err := h.db.Commit(ctx, &vyre.Commit{Events: []vyre.Event{e}}); err != nil && ctx.Err() == nil {
		h.opt.Log.Warn("the event of it could not be written", "error", err)
	}
}

// agentInUse reports whether a version's folder is needed: it is the pinned one, the
// settings name it, or a session may run from it. Where the system doesn't say
// what a process runs, every version is needed while sessions live.
func (h *house) agentInUse(folder string) bool {
	folder = resolved(folder)
	within := func(path string) bool {
		return path != "" && strings.HasPrefix(resolved(path)+"/", folder+"/")
	}
	pin := install.Claude()
	if within(filepath.Join(h.layout.Agents(), pin.Provider, pin.Version)) {
		return true
	}
	for _, p := range h.cfg.Providers {
		if filepath.IsAbs(p.Runtime) && within(p.Runtime) {
			return true
		}
	}
	for _, s := range h.engine.Sessions() {
		exe, err := os.Readlink(filepath.Join("/proc", strconv.Itoa(s.AgentPID), "exe"))
		if s.AgentPID == 0 || err != nil || within(strings.TrimSuffix(exe, " (deleted)")) {
			return true
		}
	}
	return false
}

// resolved follows links, as far as what is named is there.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return filepath.Clean(path)
}

// stored is the store as room sees it.
type stored struct{ db *sqlite.DB }

func (s stored) Stored(ctx context.Context) (room.Stored, error) {
	u, err := s.db.Disk(ctx)
	return room.Stored{
		Size: u.Size(), Words: u.Words, Raw: u.Raw, Outputs: u.Outputs, Free: u.Free, CanShrink: u.CanShrink,
	}, err
}

func (s stored) Size() int64 { return s.db.Size() }

func (s stored) Prune(ctx context.Context, a room.Ages) (int, error) {
	p, err := s.db.Prune(ctx, sqlite.Retention{Words: a.Words, Events: a.Events, Raw: a.Raw, Outputs: a.Outputs})
	return p.Words + p.Events + p.Raw + p.Outputs, err
}

func (s stored) Shrink(ctx context.Context) error {
	_, err := s.db.Shrink(ctx)
	return err
}

// roomTools is the Keeper as the tools see it.
type roomTools struct{ h *house }

func (r roomTools) Usage(ctx context.Context) ([]system.RoomUse, system.RoomState, error) {
	uses, _, err := r.h.room.Usage(ctx)
	var out []system.RoomUse
	for _, u := range uses {
		out = append(out, system.RoomUse{
			Class: string(u.Class), Within: string(u.Within), Bytes: u.Bytes, Count: u.Count, Freeable: u.Freeable, How: u.How,
		})
	}
	return out, r.h.roomState(), err
}

func (r roomTools) Clean(ctx context.Context) (system.CleanOut, error) {
	c, err := r.h.room.Clean(ctx)
	return system.CleanOut{Agents: c.Agents, Sessions: c.Sessions, Database: c.Database, Freed: c.Freed}, err
}

func (h *house) roomState() system.RoomState {
	s := h.room.State()
	return system.RoomState{
		Level: string(s.Level), Free: s.Free, Total: s.Total, Floor: s.Floor, Used: s.Used, Budget: s.Budget,
		Parked: h.engine.WaitingForSpace(),
	}
}
