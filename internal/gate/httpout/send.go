package httpout

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"sync/atomic"
	"syscall"
	"time"

	"vyre"
	"vyre/internal/gate"
)

// MaxAnswer is how much of an answer is kept, in bytes.
const MaxAnswer = 4 << 10

// Sender does acts of the kind http.
type Sender struct {
	Open func(ctx context.Context, item string) ([]byte, error) // a value of the vault
	TLS  *tls.Config                                            // nil: the machine's authorities
}

// errPlace is a dial that the act did not say.
var errPlace = errors.New("the name leads to an address that the act may not reach")

// Send implements gate.Sender.
func (s *Sender) Send(ctx context.Context, a vyre.GateAct, key string) gate.Result {
	if _, err := target(a.Target, a.Options.Private); err != nil {
		return gate.Result{End: gate.Unsent, Why: vyre.AsError(err).Message}
	}
	var begun atomic.Bool // a connection stood: from here on something may have gone out
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { begun.Store(true) }})
	req, err := http.NewRequestWithContext(ctx, a.Options.Method, a.Target, bytes.NewReader(a.Payload))
	if err != nil {
		return gate.Result{End: gate.Unsent, Why: "the request can't be made"}
	}
	req.GetBody = nil // the transport sends it once
	wipe, err := s.fill(ctx, req, a, key)
	if err != nil {
		return gate.Result{End: gate.Unsent, Why: "the vault item " + a.Options.Secret.Item + " can't be used: " + vyre.AsError(err).Message}
	}
	defer wipe()
	tr := s.transport(a.Options.Private)
	defer tr.CloseIdleConnections()
	res, err := tr.RoundTrip(req) // a Client would follow redirects
	if err != nil {
		return failed(ctx, err, begun.Load())
	}
	defer res.Body.Close()
	answer, _ := io.ReadAll(io.LimitReader(res.Body, MaxAnswer)) // what it said is for people; its status decides
	return judged(res.StatusCode, answer)
}

// fill sets the headers, and the value of the vault if there is one.
func (s *Sender) fill(ctx context.Context, req *http.Request, a vyre.GateAct, key string) (wipe func(), err error) {
	req.Header.Set("User-Agent", "vyre")
	for name, value := range a.Options.Headers {
		req.Header.Set(name, value)
	}
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	sec := a.Options.Secret
	if sec == nil {
		return func() {}, nil
	}
	v, err := s.Open(ctx, sec.Item)
	if err != nil {
		return nil, err
	}
	req.Header.Set(sec.Header, sec.Prefix+string(v))
	return func() { clear(v) }, nil
}

func (s *Sender) transport(private bool) *http.Transport {
	dialer := &net.Dialer{Timeout: 15 * time.Second, Control: func(_, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err != nil {
			return err
		}
		addr := at.Addr().WithZone("").Unmap()
		if never(addr) || !private && !public(addr) {
			return errPlace
		}
		return nil
	}}
	return &http.Transport{
		DialContext: dialer.DialContext, DisableKeepAlives: true, DisableCompression: true, TLSClientConfig: s.TLS, ForceAttemptHTTP2: false,
		TLSHandshakeTimeout: 15 * time.Second, ResponseHeaderTimeout: 45 * time.Second, MaxResponseHeaderBytes: 64 << 10,
	}
}

// failed says what an attempt without an answer means.
func failed(ctx context.Context, err error, begun bool) gate.Result {
	why := "the connection ended without an answer"
	switch {
	case errors.Is(err, errPlace):
		return gate.Result{End: gate.Unsent, Why: errPlace.Error() + "; nothing was sent"}
	case ctx.Err() != nil:
		why = "no answer came in time"
	}
	if !begun {
		return gate.Result{End: gate.Unsent, Why: "no connection could be made; nothing was sent"}
	}
	return gate.Result{End: gate.Lost, Why: why}
}

// judged says what an answer's status means for whether it was done.
func judged(status int, answer []byte) gate.Result {
	r := gate.Result{Status: status, Answer: answer}
	switch {
	case status >= 200 && status < 300:
		r.End, r.Why = gate.Done, fmt.Sprintf("the other side answered %d", status)
	case status == http.StatusRequestTimeout || status == http.StatusConflict || status == http.StatusTooEarly || status == http.StatusTooManyRequests:
		// With a key, the first attempt may still be running there.
		r.Why = fmt.Sprintf("the other side answered %d, which does not say whether it was done", status)
	case status >= 400 && status < 500:
		r.End, r.Why = gate.Refused, fmt.Sprintf("the other side refused it with %d", status)
	default: // it may well have done it before it failed or pointed elsewhere
		r.Why = fmt.Sprintf("the other side answered %d, which does not say whether it was done", status)
		if status >= 300 && status < 400 {
			r.Why = fmt.Sprintf("the other side answered %d and pointed elsewhere, which is not followed", status)
		}
	}
	return r
}
