package tailnet

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"sync"
	"time"

	"vyre"
)

// Bounds on what the daemon may answer, and how long it may take. A first certificate
// is fetched from its authority, which takes a while.
const (
	maxAnswer = 1 << 20
	whoTime   = 3 * time.Second
	certTime  = time.Minute
	renewSoon = time.Hour
)

// Client talks to one tailnet daemon.
type Client struct {
	http *http.Client
	now  func() time.Time

	mu    sync.Mutex
	certs map[string]*tls.Certificate // by name; guarded by mu
}

// New returns a client of the daemon behind a unix socket. Nothing is connected
// before the first call.
func New(socket string, now func() time.Time) *Client {
	return &Client{
		now:   now,
		certs: map[string]*tls.Certificate{},
		http: &http.Client{
			Transport: &http.Transport{
				DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
					var d net.Dialer
					return d.DialContext(ctx, "unix", socket)
				},
				MaxIdleConns: 2, IdleConnTimeout: 30 * time.Second, DisableCompression: true,
			},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// Close lets go of idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Who is somebody on the tailnet.
type Who struct {
	Login string // the user that the node is of
	Node  string
}

// WhoIs says who is at an address. Errors: denied for a tagged node, which is nobody's,
// and for an address that is no node's; unavailable when the daemon does not answer.
func (c *Client) WhoIs(ctx context.Context, remote netip.AddrPort) (Who, error) {
	ctx, cancel := context.WithTimeout(ctx, whoTime)
	defer cancel()
	remote = netip.AddrPortFrom(remote.Addr().Unmap(), remote.Port())
	body, status, err := c.get(ctx, "/localapi/v0/whois?addr="+url.QueryEscape(remote.String()))
	if err != nil {
		return Who{}, err
	}
	if status != http.StatusOK {
		return Who{}, nobody()
	}
	var in struct {
		Node *struct {
			Name string
			Tags []string
		}
		UserProfile *struct{ LoginName string }
	}
	if json.Unmarshal(body, &in) != nil {
		return Who{}, vyre.Errorf(vyre.CodeUnavailable, "the tailnet daemon's answer can't be read")
	}
	if in.Node == nil || in.UserProfile == nil || in.UserProfile.LoginName == "" {
		return Who{}, nobody()
	}
	if len(in.Node.Tags) > 0 || in.UserProfile.LoginName == "tagged-devices" {
		return Who{}, vyre.Errorf(vyre.CodeDenied, "a tagged node of the tailnet is nobody").
			WithHint("Open the page from a device that is signed in to the tailnet as you.")
	}
	return Who{in.UserProfile.LoginName, in.Node.Name}, nil
}

func nobody() *vyre.Error {
	return vyre.Errorf(vyre.CodeDenied, "this does not come from a node of the tailnet")
}

// Certificate returns the certificate of one of this machine's names on the tailnet.
// Errors: unavailable.
func (c *Client) Certificate(ctx context.Context, name string) (*tls.Certificate, error) {
	c.mu.Lock()
	had := c.certs[name]
	c.mu.Unlock()
	if had != nil && c.now().Add(renewSoon).Before(had.Leaf.NotAfter) {
		return had, nil
	}
	ctx, cancel := context.WithTimeout(ctx, certTime)
	defer cancel()
	made, err := c.fetch(ctx, name)
	if err != nil {
		if had != nil && c.now().Before(had.Leaf.NotAfter) {
			return had, nil // it is still good; the next connection asks again
		}
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.certs[name] = made
	return made, nil
}

func (c *Client) fetch(ctx context.Context, name string) (*tls.Certificate, error) {
	body, status, err := c.get(ctx, "/localapi/v0/cert/"+url.PathEscape(name)+"?type=pair")
	if err != nil {
		return nil, err
	}
	if status != http.StatusOK {
		return nil, vyre.Errorf(vyre.CodeUnavailable, "the tailnet daemon gives no certificate for %s", name).
			WithHint("HTTPS must be on for the tailnet, and the name this machine's.")
	}
	// Key and certificates stand in one text; each reader passes over the other's blocks.
	pair, err := tls.X509KeyPair(body, body)
	if err != nil || pair.Leaf == nil {
		return nil, vyre.Errorf(vyre.CodeUnavailable, "the tailnet daemon's certificate can't be read").Because(err)
	}
	return &pair, nil
}

func (c *Client) get(ctx context.Context, path string) (body []byte, status int, err error) {
	down := func(err error) *vyre.Error {
		return vyre.Errorf(vyre.CodeUnavailable, "the tailnet daemon does not answer").
			WithHint("Is it running, and may this user use its socket?").Because(err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://local-tailscaled.sock"+path, nil)
	if err != nil {
		return nil, 0, down(err)
	}
	res, err := c.http.Do(req)
	if err != nil {
		return nil, 0, down(err)
	}
	defer res.Body.Close()
	body, err = io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return nil, 0, down(err)
	}
	return body, res.StatusCode, nil
}
