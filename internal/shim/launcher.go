package shim

import (
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"vyre"
	"vyre/internal/confine"
	"vyre/internal/shim/cgroup"
	"vyre/internal/shim/procs"
	"vyre/internal/shim/proto"
)

// Config is what a Launcher needs. Home and RuntimeDir are required; the zero
// values of the rest are what a daemon wants.
type Config struct {
	Home       string       // absolute; the shim is installed in its bin folder
	RuntimeDir string       // absolute, 0700, exists; control sockets go there
	Log        *slog.Logger // nil: nowhere

	// OnFull is told when a session's parent finds no room on the disk for what its
	// agent says, and when it does again. It must not wait. Nil: nobody wants to know.
	OnFull func(thread vyre.ThreadID, full bool)

	Confine Confinement // how sessions are shut in

	// NoCgroup does without control groups: sessions are then of level L1.
	NoCgroup bool
	// Program is the shim's binary; nil is the embedded one.
	Program []byte

	EndGrace  time.Duration // after the end of input; 0: 3 s
	TermGrace time.Duration // after TERM; 0: 2 s
	KillWait  time.Duration // how long Stop waits for the proof after KILL; 0: 5 s

	SegmentBytes int64 // of the spool; 0: 8 MiB
	BoundBytes   int64 // output that may wait to be committed; 0: 256 MiB

	Orphan    time.Duration // a prepared session without a daemon ends itself; 0: 10 s
	Leftovers time.Duration // so do a dead agent's descendants; 0: 30 s
}

// Launcher starts and finds the parents of sessions. It implements
// engine.Launcher. Its methods may be called from any goroutine.
type Launcher struct {
	cfg    Config
	bootID string
	parent string // where control groups are made, or ""

	examine sync.Once
	report  confine.Report // once examined

	mu   sync.Mutex                // guards the following, and installs one at a time
	sum  string                    // of the shim's program, hex; "" until it is needed
	said map[vyre.SessionID]uint16 // the protocol version of each parent that said hello
	lost []int                     // pidfds of shims let go alive that may be our children
}

// startTime bounds how long a shim takes to say who it is.
const startTime = 5 * time.Second

// maxSocketPath is what fits into sun_path on every system we run on.
const maxSocketPath = 103

// New makes a Launcher. Errors: invalid for a missing or unfit folder, internal
// where this machine can't be read.
func New(cfg Config) (*Launcher, error) {
	if !filepath.IsAbs(cfg.Home) {
		return nil, vyre.Invalid("home", "must be an absolute path")
	}
	if !filepath.IsAbs(cfg.RuntimeDir) {
		return nil, vyre.Invalid("runtime_dir", "must be an absolute path")
	}
	cfg.setDefaults()
	boot, err := procs.BootID()
	if err != nil {
		return nil, fault("this machine does not say which boot it is in", err)
	}
	l := &Launcher{cfg: cfg, bootID: boot, said: map[vyre.SessionID]uint16{}}
	if len(l.socketPath("")) > maxSocketPath {
		return nil, vyre.Invalid("runtime_dir", "is too long for a socket path (at most %d bytes with the name)", maxSocketPath)
	}
	if !cfg.NoCgroup {
		l.parent, _ = cgroup.Parent() // none: level L1, and the session says so
	}
	return l, nil
}

func (c *Config) setDefaults() {
	def := func(d *time.Duration, v time.Duration) {
		if *d <= 0 {
			*d = v
		}
	}
	def(&c.EndGrace, 3*time.Second)
	def(&c.TermGrace, proto.DefaultTermGrace)
	def(&c.KillWait, 5*time.Second)
	def(&c.Orphan, proto.DefaultOrphan)
	def(&c.Leftovers, proto.DefaultLeftovers)
	if c.SegmentBytes <= 0 {
		c.SegmentBytes = proto.DefaultSegment
	}
	if c.BoundBytes <= 0 {
		c.BoundBytes = proto.DefaultBound
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
}

// short is the session's name where space is scarce. It depends on nothing but
// the home and the id, so a daemon that knows only these finds what an earlier
// one made before it died.
func (l *Launcher) short(id vyre.SessionID) string {
	h := sha256.Sum256([]byte(l.cfg.Home + "\x00" + string(id)))
	return hex.EncodeToString(h[:8])
}

func (l *Launcher) socketPath(id vyre.SessionID) string {
	return filepath.Join(l.cfg.RuntimeDir, l.short(id)+".sock")
}

func (l *Launcher) groupName(id vyre.SessionID) string { return "vyre-" + l.short(id) }

// Level is the identity level that sessions started now will have: L2 with a
// control group of their own, else L1.
func (l *Launcher) Level() string {
	if l.parent != "" {
		return "L2"
	}
	return "L1"
}
