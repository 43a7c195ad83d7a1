package sock

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"vyre"
)

// Place says where sessions' sockets are: the folder of all, and one session's
// folder and socket. The socket must lie alone in its folder.
type Place struct {
	All    string
	Folder func(vyre.SessionID) string
	Socket func(vyre.SessionID) string
}

// Sessions is a socket for each session that is not ended. Who is at the other end
// of one must be inside that session, and is its thread; everybody else is refused,
// the person too.
type Sessions struct {
	o     Options
	place Place

	mu    sync.Mutex
	doors map[vyre.SessionID]*room
	ctx   context.Context //nolint:containedctx // it is Run's; doors are opened by others
	wg    sync.WaitGroup
}

// room is one session's door.
type room struct {
	door *Door
	stop context.CancelFunc // nil until it serves
}

// NewSessions serves nothing until Run. The home's lock must be held: a socket that
// is there already is a dead daemon's.
func NewSessions(p Place, o Options) *Sessions {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	o.Locked = true
	return &Sessions{o: o, place: p, doors: map[vyre.SessionID]*room{}}
}

// Env implements engine.Doors.
func (s *Sessions) Env(id vyre.SessionID) []string {
	return []string{"VYRE_SOCKET=" + s.place.Socket(id)}
}

// Open implements engine.Doors: the socket is there when it returns, and is served
// from then on or as soon as Run is called. It must be opened before the session's
// agent runs, and the session be in the books that Options.Peers looks at.
func (s *Sessions) Open(x vyre.Session) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx != nil && s.ctx.Err() != nil {
		return vyre.Errorf(vyre.CodeUnavailable, "the daemon is leaving")
	}
	if s.doors[x.ID] != nil {
		return nil
	}
	dir := s.place.Folder(x.ID)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return vyre.Errorf(vyre.CodeUnavailable, "the folder of a session's socket can't be made").Because(err)
	}
	if err := safeFolder(s.place.All); err != nil {
		return err
	}
	o := s.o
	o.Inside = x.ID
	d, err := Listen(s.place.Socket(x.ID), o)
	if err != nil {
		return err
	}
	r := &room{door: d}
	s.doors[x.ID] = r
	if s.ctx != nil {
		s.serve(r)
	}
	return nil
}

// serve runs a door; the caller holds mu.
func (s *Sessions) serve(r *room) {
	ctx, cancel := context.WithCancel(s.ctx)
	r.stop = cancel
	s.wg.Go(func() {
		if err := r.door.Run(ctx); err != nil {
			s.o.Log.Warn("a session's own socket could not go on", "error", err)
		}
	})
}

// Close implements engine.Doors. Requests on their way have a grace, in which it
// does not wait.
func (s *Sessions) Close(id vyre.SessionID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.doors[id]
	delete(s.doors, id)
	switch {
	case r == nil || s.ctx != nil && s.ctx.Err() != nil: // Run has ended it, or is about to
	case r.stop == nil:
		_ = r.door.Close()
	default:
		r.stop()
	}
	s.remove(id)
}

// remove takes away a session's folder; one that holds something else stays.
func (s *Sessions) remove(id vyre.SessionID) {
	_ = os.Remove(s.place.Socket(id))
	_ = os.Remove(s.place.Folder(id))
}

// Sweep removes what sessions left that are not among those to keep.
func (s *Sessions) Sweep(keep []vyre.Session) {
	entries, err := os.ReadDir(s.place.All)
	if err != nil {
		return // there were none yet
	}
	stays := map[string]bool{}
	for _, x := range keep {
		stays[filepath.Base(s.place.Folder(x.ID))] = true
	}
	for _, e := range entries {
		if e.IsDir() && vyre.ValidID(e.Name()) && !stays[e.Name()] {
			s.remove(vyre.SessionID(e.Name()))
		}
	}
}

// Run serves what is open until ctx ends and returns after every handler did. The
// folders stay: sessions outlive the daemon.
func (s *Sessions) Run(ctx context.Context) error {
	s.mu.Lock()
	s.ctx = ctx
	for _, r := range s.doors {
		s.serve(r)
	}
	s.mu.Unlock()
	<-ctx.Done()
	s.mu.Lock()   // after this nothing is served that wg doesn't know
	s.mu.Unlock() //nolint:staticcheck // it waits for an Open that has begun
	s.wg.Wait()
	return nil
}
