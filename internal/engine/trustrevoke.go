package engine

import (
	"context"

	"vyre"
)

// RevokeTrust takes decisions on a folder back: all of them, or the one on a digest. A
// session that uses what is not allowed any more is closed at the end of its turn. It
// returns what was taken back. Errors: not_found.
func (e *Engine) RevokeTrust(ctx context.Context, path, digest, by string) ([]vyre.TrustDecision, error) {
	all, err := e.cfg.Store.Trusts(ctx, path)
	if err != nil {
		return nil, err
	}
	c := vyre.Commit{Durable: true}
	var gone []vyre.TrustDecision
	for _, d := range all {
		if digest != "" && d.Digest != digest {
			continue
		}
		gone = append(gone, d)
		c.Trust = append(c.Trust, vyre.TrustDecision{Path: d.Path, Provider: d.Provider, Digest: d.Digest})
		c.Events = append(c.Events, vyre.NewEvent("", "", vyre.TrustChanged{
			Path: d.Path, Provider: d.Provider, Digest: d.Digest, Decision: "revoked", By: by,
		}))
	}
	if len(gone) == 0 {
		return nil, vyre.Errorf(vyre.CodeNotFound, "nothing was decided on this folder").
			WithHint("trust.list shows the folders, by their real paths.")
	}
	if err := e.cfg.Store.Commit(ctx, &c); err != nil {
		return nil, err
	}
	for _, s := range e.Sessions() {
		e.spawn(func() { e.LookAgain(s.Thread) })
	}
	return gone, nil
}

// LookAgain compares what a thread's live process was given with what its folder brings
// and what is decided on it now. A process that has what nobody allowed (any more) is
// closed at the end of its turn; a question about what is not there any more is asked
// anew. It waits for the thread's owner.
func (e *Engine) LookAgain(thread vyre.ThreadID) {
	if e.cfg.Folders == nil {
		return
	}
	th, err := e.cfg.Store.Thread(e.ctx, thread)
	if err != nil {
		return // a start that nobody was told of yet looks for itself
	}
	p, err := e.provider(th.Provider)
	if err != nil {
		return
	}
	b, err := e.cfg.Folders.Brought(e.ctx, p, th)
	if err != nil {
		b.Unread = "it can't be read"
	}
	w, err := e.judge(e.ctx, b)
	if err != nil {
		e.cfg.Log.Error("a decision on a folder can't be read", "error", err)
		return
	}
	err = e.do(e.ctx, thread, func(o *owner, r *request) (bool, error) { return true, o.folderNow(r.ctx, w) })
	if err != nil && e.ctx.Err() == nil {
		e.cfg.Log.Warn("what a folder brings could not be looked at again", "thread", string(thread), "error", err)
	}
}

// folderNow takes what a new look at the folder found.
func (o *owner) folderNow(ctx context.Context, w weighed) error {
	c, err := o.choices()
	if err != nil {
		return err
	}
	if o.run != nil && o.run.ready {
		switch {
		case c.Folder != "" && (w.Trust != vyre.FolderUsed || w.Digest != c.Folder):
			o.run.stale, o.run.staleFor = "what the folder brings is not what was allowed any more", vyre.StopIdle
		case c.Folder == "" && w.Trust == vyre.FolderUsed:
			o.run.refolder = "the folder's settings are used from now on"
		}
	}
	if o.book.trust == nil || w.Trust == vyre.FolderWaiting && subjectOf(*o.book.trust).Digest == w.Digest {
		return nil
	}
	t := o.begin()
	o.dropTrustAsk(t, "what the folder brings is not what this asked about any more")
	if w.Trust == vyre.FolderWaiting {
		o.raiseTrust(t, w.Brought)
	}
	return t.commit(ctx)
}
