package engine

import (
	"context"
	"encoding/json"

	"vyre"
	"vyre/agent"
)

// Folders reads what a thread's folder brings to its agent: hooks, servers, addresses,
// rules. Errors: unavailable.
type Folders interface {
	Brought(ctx context.Context, p agent.Provider, th vyre.Thread) (vyre.Brought, error)
}

// weighed is what a folder brings, and what becomes of it in one process.
type weighed struct {
	vyre.Brought
	Trust vyre.FolderTrust
}

// weigh looks at what the thread's folder brings and at what a person decided on just
// that. Without an allow the agent starts without it.
func (o *owner) weigh(ctx context.Context, p agent.Provider) (weighed, error) {
	if o.e.cfg.Folders == nil {
		return weighed{}, nil
	}
	b, err := o.e.cfg.Folders.Brought(ctx, p, o.book.thread)
	if err != nil {
		return weighed{}, err
	}
	return o.e.judge(ctx, b)
}

func (e *Engine) judge(ctx context.Context, b vyre.Brought) (weighed, error) {
	w := weighed{Brought: b}
	switch {
	case b.Unread != "":
		w.Trust = vyre.FolderUnread
	case b.Digest != "":
		d, found, err := e.decidedOn(ctx, b)
		switch {
		case err != nil:
			return w, err
		case !found:
			w.Trust = vyre.FolderWaiting
		case d.Decision == vyre.Allow:
			w.Trust = vyre.FolderUsed
		default:
			w.Trust = vyre.FolderRefused
		}
	}
	return w, nil
}

// decidedOn finds a person's word on what a folder brings: on this folder, or on one that
// ours was made from.
func (e *Engine) decidedOn(ctx context.Context, b vyre.Brought) (vyre.TrustDecision, bool, error) {
	for _, path := range append([]string{b.Path}, b.Also...) {
		d, found, err := e.cfg.Store.Trust(ctx, path, b.Provider, b.Digest)
		if err != nil || found {
			return d, found, err
		}
	}
	return vyre.TrustDecision{}, false, nil
}

// trusting makes a launch's options what was decided, and notes in the thread what its
// process will have been given.
func (o *owner) trusting(ctx context.Context, p agent.Provider, opts *agent.Options) (weighed, error) {
	w, err := o.weigh(ctx, p)
	if err != nil {
		return w, err
	}
	opts.FolderSettings = w.Trust == vyre.FolderUsed
	c, err := o.choices()
	if err != nil {
		return w, err
	}
	c.Folder = ""
	if opts.FolderSettings {
		c.Folder = w.Digest
	}
	return w, o.choose(c)
}

// unseen reports whether what the folder brings is not what this process was allowed to
// take: it changed between the look and the agent's own.
func (o *owner) unseen(ctx context.Context) error {
	if o.run.folder.Trust != vyre.FolderUsed {
		return nil
	}
	now, err := o.e.cfg.Folders.Brought(ctx, o.run.provider, o.book.thread)
	if err != nil {
		return err
	}
	if now.Digest == o.run.folder.Digest && now.Unread == "" {
		return nil
	}
	return vyre.Errorf(vyre.CodeUnavailable, "what the folder brings changed while the agent started").
		WithHint("Start again: it is shown to you before it is used.")
}

// tellFolder says in a handshake's change what became of what the folder brings, and
// asks where nobody decided. A question about something else than that is over.
func (o *owner) tellFolder(t *tx, fresh bool) {
	w := o.run.folder
	if a := o.book.trust; a != nil && (w.Trust != vyre.FolderWaiting || subjectOf(*a).Digest != w.Digest) {
		o.dropTrustAsk(t, "what the folder brings is not what this asked about any more")
	}
	switch w.Trust {
	case vyre.FolderWaiting:
		if o.book.trust == nil {
			o.raiseTrust(t, w.Brought)
		}
	case vyre.FolderRefused:
		if fresh {
			o.folderNotice(t, w.Digest, "The folder's settings are not used", "You refused what this folder brings ("+summary(w.Things)+"). "+
				"`vyre trust` shows it and takes the decision back.")
		}
	case vyre.FolderUnread:
		if fresh {
			o.folderNotice(t, w.Unread, "The folder's settings are not used", "They can't be shown whole, so nobody can allow them: "+w.Unread+".")
		}
	case vyre.FolderUsed, "":
	}
}

// raiseTrust asks a person about what the folder brings. The question is ours and not the
// agent's: it stays open whatever becomes of the process, and is in nobody's way.
func (o *owner) raiseTrust(t *tx, b vyre.Brought) {
	native, err := json.Marshal(subject{b.Path, b.Provider, b.Digest})
	if err != nil {
		panic("engine: a folder's name is plain data: " + err.Error())
	}
	a := vyre.Ask{
		ID: vyre.NewAskID(), Thread: o.id, Turn: o.turnID(), Kind: vyre.AskTrust, Source: "vyre", AgentPath: []string{},
		Title: "Use what this folder brings? " + summary(b.Things), Display: displayOf(b), Input: inputOf(b),
		Options: trustOptions, State: vyre.AskOpen, Created: o.e.now(), Native: native,
	}
	a.Digest = vyre.DigestOf(a)
	o.book.trust = &a
	t.durable()
	t.c.Asks = append(t.c.Asks, a)
	t.event(vyre.AskRaised{Ask: a.ID, Kind: a.Kind, Title: a.Title})
	o.folderNotice(t, b.Digest, "The folder's settings wait for you", "This folder brings "+summary(b.Things)+
		". The agent works without that until you have looked at it and allowed it.")
}

// OptionTrust uses what a folder brings.
const OptionTrust = "trust"

var trustOptions = []vyre.AskOption{
	{ID: OptionTrust, Label: "Use them, from the agent's next start", Kind: vyre.Allow},
	{ID: OptionDeny, Label: "Don't use them, as they are now", Kind: vyre.Deny},
}

// subject is what a trust ask is about; it is kept with the ask.
type subject struct {
	Path     string `json:"path"`
	Provider string `json:"provider"`
	Digest   string `json:"digest"`
}

func subjectOf(a vyre.Ask) subject {
	var s subject
	_ = json.Unmarshal(a.Native, &s) // only raiseTrust writes it
	return s
}

// dropTrustAsk withdraws the open question.
func (o *owner) dropTrustAsk(t *tx, why string) {
	a := *o.book.trust
	o.book.trust = nil
	a.State, a.Withdrew, a.At = vyre.AskCancelled, why, o.e.now()
	t.durable()
	t.c.Asks = append(t.c.Asks, a)
	t.event(vyre.AskCancelledData{Ask: a.ID, Why: why})
}

func (o *owner) folderNotice(t *tx, key, title, text string) {
	o.item(t, agent.Item{
		Key: "folder:" + key + ":" + vyre.NewID(), Kind: vyre.ItemNotice, Status: vyre.ItemCompleted, Title: title, Text: text,
	})
}
