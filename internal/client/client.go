package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"syscall"
	"time"

	"vyre"
)

// Bounds of the client.
const (
	startWait = 2 * time.Second       // how long a daemon that is starting is waited for
	startStep = 20 * time.Millisecond // between two tries
	maxOutput = 64 << 20              // of one answer, in bytes
)

// Client talks to one daemon. Its methods may be called from any goroutine.
type Client struct {
	path    string
	version string // of the program that uses it, or empty
	touch   func(ctx context.Context, e *vyre.Error) (json.RawMessage, error)
	http    *http.Client
}

// Socket returns a client of the daemon behind a unix socket. Nothing is
// connected before the first call.
func Socket(path string) *Client {
	c := &Client{path: path}
	c.http = &http.Client{
		Transport: &http.Transport{
			DialContext:         func(ctx context.Context, _, _ string) (net.Conn, error) { return c.dial(ctx) },
			MaxIdleConnsPerHost: 2,
			IdleConnTimeout:     30 * time.Second,
			DisableCompression:  true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return c
}

// Close lets go of idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// dial connects. A socket that is there but doesn't answer belongs to a daemon
// that is starting (or was killed): it is waited for, for two seconds. A socket
// that isn't there is told at once.
func (c *Client) dial(ctx context.Context) (net.Conn, error) {
	wait, cancel := context.WithTimeout(ctx, startWait)
	defer cancel()
	var d net.Dialer
	for {
		conn, err := d.DialContext(wait, "unix", c.path)
		if err == nil || !errors.Is(err, syscall.ECONNREFUSED) && !errors.Is(err, syscall.EAGAIN) {
			return conn, err
		}
		t := time.NewTimer(startStep)
		select {
		case <-wait.Done():
			t.Stop()
			return nil, err
		case <-t.C:
		}
	}
}

// Call runs a tool. In is encoded as its input (nil means none), out is filled
// from its output (nil drops it).
func (c *Client) Call(ctx context.Context, tool string, in, out any) error {
	var input json.RawMessage
	if in != nil {
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(in); err != nil {
			return vyre.Errorf(vyre.CodeInvalid, "the input of %s can't be written as JSON", tool).Because(err)
		}
		input = b.Bytes()
	}
	raw, err := c.Raw(ctx, tool, input)
	if err != nil || out == nil {
		return err
	}
	if err := json.Unmarshal(raw, out); err != nil {
		return vyre.Errorf(vyre.CodeInternal, "the daemon's answer to %s could not be read", tool).
			WithHint("The daemon and this program may be of different versions: `vyre upgrade` has the daemon run this one.").Because(err)
	}
	return nil
}

// Raw runs a tool on an input as it is and returns the output as it came.
func (c *Client) Raw(ctx context.Context, tool string, in json.RawMessage) (json.RawMessage, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://localhost/v1/tools/"+escape(tool), bytes.NewReader(in))
	if err != nil {
		return nil, vyre.NotFound("tool", tool)
	}
	req.Header.Set("Content-Type", "application/json")
	out, err := c.do(req, tool)
	if c.touch != nil && vyre.CodeOf(err) == vyre.CodePresenceRequired {
		return c.touch(ctx, vyre.AsError(err))
	}
	return out, err
}

// OnTouch has f asked what becomes of a call that needs a touch of a passkey: its
// answer is the call's. Before the first call.
func (c *Client) OnTouch(f func(ctx context.Context, e *vyre.Error) (json.RawMessage, error)) *Client {
	c.touch = f
	return c
}

// Get reads a path of the daemon's own, such as /v1/openapi.json.
func (c *Client) Get(ctx context.Context, path string) (json.RawMessage, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://localhost"+path, nil)
	if err != nil {
		return nil, vyre.NotFound("page", path)
	}
	return c.do(req, "")
}

func (c *Client) do(req *http.Request, tool string) (json.RawMessage, error) {
	res, err := c.http.Do(req)
	if err != nil {
		return nil, c.lost(req.Context(), err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxOutput+1))
	if err != nil {
		return nil, c.lost(req.Context(), err)
	}
	if len(body) > maxOutput {
		return nil, vyre.Errorf(vyre.CodeTooLarge, "the answer is larger than %d bytes", maxOutput).WithHint("Ask for less at once.")
	}
	if res.StatusCode != http.StatusOK {
		return nil, c.mismatch(errorOf(res.StatusCode, body), tool, res.Header)
	}
	return bytes.TrimSuffix(body, []byte("\n")), nil
}

// errorOf reads an error envelope back into the error it was made of.
func errorOf(status int, body []byte) error {
	var e vyre.Envelope
	if err := json.Unmarshal(body, &e); err != nil || e.Error.Code == "" {
		return vyre.Errorf(vyre.CodeInternal, "the daemon answered with HTTP status %d and no error that could be read", status)
	}
	out := &vyre.Error{Code: e.Error.Code, Message: e.Error.Message, Hint: e.Error.Hint, Details: e.Error.Details}
	if f, ok := e.Error.Details["field"].(string); ok {
		out.Field = f
	}
	return out
}

// lost turns a failure of the connection into an error for people.
func (c *Client) lost(ctx context.Context, err error) error {
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return vyre.Errorf(vyre.CodeTimeout, "the daemon gave no answer within the time given").Because(err)
	case ctx.Err() != nil:
		return vyre.Errorf(vyre.CodeUnavailable, "the call was given up").Because(err)
	case errors.Is(err, fs.ErrPermission):
		return vyre.Errorf(vyre.CodeUnauthenticated, "this user may not use the daemon's socket").Because(err).
			WithHint("Run it as the user that runs the daemon, outside of any session.")
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		return notRunning().Because(err)
	}
	return vyre.Errorf(vyre.CodeUnavailable, "the daemon went away before it answered; the call may have had its effect").
		WithHint("Look at the present state, or repeat the call with the same key.").Because(err)
}

func notRunning() *vyre.Error {
	return vyre.Errorf(vyre.CodeUnavailable, "the daemon is not running").WithHint("Start it with `vyre up`.")
}

// Running reports whether a daemon's socket is there. It doesn't connect.
func (c *Client) Running() bool {
	info, err := os.Stat(c.path)
	return err == nil && info.Mode()&fs.ModeSocket != 0
}

// escape keeps a foreign tool name one segment of a path.
func escape(name string) string { return url.PathEscape(name) }
