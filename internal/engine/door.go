package engine

import "vyre"

// openDoor makes the socket of a session that is about to start.
func (e *Engine) openDoor(s vyre.Session) error {
	if e.cfg.Doors == nil {
		return nil
	}
	return e.cfg.Doors.Open(s)
}

// openAgain makes the socket of a session that an earlier daemon left. Without it the
// session works on; what it runs of ours can't call.
func (e *Engine) openAgain(s vyre.Session) {
	if e.cfg.Doors == nil || !e.cfg.Ours(s) {
		return
	}
	if err := e.cfg.Doors.Open(s); err != nil {
		e.cfg.Log.Warn("a session's own socket could not be made again", "session", string(s.ID), "error", err)
	}
}

// doorEnv is what a session's processes find its socket by.
func (e *Engine) doorEnv(id vyre.SessionID) []string {
	if e.cfg.Doors == nil {
		return nil
	}
	return e.cfg.Doors.Env(id)
}
