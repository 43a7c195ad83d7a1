package vyre

// SessionState is how a process of a thread stands in our books.
type SessionState string

// The states of a session. Starting is written before anything is started, so
// that a daemon that dies in between knows what to look for.
const (
	SessionStarting SessionState = "starting" // intent; the shim may or may not exist
	SessionPrepared SessionState = "prepared" // the shim's identity is on disk; the agent may not run yet
	SessionLive     SessionState = "live"     // the agent was let go
	SessionEnded    SessionState = "ended"    // proven empty
)

// SessionStates lists every state once.
var SessionStates = []SessionState{SessionStarting, SessionPrepared, SessionLive, SessionEnded}

// Session is one live process of a thread: what a later daemon needs to find
// the shim again and to know that it is the same one.
type Session struct {
	ID     SessionID
	Thread ThreadID
	State  SessionState

	// Identity of the shim. A pid alone means nothing: boot id and start time
	// must hold as well before anything is adopted or ended.

	BootID    string
	PID       int
	StartTime uint64 // clock ticks since boot, field 22 of /proc/<pid>/stat
	PGID      int
	SID       int
	Cgroup    string // absolute path of the session's own cgroup, or empty
	CgroupID  uint64 // its inode, or 0
	AgentPID  int
	Level     string // identity level this session allows: L1, L2, …
	Confined  string // parts of its confinement that hold, by name with a space between; empty: it is not shut in

	Dir    string // private folder: spool, stderr, exit status
	Socket string // the shim's control socket
	Token  string // shown to the shim with the hello

	// Where reading stands. Committed is the spool offset after the last line
	// all of whose consequences are committed. Checkpoint is an offset at which
	// the driver's memory is empty: a later daemon decodes from there, and drops
	// what lies before Committed.

	Committed  int64
	Checkpoint int64

	Broker    string // loopback address of its credential's broker, or empty
	BrokerKey string // hash of the key that its agent shows there

	Started Time
	Ended   Time
	Exit    string // for people: "exit 1", "signal killed"
}

// Frame is one input to an agent, numbered per session. It is written down in
// the commit that decides it and removed once the shim has acknowledged it; the
// shim takes each number once, so delivery after a crash neither loses nor
// repeats.
type Frame struct {
	Session SessionID
	N       uint64
	Bytes   []byte
	Ask     AskID     // the ask it answers, or empty
	Message MessageID // the message it carries, or empty
	Request string    // the agent's request it answers, or empty
}
