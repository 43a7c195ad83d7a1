package client

import (
	"net/http"
	"strings"

	"vyre"
)

// versionHeader is where the daemon says its version (internal/door/api).
const versionHeader = "Vyre-Version"

// Of tells the client which version its program is of, and returns the client: where
// the daemon refuses what it does not know and is of another version, the error's hint
// then says so. Before the first call.
func (c *Client) Of(version string) *Client {
	c.version = version
	return c
}

// mismatch adds to a refusal that the two may be of different versions, where that can
// be the reason: a tool that is not there, or an input that does not fit.
func (c *Client) mismatch(err error, tool string, h http.Header) error {
	e := vyre.AsError(err)
	theirs := h.Get(versionHeader)
	unknown := e.Code == vyre.CodeNotFound && e.Message == vyre.NotFound("tool", tool).Message
	if c.version == "" || theirs == c.version || !unknown && e.Code != vyre.CodeInvalid {
		return err
	}
	daemon := "vyre " + theirs
	if theirs == "" {
		daemon = "an older vyre, which does not say its version"
	}
	e.Hint = strings.TrimSpace(e.Hint + " The daemon is " + daemon + ", this program is " + c.version +
		": `vyre upgrade` has the daemon run this one; turns go on.")
	return e
}
