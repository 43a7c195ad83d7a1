package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"vyre"
	"vyre/agent"
)

// Credentials says which kind of credential sessions take: login, setup-token or
// api-key. The secret itself comes with Runtime.Options, at each launch.
type Credentials interface {
	// Auth is the kind that sessions of a provider take now.
	Auth(ctx context.Context, provider string) (string, error)
	// Fallback is the kind to go on with while auth is at its limit, or "".
	Fallback(ctx context.Context, provider, auth string) (string, error)
}

// authLogin is the agent's own sign-in.
const authLogin = "login"

// funded is the thread as its next process shall have it: with the kind of
// credential of now, which is recorded, and the one to use in its Auth.
func (o *owner) funded(ctx context.Context) (vyre.Thread, error) {
	th := &o.book.thread
	th.Auth = authLogin
	if c := o.e.cfg.Credentials; c != nil {
		auth, err := c.Auth(ctx, th.Provider)
		if err != nil {
			return vyre.Thread{}, err
		}
		th.Auth = auth
	}
	if th.Fallback != "" && th.Parked == "" && th.ParkedUntil <= o.e.now() {
		th.Fallback, th.ParkedUntil = "", 0 // the limit is over; stored with the handshake
	}
	out := *th
	out.Auth = o.inUse()
	return out, nil
}

// inUse is the kind of credential that the thread's process has, or will have.
func (o *owner) inUse() string {
	if th := &o.book.thread; th.Fallback != "" {
		return th.Fallback
	}
	return o.book.thread.Auth
}

// choices are kept with the thread, so that a resume makes them again, whatever
// the settings say by then. Model is what was asked for this thread; nil in a
// thread that is older than the choice: its last model counts.
type choices struct {
	NonessentialTraffic bool    `json:"nonessential_traffic"`
	Model               *string `json:"model,omitempty"`
	System              string  `json:"system,omitempty"` // H(the added prompt) that it began with, or empty
	// Branch is where the conversation was copied from, and Since the number of its
	// first turn of its own.
	Branch *branch `json:"branch,omitempty"`
	Since  int     `json:"since,omitempty"`
	// Left are the agent's ids of conversations that were this thread's own before it
	// went another way. Their histories stay until the thread is deleted with its own.
	Left []string `json:"left,omitempty"`
	// Folder is the digest of what the folder brings and the newest process was given.
	Folder string `json:"folder,omitempty"`
}

func (o *owner) choices() (choices, error) {
	var c choices
	if len(o.book.thread.Launch) == 0 {
		return c, nil
	}
	if err := json.Unmarshal(o.book.thread.Launch, &c); err != nil {
		return c, vyre.Errorf(vyre.CodeInternal, "the thread's launch options can't be read").Because(err)
	}
	return c, nil
}

func (o *owner) choose(c choices) error {
	b, err := json.Marshal(c)
	if err != nil {
		return vyre.Errorf(vyre.CodeInternal, "the thread's launch options can't be written").Because(err)
	}
	o.book.thread.Launch = b // stored with the change that it is part of
	return nil
}

// launchOptions keeps what a thread was started with, and completes what its
// process gets: the model that was asked for it before the one of the settings,
// and what is left of its budget.
func (o *owner) launchOptions(p agent.Provider, opts *agent.Options) error {
	th := &o.book.thread
	fresh := len(th.Launch) == 0
	c, err := o.choices()
	if err != nil {
		return err
	}
	if fresh {
		asked := th.Model
		c = choices{NonessentialTraffic: opts.NonessentialTraffic, Model: &asked, System: textHash(opts.System)}
		if err := o.choose(c); err != nil {
			return err
		}
	}
	opts.NonessentialTraffic = c.NonessentialTraffic
	opts.SystemChanged = textHash(opts.System) != c.System
	switch {
	case c.Model == nil:
		opts.Model = th.Model
	case *c.Model != "":
		opts.Model = *c.Model
	}
	opts.Model = p.Info().Named(opts.Model)
	if opts.Model != "" {
		th.Model = opts.Model // stored with the handshake
	}
	opts.BudgetMicros = o.budgetLeft()
	return nil
}

// textHash names a text; nothing has no name.
func textHash(text string) string {
	if text == "" {
		return ""
	}
	h := sha256.Sum256([]byte(text))
	return hex.EncodeToString(h[:])
}

// askedModel notes the model that a person asked for this thread; "" lets the
// settings decide again, from its next process on.
func (o *owner) askedModel(model string) error {
	c, err := o.choices()
	if err != nil {
		return err
	}
	c.Model = &model
	return o.choose(c)
}
