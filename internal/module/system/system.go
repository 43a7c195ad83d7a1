package system

import (
	"context"
	"os"
	"path/filepath"

	"vyre"
	"vyre/internal/registry"
)

// Store is what a status and a backup need of the store.
type Store interface {
	Counts(ctx context.Context) (threads, size int64, err error)
	Bounds(ctx context.Context) (floor, head vyre.Seq, err error)
	Verify(ctx context.Context) error
	Backup(ctx context.Context, path string) error
}

// Module holds what the tools need. Status fills in what the daemon knows of
// itself; Leave asks the daemon to end.
type Module struct {
	Again  func() // as Leave, so that a service manager starts the daemon again
	Build  func() Build
	Store  Store
	Status func(ctx context.Context, wait bool) Status
	Leave  func()
	Room   Room
}

// Register declares the tools.
func (m *Module) Register(r *registry.Registry) {
	registry.Define(r, vyre.Tool{
		Name: "daemon.status", Effect: vyre.EffectRead, Reach: vyre.ReachPerson,
		Summary: "How the daemon is: version, home, sessions, identity level, environment of agents.",
	}, m.status)
	registry.Define(r, vyre.Tool{
		Name: "daemon.backup", Effect: vyre.EffectAdmin, Reach: vyre.ReachPerson,
		Summary: "Write a whole copy of the store to a new file, while running.",
	}, m.backup)
	registry.Define(r, vyre.Tool{
		Name: "daemon.verify", Effect: vyre.EffectRead, Reach: vyre.ReachPerson,
		Summary: "Check the store and the hash chain of its log.",
	}, m.verify)
	registry.Define(r, vyre.Tool{
		Name: "daemon.stop", Effect: vyre.EffectAdmin, Reach: vyre.ReachPerson,
		Summary: "End the daemon. Agents work on; the next daemon takes them over.",
	}, m.stop)
	m.registerRoom(r)
}

// Empty is the input of tools that take none.
type Empty struct{}

// Status is the output of daemon.status.
type Status struct {
	Version  string    `json:"version"`
	Build    Build     `json:"build"`
	PID      int       `json:"pid"`
	Home     string    `json:"home"`
	Listen   string    `json:"listen"`
	URL      string    `json:"url"`
	Socket   string    `json:"socket"`
	Started  vyre.Time `json:"started"`
	Sessions int       `json:"sessions"` // sessions with a process
	Threads  int64     `json:"threads"`
	Head     vyre.Seq  `json:"head"`
	Floor    vyre.Seq  `json:"floor"`
	DBBytes  int64     `json:"db_bytes"` // of the store, in bytes
	RSSBytes int64     `json:"rss_bytes"`

	Room RoomState `json:"room"`

	Level       string       `json:"level"`       // L0–L5
	Cgroup      string       `json:"cgroup"`      // where control groups are made, or empty
	LevelMeans  string       `json:"level_means"` // what it does not stop
	LevelWhy    string       `json:"level_why"`   // what keeps it from being higher
	LevelRaise  string       `json:"level_raise"` // the one command that would raise it, or empty
	Doubt       string       `json:"doubt"`       // why a terminal's answer is doubted at the moment, or empty
	Confinement Confinement  `json:"confinement"`
	Credentials []Credential `json:"credentials"` // what sessions of each provider take
	Brokers     []Brokered   `json:"brokers"`     // sessions that don't hold their credential
	Environment Environment  `json:"environment"`
}

// Confinement is how sessions that start now are shut in.
type Confinement struct {
	Setting string    `json:"setting"` // auto, require, off
	Debug   bool      `json:"debug"`
	Whole   bool      `json:"whole"`   // every part holds
	Parts   []string  `json:"parts"`   // that hold: mount, caps, files, scope, calls
	Missing []Missing `json:"missing"` // what this machine does not give
}

// Missing is one thing that this machine does not give, and what would.
type Missing struct {
	What string `json:"what"`
	Why  string `json:"why"`
	Fix  string `json:"fix"` // one command, or empty where none helps
}

// Credential is what sessions of a provider take, by reference: never a value.
type Credential struct {
	Provider string `json:"provider"`
	Kind     string `json:"kind"`     // login | setup-token | api-key
	From     string `json:"from"`     // config | vault (unset, and the item is stored) | default
	Item     string `json:"item"`     // the vault item, or empty
	Stored   bool   `json:"stored"`   // that item is there
	Fallback string `json:"fallback"` // what it goes on with at a limit, or empty: it waits
	Brokered bool   `json:"brokered"` // the agent gets a key of its session's own in its place
}

// Brokered is what passed the broker of one session since the daemon serves it: its
// usage is the vendor's own count, to hold the agent's against.
type Brokered struct {
	Thread   vyre.ThreadID `json:"thread"`
	Address  string        `json:"address"`
	Kind     string        `json:"kind"`
	Requests int64         `json:"requests"`
	Refused  int64         `json:"refused"`
	vyre.Usage
}

// Environment is what agents get of the person's login shell. Names only.
type Environment struct {
	From    string    `json:"from"` // how it was captured, or why not
	Names   []string  `json:"names"`
	Refused []Refused `json:"refused"`
	Exposed []string  `json:"exposed"` // settings that look like credentials: every command of an agent can read them
}

// Refused is a variable that agents don't get, with the reason.
type Refused struct {
	Name   string `json:"name"`
	From   string `json:"from"`
	Reason string `json:"reason"`
}

// StatusIn is the input of daemon.status.
type StatusIn struct {
	Wait bool `json:"wait,omitempty" jsonschema:"wait until the login shell's environment is there; it may take seconds after a start"`
}

func (m *Module) status(ctx context.Context, _ vyre.Caller, in StatusIn) (Status, error) {
	s := m.Status(ctx, in.Wait)
	s.Build = m.Build()
	var err error
	if s.Threads, s.DBBytes, err = m.Store.Counts(ctx); err != nil {
		return s, err
	}
	s.Floor, s.Head, err = m.Store.Bounds(ctx)
	return s, err
}

// BackupIn is the input of daemon.backup.
type BackupIn struct {
	Path string `json:"path" jsonschema:"absolute path of a file that does not exist yet"`
}

// BackupOut is the output of daemon.backup.
type BackupOut struct {
	Path  string `json:"path"`
	Bytes int64  `json:"bytes"`
}

func (m *Module) backup(ctx context.Context, _ vyre.Caller, in BackupIn) (BackupOut, error) {
	if !filepath.IsAbs(in.Path) {
		return BackupOut{}, vyre.Invalid("path", "%q is not an absolute path", in.Path)
	}
	if _, err := os.Lstat(in.Path); err == nil {
		return BackupOut{}, vyre.Errorf(vyre.CodeConflict, "there is something at that path already").
			WithHint("Choose a new name: a backup never replaces a file.")
	}
	if err := m.Store.Backup(ctx, in.Path); err != nil {
		return BackupOut{}, err
	}
	st, err := os.Stat(in.Path)
	if err != nil {
		return BackupOut{}, err
	}
	return BackupOut{in.Path, st.Size()}, nil
}

// VerifyOut is the output of daemon.verify.
type VerifyOut struct {
	OK bool `json:"ok"`
}

func (m *Module) verify(ctx context.Context, _ vyre.Caller, _ Empty) (VerifyOut, error) {
	err := m.Store.Verify(ctx)
	return VerifyOut{err == nil}, err
}

// StopOut is the output of daemon.stop.
type StopOut struct {
	Leaving bool `json:"leaving"`
}
