package threads

import (
	"context"

	"vyre"
)

// DeleteIn is the input of threads.delete.
type DeleteIn struct {
	Thread     vyre.ThreadID `json:"thread" jsonschema:"the thread; it has no live session"`
	DryRun     bool          `json:"dry_run,omitempty" jsonschema:"say what would go and delete nothing"`
	Transcript bool          `json:"transcript,omitempty" jsonschema:"the agent's own transcript too; else it stays"`
}

// DeleteOut is the output of threads.delete: what went, or would go. Of the log the
// events' data goes; that there were events stays, so that it still verifies.
// Attachments counts files that no other thread has. Transcript lists the agent's own
// files that go with it, Worktree is a folder that always stays.
type DeleteOut struct {
	Thread      vyre.ThreadID `json:"thread"`
	Name        string        `json:"name"`
	Deleted     bool          `json:"deleted"`
	Turns       int64         `json:"turns"`
	Items       int64         `json:"items"`
	Asks        int64         `json:"asks"`
	Messages    int64         `json:"messages"`
	Events      int64         `json:"events"`
	Attachments int           `json:"attachments"`
	Transcript  []string      `json:"transcript"`
	Worktree    string        `json:"worktree"`
}

func (m *Module) remove(ctx context.Context, c vyre.Caller, in DeleteIn) (DeleteOut, error) {
	th, err := m.Store.Thread(ctx, in.Thread)
	if err != nil {
		return DeleteOut{}, err
	}
	h, err := m.Store.Holdings(ctx, in.Thread)
	if err != nil {
		return DeleteOut{}, err
	}
	out := DeleteOut{
		Thread: th.ID, Name: th.Name, Turns: h.Turns, Items: h.Items, Asks: h.Asks, Messages: h.Messages,
		Events: h.Events, Attachments: len(h.Attachments), Worktree: th.Worktree,
	}
	if out.Transcript, err = m.Engine.Delete(ctx, in.Thread, in.Transcript, in.DryRun, c.String()); err != nil {
		return DeleteOut{}, err
	}
	out.Transcript = filled(out.Transcript)
	if in.DryRun {
		return out, nil
	}
	out.Deleted = true
	// What can't be removed now goes by the sweeper: no message names it any more.
	_ = m.Attachments.Remove(ctx, h.Attachments)
	return out, nil
}
