package cli

import (
	"context"
	"encoding/json"
	"fmt"

	"vyre"
	"vyre/internal/cli/term"
	"vyre/internal/client"
)

// touching has a client wait where a call needs a touch of a passkey and a person
// sits at the terminal: it is given on the page, and the call goes on as if nothing
// had been. A script gets the error at once, with the address in its hint.
func (a *app) touching(c *client.Client) *client.Client {
	if !a.noteStyle().TTY || !a.in.TTY() {
		return c
	}
	return c.OnTouch(func(ctx context.Context, e *vyre.Error) (json.RawMessage, error) { return a.touch(ctx, c, e) })
}

// outcome is what acts.wait answers.
type outcome struct {
	State  string              `json:"state"`
	Output json.RawMessage     `json:"output"`
	Error  *vyre.EnvelopeError `json:"error"`
}

func (a *app) touch(ctx context.Context, c *client.Client, e *vyre.Error) (json.RawMessage, error) {
	ticket, _ := e.Details["ticket"].(string)
	url, _ := e.Details["url"].(string)
	if ticket == "" || url == "" {
		return nil, e
	}
	a.note("This needs a touch of a passkey. Read it and touch there:")
	fmt.Fprintf(a.Err, "\n  %s\n\n", a.noteStyle().Bold(term.Clean(url)))
	a.note("Waiting (Ctrl-C gives it up here) …")
	for {
		var out outcome
		if err := c.Call(ctx, "acts.wait", map[string]string{"ticket": ticket}, &out); err != nil {
			return nil, err
		}
		switch {
		case out.Error != nil:
			return nil, &vyre.Error{Code: out.Error.Code, Message: out.Error.Message, Hint: out.Error.Hint, Details: out.Error.Details}
		case out.State == "done":
			return out.Output, nil
		case out.State == "expired":
			return nil, e
		}
	}
}
