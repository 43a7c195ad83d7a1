package sock

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"syscall"

	"vyre"
	"vyre/internal/door/api"
	"vyre/internal/identity"
)

// maxPath is what fits into a socket's address on every system that we know.
const maxPath = 104

// Options is what the door needs.
type Options struct {
	api.Parts
	Peers *identity.Peers
	// Inside makes it a session's own socket: who is not inside that session is
	// refused. Empty: the daemon's.
	Inside vyre.SessionID
	// Locked says that the caller holds the home's lock, so that a socket which
	// is there already is a dead daemon's and may be removed.
	Locked bool
}

// Door is the socket door. Make it with Listen.
type Door struct {
	o   Options
	api *api.API
	l   *net.UnixListener
}

// Listen makes the socket. Errors: invalid for a path that is too long,
// conflict when something is there and the lock is not held, unavailable when
// the folder is not safe or the socket can't be made.
func Listen(path string, o Options) (*Door, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if len(path) >= maxPath {
		return nil, vyre.Errorf(vyre.CodeInvalid, "the path of the daemon's socket is longer than %d bytes", maxPath-1).
			WithHint("Set XDG_RUNTIME_DIR to a shorter folder.")
	}
	if err := safeFolder(filepath.Dir(path)); err != nil {
		return nil, err
	}
	if err := clear(path, o.Locked); err != nil {
		return nil, err
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, vyre.Errorf(vyre.CodeUnavailable, "the daemon's socket can't be made").Because(err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(vyre.Errorf(vyre.CodeUnavailable, "the daemon's socket can't be made private").Because(err), l.Close())
	}
	d := &Door{o: o, l: l}
	d.api = api.New(api.Options{Parts: o.Parts, Bind: d.bind})
	return d, nil
}

// safeFolder holds the folder to the user alone: who may write there could put a
// socket of his own in our place.
func safeFolder(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return vyre.Errorf(vyre.CodeUnavailable, "the folder of the daemon's socket is not there").Because(err)
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !info.IsDir() || info.Mode().Perm()&0o077 != 0 || !ok || int(st.Uid) != os.Geteuid() {
		return vyre.Errorf(vyre.CodeUnavailable, "the folder of the daemon's socket is not this user's alone").
			WithHint("It must be a folder of mode 0700 that this user owns.")
	}
	return nil
}

// clear removes a dead daemon's socket; anything else in its place is left.
func clear(path string, locked bool) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return vyre.Errorf(vyre.CodeUnavailable, "the daemon's socket can't be looked at").Because(err)
	case info.Mode()&fs.ModeSocket == 0 || !locked:
		return vyre.Errorf(vyre.CodeConflict, "something is in the place of the daemon's socket already").
			WithHint("Another daemon may run for this home.")
	}
	if err := os.Remove(path); err != nil {
		return vyre.Errorf(vyre.CodeUnavailable, "a dead daemon's socket can't be removed").Because(err)
	}
	return nil
}

// Routes lists every route that the door serves.
func (d *Door) Routes() []api.Route { return d.api.Routes() }

// Run serves until ctx ends and returns after every handler did.
func (d *Door) Run(ctx context.Context) error {
	s := api.Server{API: d.api, Handler: d.api, ConnContext: withPeer, Log: d.o.Log}
	return s.Serve(ctx, &listener{UnixListener: d.l, peers: d.o.Peers})
}

// Close removes the socket when Run was never called.
func (d *Door) Close() error { return d.l.Close() }

// listener takes hold of each peer as soon as its connection is there.
type listener struct {
	*net.UnixListener
	peers *identity.Peers
}

func (l *listener) Accept() (net.Conn, error) {
	c, err := l.AcceptUnix()
	if err != nil {
		return nil, err
	}
	return &conn{UnixConn: c, peer: l.peers.Accept(c)}, nil
}

// conn is a connection with its peer.
type conn struct {
	*net.UnixConn
	peer *identity.Peer
}

// Close lets go of the peer too. net/http may call it more than once.
func (c *conn) Close() error {
	c.peer.Close()
	return c.UnixConn.Close()
}

type peerKey struct{}

func withPeer(ctx context.Context, c net.Conn) context.Context {
	if c, ok := c.(*conn); ok {
		return context.WithValue(ctx, peerKey{}, c.peer)
	}
	return ctx
}

// bind asks who the peer is now.
func (d *Door) bind(r *http.Request) (vyre.Caller, error) {
	p, ok := r.Context().Value(peerKey{}).(*identity.Peer)
	if !ok {
		return vyre.Caller{}, vyre.Errorf(vyre.CodeUnauthenticated, "this connection has no peer")
	}
	if d.o.Inside != "" {
		return p.Inside(d.o.Inside)
	}
	if name := r.PathValue("name"); name != "" && d.o.Tools.Decides(name) {
		return p.Deciding()
	}
	return p.Caller()
}
