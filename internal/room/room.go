package room

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"vyre"
)

// Class is one kind of what a home holds.
type Class string

// The classes, as vyre du lists them.
const (
	Database    Class = "database"
	Words       Class = "words"   // within the database
	Raw         Class = "raw"     // within the database
	Outputs     Class = "outputs" // within the database
	Free        Class = "free"    // within the database: pages that hold nothing
	Sessions    Class = "sessions"
	Attachments Class = "attachments"
	Agents      Class = "agents"
	Worktrees   Class = "worktrees"
	Other       Class = "other"
)

// Stored is what the store says of itself, in bytes.
type Stored struct {
	Size, Words, Raw, Outputs, Free int64
	CanShrink                       bool
}

// Ages says what goes: what is older, class by class; zero keeps.
type Ages struct{ Words, Events, Raw, Outputs time.Duration }

// Store is what can be asked of the database. Errors are *vyre.Error.
type Store interface {
	// Stored adds up the classes; Size says only how large the files are.
	Stored(ctx context.Context) (Stored, error)
	Size() int64
	// Prune drops what is older and says how many rows that was.
	Prune(ctx context.Context, older Ages) (int, error)
	// Shrink gives free pages back to the disk.
	Shrink(ctx context.Context) error
}

// Places are the folders of a home, absolute.
type Places struct {
	Home, Sessions, Attach, Agents, Worktrees string
	// DB is the database; its -wal and -shm belong to it.
	DB string
	// Reserve is a file that is kept to be given up when the disk is full; "": none.
	Reserve string
}

// Config is what a Keeper is made of.
type Config struct {
	Places Places
	Store  Store
	Budget int64 // bytes; 0: none
	Floor  int64 // bytes that must be free for a new session; 0: none
	// Leftover lists the folders of sessions that ended and still lie there.
	Leftover func(ctx context.Context) ([]string, error)
	// AgentInUse reports whether the program folder of an agent's version is one
	// that is needed: the pinned one, or one that a session may run.
	AgentInUse func(folder string) bool
	// Tell says what a person should know, once for each change.
	Tell func(ctx context.Context, s State)
	// Disk gives the free and total bytes of the disk that holds a folder; nil asks
	// the system.
	Disk func(folder string) (free, total int64, err error)
	// Tick gives the moments at which Run looks; nil means a time.Timer.
	Tick func(d time.Duration) (<-chan time.Time, func())
	Log  *slog.Logger
}

// How often Run looks. The disk's free space is one call, what the home takes
// means walking folders.
const (
	lookEvery  = 15 * time.Second
	measureAll = 20 // looks
)

// Level says how it stands, from good to bad.
type Level string

// The levels.
const (
	Fine   Level = "ok"
	Near   Level = "near" // 80 % of the budget, or little more free than the floor
	Over   Level = "over" // above the budget, and nothing more may go
	NoRoom Level = "full" // below the floor: no new session is started
)

// State is how the room stands. Bytes.
type State struct {
	Level  Level
	Free   int64 // on the home's disk
	Total  int64
	Floor  int64
	Used   int64 // by the home, worktrees not counted; as of the last look
	Budget int64
}

// Keeper looks after the room of one home.
type Keeper struct {
	cfg Config

	mu    sync.Mutex // guards what follows
	state State
	told  Level
}

// New makes a Keeper that does nothing until Run.
func New(cfg Config) *Keeper {
	if cfg.Disk == nil {
		cfg.Disk = diskOf
	}
	if cfg.Tick == nil {
		cfg.Tick = func(d time.Duration) (<-chan time.Time, func()) {
			t := time.NewTimer(d)
			return t.C, func() { t.Stop() }
		}
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return &Keeper{cfg: cfg, state: State{Level: Fine, Floor: cfg.Floor, Budget: cfg.Budget}, told: Fine}
}

// Run keeps the reserve and looks at the disk now and then until ctx ends. It first
// looks one interval after its start: a start has better things to do.
func (k *Keeper) Run(ctx context.Context) error {
	k.keepReserve()
	for n := 0; ; n++ {
		tick, release := k.cfg.Tick(lookEvery)
		select {
		case <-ctx.Done():
			release()
			return nil
		case <-tick:
		}
		k.look(ctx, n%measureAll == 0)
	}
}

// look takes the figures, makes room where the budget wants it, and tells when
// the level changed.
func (k *Keeper) look(ctx context.Context, whole bool) {
	if whole {
		if err := k.fit(ctx); err != nil && ctx.Err() == nil {
			k.cfg.Log.Warn("no room could be made", slog.String("error", err.Error()))
		}
	}
	k.keepReserve()
	s := k.State()
	k.mu.Lock()
	changed := s.Level != k.told
	k.told = s.Level
	k.mu.Unlock()
	if changed && k.cfg.Tell != nil {
		k.cfg.Tell(ctx, s)
	}
}

// State is how the room stands now.
func (k *Keeper) State() State {
	free, total, err := k.cfg.Disk(k.cfg.Places.Home)
	k.mu.Lock()
	defer k.mu.Unlock()
	if err == nil { // a disk that says nothing is not held against it
		k.state.Free, k.state.Total = free, total
	}
	s := &k.state
	known := s.Total > 0
	switch {
	case known && s.Floor > 0 && s.Free < s.Floor:
		s.Level = NoRoom
	case s.Budget > 0 && s.Used > s.Budget:
		s.Level = Over
	case s.Budget > 0 && s.Used > s.Budget/5*4, known && s.Floor > 0 && s.Free < s.Floor*2:
		s.Level = Near
	default:
		s.Level = Fine
	}
	return *s
}

// Space refuses a new session while the disk has less than the floor. Errors:
// no_space.
func (k *Keeper) Space() error {
	s := k.State()
	if s.Level != NoRoom {
		return nil
	}
	return vyre.Errorf(vyre.CodeNoSpace, "the disk has less free space than a new session may need").
		WithHint("Make room: `vyre du` says what uses how much. [retention] free_floor_mb is the bound.").
		WithDetail("free_bytes", s.Free).WithDetail("floor_bytes", s.Floor)
}
