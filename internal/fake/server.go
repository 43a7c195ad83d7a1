package fake

import (
	"encoding/json"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// API is a running model API. Its methods may be called from any goroutine.
type API struct {
	URL string // http://127.0.0.1:port, what ANTHROPIC_BASE_URL wants

	server *http.Server
	wg     sync.WaitGroup

	mu       sync.Mutex
	closed   bool
	gates    map[string]*Gate
	tries    map[string]int // of counted errors, by script and line
	requests []Request
}

// Request is one request that came in.
type Request struct {
	At      time.Time
	Path    string
	Model   string
	Human   string // the person's message that decided the answer
	Results int    // tool results since that message
	Main    bool   // it offered tools: a turn, not a title or a summary
	Key     string // the credential it came with
	Body    []byte
}

// Start serves on a free port of 127.0.0.1.
func Start() (*API, error) { return StartAt("127.0.0.1:0") }

// StartAt serves at a given loopback address: a server that comes back after a
// restart must be found where it was.
func StartAt(addr string) (*API, error) {
	l, err := net.Listen("tcp", addr) //nolint:noctx // returns at once
	if err != nil {
		return nil, err
	}
	a := &API{
		URL:   "http://" + l.Addr().String(),
		gates: map[string]*Gate{}, tries: map[string]int{},
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/messages", a.track(a.messages))
	mux.HandleFunc("POST /v1/messages/count_tokens", a.track(a.countTokens))
	mux.HandleFunc("/", a.track(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" { // agents probe the address
			w.WriteHeader(http.StatusOK)
			return
		}
		writeError(w, http.StatusNotFound, "not_found_error", "no such route")
	}))
	a.server = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	a.wg.Go(func() {
		_ = a.server.Serve(l) // ends with Close
	})
	return a, nil
}

// Close drops every connection and returns when no handler runs any more.
func (a *API) Close() {
	a.mu.Lock()
	a.closed = true
	a.mu.Unlock()
	_ = a.server.Close() // ends the requests' contexts, and with them what is held
	a.wg.Wait()
}

// Gate returns the gate of that name; it holds until it is opened.
func (a *API) Gate(name string) *Gate {
	a.mu.Lock()
	defer a.mu.Unlock()
	g := a.gates[name]
	if g == nil {
		g = newGate()
		a.gates[name] = g
	}
	return g
}

// Requests returns what came in so far, oldest first.
func (a *API) Requests() []Request {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]Request(nil), a.requests...)
}

// Runs counts how often a turn began on a message whose text contains text:
// first requests of a turn, so a retry after an error counts again.
func (a *API) Runs(text string) int {
	n := 0
	for _, r := range a.Requests() {
		if r.Main && r.Results == 0 && r.Path == "/v1/messages" && strings.Contains(r.Human, text) {
			n++
		}
	}
	return n
}

func (a *API) track(h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		a.mu.Lock()
		closed := a.closed
		if !closed {
			a.wg.Add(1)
		}
		a.mu.Unlock()
		if closed {
			return
		}
		defer a.wg.Done()
		h(w, r)
	}
}

func (a *API) note(r Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.requests = append(a.requests, r)
}

// due reports whether a counted error still has to happen.
func (a *API) due(key string, limit int) bool {
	if limit == 0 {
		return true
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.tries[key]++
	return a.tries[key] <= limit
}

func writeError(w http.ResponseWriter, status int, kind, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{
		"type":  "error",
		"error": map[string]string{"type": kind, "message": message},
	})
}

func errorKind(status int) string {
	switch status {
	case http.StatusBadRequest:
		return "invalid_request_error"
	case http.StatusUnauthorized:
		return "authentication_error"
	case http.StatusForbidden:
		return "permission_error"
	case http.StatusNotFound:
		return "not_found_error"
	case http.StatusTooManyRequests:
		return "rate_limit_error"
	case 529:
		return "overloaded_error"
	}
	return "api_error"
}
