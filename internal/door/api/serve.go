package api

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"vyre"
)

// Bounds of a server.
const (
	headerTime = 5 * time.Second
	idleTime   = 2 * time.Minute
	maxHeader  = 32 << 10
	grace      = 3 * time.Second // for requests that run when the door stops
)

// Server runs one door's handler on one listener.
type Server struct {
	API         *API
	Handler     http.Handler // the API, or what the door puts before it
	ConnContext func(ctx context.Context, c net.Conn) context.Context
	Log         *slog.Logger
}

// Serve answers until ctx ends, then takes no more, ends the streams, gives
// other requests a grace, and returns when every handler did. It closes l. The
// error is nil after an orderly end.
func (s Server) Serve(ctx context.Context, l net.Listener) error {
	base, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	var running handlers
	srv := &http.Server{
		Handler:           running.wrap(s.Handler),
		ConnContext:       s.ConnContext,
		BaseContext:       func(net.Listener) context.Context { return base },
		ReadHeaderTimeout: headerTime,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(s.Log.Handler(), slog.LevelDebug),
	}
	failed := make(chan error, 1)
	var accept sync.WaitGroup
	accept.Go(func() { failed <- srv.Serve(l) })

	var err error
	select {
	case err = <-failed:
	case <-ctx.Done():
	}
	s.API.Stop()
	bounded, done := context.WithTimeout(base, grace)
	defer done()
	if srv.Shutdown(bounded) != nil {
		cancel()
		_ = srv.Close() // what did not end in time is cut
	}
	accept.Wait()
	running.wait()
	if err == nil || errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return vyre.Errorf(vyre.CodeUnavailable, "a door could not go on listening").Because(err)
}

// handlers counts those that run, so that their end can be waited for:
// http.Server.Close doesn't.
type handlers struct {
	mu     sync.Mutex
	closed bool
	wg     sync.WaitGroup
}

func (h *handlers) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		if h.closed {
			h.mu.Unlock()
			return
		}
		h.wg.Add(1)
		h.mu.Unlock()
		defer h.wg.Done()
		next.ServeHTTP(w, r)
	})
}

func (h *handlers) wait() {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	h.wg.Wait()
}
