package daemon

import (
	"context"
	"log/slog"
	"path/filepath"
	"strings"
	"time"

	"vyre"
	"vyre/internal/attach"
	"vyre/internal/git"
	"vyre/internal/suggest"
	"vyre/internal/worktree"
)

// files is what the daemon keeps beside the database: attachments and work trees.
type files struct {
	git    *git.Git
	attach *attach.Store
	trees  *worktree.Manager
}

func (h *house) makeFiles() *files {
	g := git.New(h.opt.Getenv)
	return &files{
		git: g, attach: attach.New(h.layout.Attach(), time.Now),
		trees: worktree.New(h.layout.Worktrees(), filepath.Join(h.layout.Private(), "worktrees"), g, func() vyre.Time { return vyre.At(time.Now()) }),
	}
}

// sweepEvery is how often attachments that no message names are looked for.
const sweepEvery = 24 * time.Hour

// sweepFiles runs beside the rooms: at the start and daily. Work trees are looked at
// once: what an unfinished start of an earlier daemon left.
func (h *house) sweepFiles(ctx context.Context) {
	select {
	case <-h.engine.Started():
	case <-ctx.Done():
		return
	}
	h.sweepTrees(ctx)
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		h.sweepAttachments(ctx)
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

func (h *house) sweepAttachments(ctx context.Context) {
	used, err := h.db.AttachmentsInUse(ctx)
	if err == nil {
		_, err = h.files.attach.Sweep(ctx, used)
	}
	if err != nil && ctx.Err() == nil {
		h.opt.Log.Warn("attachments could not be tidied", slog.Any("error", err))
	}
}

func (h *house) sweepTrees(ctx context.Context) {
	of, err := h.db.Worktrees(ctx)
	if err != nil {
		h.opt.Log.Warn("worktrees could not be looked at", slog.Any("error", err))
		return
	}
	all, err := h.files.trees.List(ctx)
	for _, t := range all {
		if of[t.Path] != "" || t.Created >= vyre.At(h.started) {
			continue
		}
		if _, err := h.files.trees.Remove(ctx, t, false, ""); err != nil && ctx.Err() == nil {
			h.opt.Log.Warn("a worktree has no thread and holds work; it stays", slog.String("worktree", t.Path))
		}
	}
	if err != nil && ctx.Err() == nil {
		h.opt.Log.Warn("worktrees could not be listed", slog.Any("error", err))
	}
}

// suggest finds files for a person who types.
func (f *files) suggest(ctx context.Context, dir, query string, limit int) ([]string, error) {
	return suggest.Files(ctx, f.git, dir, query, limit)
}

// startTrees gives module threads the work trees of its starts.
type startTrees struct{ h *house }

// Create implements threads.Worktrees.
func (s startTrees) Create(ctx context.Context, cwd, key, branch, base string) (path, dir string, err error) {
	t, dir, err := s.h.files.trees.Create(ctx, worktree.CreateInput{CWD: cwd, ID: worktree.ID(key), Branch: branch, Base: base})
	return t.Path, dir, err
}

// Abandon implements threads.Worktrees.
func (s startTrees) Abandon(ctx context.Context, path string) {
	if path == "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	of, err := s.h.db.Worktrees(ctx)
	if err != nil || of[path] != "" || s.h.worksIn(ctx, path) {
		return
	}
	t, err := s.h.files.trees.Find(path)
	if err == nil {
		err = s.h.files.trees.Undo(ctx, t)
	}
	if err != nil {
		s.h.opt.Log.Warn("a worktree of a start that was refused stays", slog.String("worktree", path), slog.Any("error", err))
	}
}

// worksIn reports whether a session that may have no thread yet could be in a tree:
// then it is left for the next daemon's start.
func (h *house) worksIn(ctx context.Context, path string) bool {
	for _, s := range h.engine.Sessions() {
		th, err := h.db.Thread(ctx, s.Thread)
		if err != nil || strings.HasPrefix(th.CWD, path) {
			return true
		}
	}
	return false
}
