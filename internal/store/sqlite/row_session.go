package sqlite

import "vyre"

var sessions = newTable("sessions", "id",
	"id", "thread", "state", "boot_id", "pid", "start_time", "pgid", "sid", "cgroup", "cgroup_id", "agent_pid", "level",
	"dir", "socket", "token", "committed", "checkpoint", "started", "ended", "exit",
	"broker", "broker_key", "confined")

// Unsigned fields keep their bits: SQLite has signed integers only.
func sessionArgs(s *vyre.Session) ([]any, error) {
	return []any{
		string(s.ID), string(s.Thread), string(s.State), s.BootID, int64(s.PID), int64(s.StartTime), int64(s.PGID), int64(s.SID),
		s.Cgroup, int64(s.CgroupID), int64(s.AgentPID), s.Level, s.Dir, s.Socket, s.Token, s.Committed, s.Checkpoint,
		int64(s.Started), int64(s.Ended), s.Exit, s.Broker, s.BrokerKey, s.Confined,
	}, nil
}

func scanSession(r scanner) (vyre.Session, error) {
	var s vyre.Session
	var start, cgroup int64
	err := r.Scan((*string)(&s.ID), (*string)(&s.Thread), (*string)(&s.State), &s.BootID, &s.PID, &start, &s.PGID, &s.SID,
		&s.Cgroup, &cgroup, &s.AgentPID, &s.Level, &s.Dir, &s.Socket, &s.Token, &s.Committed, &s.Checkpoint,
		(*int64)(&s.Started), (*int64)(&s.Ended), &s.Exit, &s.Broker, &s.BrokerKey, &s.Confined)
	s.StartTime, s.CgroupID = uint64(start), uint64(cgroup)
	return s, err
}

var frames = newTable("frames", "session, n", "session", "n", "bytes", "ask", "message", "request")

const deleteFrame = "DELETE FROM frames WHERE session = ? AND n = ?"

func frameArgs(f *vyre.Frame) ([]any, error) {
	b := f.Bytes
	if b == nil {
		b = []byte{}
	}
	return []any{string(f.Session), int64(f.N), b, string(f.Ask), string(f.Message), f.Request}, nil
}

func frameRefArgs(f *vyre.FrameRef) ([]any, error) {
	return []any{string(f.Session), int64(f.N)}, nil
}

func scanFrame(r scanner) (vyre.Frame, error) {
	var f vyre.Frame
	var n int64
	err := r.Scan((*string)(&f.Session), &n, &f.Bytes, (*string)(&f.Ask), (*string)(&f.Message), &f.Request)
	f.N = uint64(n)
	return f, err
}
