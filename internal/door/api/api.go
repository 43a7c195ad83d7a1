package api

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"vyre"
	"vyre/internal/feed"
)

// Bind proves the caller of a request. The error is a *vyre.Error of code
// unauthenticated, or of the fault that kept it from being told.
type Bind func(*http.Request) (vyre.Caller, error)

// Tools is the registry, as a door uses it.
type Tools interface {
	Call(ctx context.Context, c vyre.Caller, name string, input json.RawMessage) (json.RawMessage, error)
	// MaxInput is the largest input of a tool in bytes, also of one that is not there.
	MaxInput(name string) int64
	// Decides says whether a tool rests on its caller being the person so much that
	// who calls is to be looked at anew.
	Decides(name string) bool
}

// Feed is the log, as a door reads it. internal/feed implements it.
type Feed interface {
	Since(ctx context.Context, after vyre.Seq, match feed.Filter, limit int) (evs []vyre.Event, next vyre.Seq, err error)
	Wait(ctx context.Context, after vyre.Seq) error
	Head() vyre.Seq
}

// Parts is what both doors serve.
type Parts struct {
	Tools Tools
	Feed  Feed
	// Bounds gives the log's floor and head, for the first message of a stream.
	Bounds func(ctx context.Context) (floor, head vyre.Seq, err error)
	// Kinds lists every kind of event, so that a filter with a slip is refused; nil
	// takes any.
	Kinds func() []vyre.Kind
	// OpenAPI renders the OpenAPI document of what a kind of caller may call. It is made
	// at each request and not kept.
	OpenAPI func(vyre.CallerKind) ([]byte, error)
	// Version is told in the header VersionHeader to who has proved a caller, so that a
	// client of another version can say so where the two don't understand each other.
	Version string
	// Watch is told that a person follows a thread's events, until leave; nil: nobody
	// has to know.
	Watch func(thread vyre.ThreadID) (leave func())
	Log   *slog.Logger
}

// VersionHeader carries the daemon's version in the answer to every proven caller.
const VersionHeader = "Vyre-Version"

// TouchHeader carries the touch of a passkey that goes with a call (acts.challenge):
// the act's id, a dot, and what the browser made, in base64url.
const TouchHeader = "Vyre-Touch"

// Options is what one door adds.
type Options struct {
	Parts
	Bind Bind
	// Hold gives a request's context that ends when its caller is no longer let in, and
	// what lets go of it; nil: nothing ends early.
	Hold func(ctx context.Context, c vyre.Caller) (context.Context, func())
	// Page serves what is not the API's, to everyone; nil for nothing.
	Page http.HandlerFunc
	// Heartbeat is how often a silent stream says that it lives; 0 means 15 s.
	Heartbeat time.Duration
}

// API serves the routes. It is an http.Handler for everything under /v1 and
// /healthz.
type API struct {
	o    Options
	mux  *http.ServeMux
	stop chan struct{} // closed by Stop
	once sync.Once
}

// Route is one entry of the API's table.
type Route struct {
	Method, Pattern string
	Public          bool // served without a caller
}

// handler serves a route for a caller; a public route gets the zero Caller.
type handler func(w http.ResponseWriter, r *http.Request, c vyre.Caller)

// routes is the whole table.
func (a *API) routes() map[Route]handler {
	return map[Route]handler{
		{"GET", "/healthz", true}:           a.health,
		{"POST", "/v1/tools/{name}", false}: a.tool,
		{"GET", "/v1/events", false}:        a.events,
		{"GET", "/v1/openapi.json", false}:  a.openapi,
		{"GET", "/v1/whoami", false}:        a.whoami,
		{"", "/v1/", false}:                 a.none,
		{"", "/", a.o.Page != nil}:          a.other,
	}
}

// New returns the API of one door.
func New(o Options) *API {
	if o.Heartbeat == 0 {
		o.Heartbeat = 15 * time.Second
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	a := &API{o: o, mux: http.NewServeMux(), stop: make(chan struct{})}
	for route, h := range a.routes() {
		a.Handle(route, h)
	}
	return a
}

// Handle adds a route of the door's own to the table. Before the first request.
func (a *API) Handle(route Route, h func(http.ResponseWriter, *http.Request, vyre.Caller)) {
	pattern := route.Pattern
	if route.Method != "" {
		pattern = route.Method + " " + pattern
	}
	a.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		var c vyre.Caller
		if !route.Public {
			var err error
			if c, err = a.o.Bind(r); err != nil {
				a.Fail(w, r, err)
				return
			}
			if a.o.Version != "" {
				w.Header().Set(VersionHeader, a.o.Version)
			}
			if a.o.Hold != nil {
				ctx, release := a.o.Hold(r.Context(), c)
				defer release()
				r = r.WithContext(ctx)
			}
		}
		h(w, r, c)
	})
}

// Routes lists the API's own routes, for tests that try each.
func (a *API) Routes() []Route {
	var out []Route
	for r := range a.routes() {
		out = append(out, r)
	}
	return out
}

// Stop ends the event streams, those that come later too.
func (a *API) Stop() { a.once.Do(func() { close(a.stop) }) }

func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	a.mux.ServeHTTP(w, r)
}

func (a *API) health(w http.ResponseWriter, r *http.Request, _ vyre.Caller) {
	a.Reply(w, r, map[string]bool{"ok": true})
}

func (a *API) openapi(w http.ResponseWriter, r *http.Request, c vyre.Caller) {
	doc, err := a.o.OpenAPI(c.Kind)
	if err != nil {
		a.Fail(w, r, err)
		return
	}
	a.Reply(w, r, json.RawMessage(doc))
}

// who is what whoami answers.
type who struct {
	Caller  string          `json:"caller"`
	Kind    vyre.CallerKind `json:"kind"`
	ID      string          `json:"id"`
	Surface string          `json:"surface"`
	Proof   string          `json:"proof"`
	Level   string          `json:"level"`
}

func (a *API) whoami(w http.ResponseWriter, r *http.Request, c vyre.Caller) {
	a.Reply(w, r, who{c.String(), c.Kind, c.ID, c.Surface, c.Proof, c.Level})
}

// other is every path outside of the API.
func (a *API) other(w http.ResponseWriter, r *http.Request, c vyre.Caller) {
	if a.o.Page == nil {
		a.none(w, r, c)
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		if _, err := a.o.Bind(r); err != nil {
			a.Fail(w, r, err)
			return
		}
		a.none(w, r, c)
		return
	}
	a.o.Page(w, r)
}

func (a *API) none(w http.ResponseWriter, r *http.Request, _ vyre.Caller) {
	a.Fail(w, r, vyre.Errorf(vyre.CodeNotFound, "there is nothing here for %s", method(r)).
		WithHint("POST /v1/tools/<name>, GET /v1/events, GET /v1/openapi.json and GET /v1/whoami are served."))
}

// method is a request's method if it is one that people know.
func method(r *http.Request) string {
	switch r.Method {
	case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS":
		return r.Method
	}
	return "this method"
}
