package room

import (
	"context"
	"os"
	"path/filepath"
)

// Use is what one class takes and how it gets less.
type Use struct {
	Class  Class
	Bytes  int64
	Within Class // the class it is a part of, or empty
	Count  int   // folders or versions, where they are counted
	// Freeable is how much could go without anything of a person's; How says by
	// what. 0 with a How: it goes by itself, or only the person can judge.
	Freeable int64
	How      string
}

// Usage lists what uses how much, as of now. It walks the home.
func (k *Keeper) Usage(ctx context.Context) ([]Use, State, error) {
	p := k.cfg.Places
	st, err := k.cfg.Store.Stored(ctx)
	if err != nil {
		return nil, State{}, err
	}
	shrink := "vyre du --prune"
	if !st.CanShrink {
		shrink = "used again by itself; a restored backup does not have it"
	}
	uses := []Use{
		{Class: Database, Bytes: st.Size},
		{Class: Words, Within: Database, Bytes: st.Words, How: "[retention] words_days"},
		{Class: Outputs, Within: Database, Bytes: st.Outputs, How: "[retention] outputs_days"},
		{Class: Raw, Within: Database, Bytes: st.Raw, How: "[retention] raw_days"},
		{Class: Free, Within: Database, Bytes: st.Free, How: shrink},
	}
	if st.CanShrink {
		uses[4].Freeable = st.Free
	}
	sessions, err := k.sessionUse(ctx)
	if err != nil {
		return nil, State{}, err
	}
	agents, err := k.agentUse(ctx)
	if err != nil {
		return nil, State{}, err
	}
	uses = append(uses, sessions, agents)
	for _, f := range []struct {
		class Class
		dir   string
		how   string
	}{
		{Attachments, p.Attach, "deleting the threads that have them"},
		{Worktrees, p.Worktrees, "worktree.remove, one by one: they may hold work"},
	} {
		u := Use{Class: f.class, How: f.how, Count: len(entries(f.dir))}
		if u.Bytes, err = sizeOf(ctx, f.dir); err != nil {
			return nil, State{}, err
		}
		uses = append(uses, u)
	}
	used, err := k.measure(ctx)
	if err != nil {
		return nil, State{}, err
	}
	rest := Use{Class: Other, Bytes: used, How: "the daemon's log, keys, settings, programs of Vyre"}
	for _, u := range uses {
		if u.Within == "" && u.Class != Worktrees {
			rest.Bytes -= u.Bytes
		}
	}
	rest.Bytes = max(rest.Bytes, 0) // files change while they are added up
	return append(uses, rest), k.State(), nil
}

func (k *Keeper) sessionUse(ctx context.Context) (Use, error) {
	u := Use{Class: Sessions, How: "goes when a session ends and all of it is in the database", Count: len(entries(k.cfg.Places.Sessions))}
	var err error
	if u.Bytes, err = sizeOf(ctx, k.cfg.Places.Sessions); err != nil {
		return u, err
	}
	left, err := k.cfg.Leftover(ctx)
	if err != nil {
		return u, err
	}
	for _, f := range left {
		n, err := sizeOf(ctx, f)
		if err != nil {
			return u, err
		}
		u.Freeable += n
	}
	return u, nil
}

// agentUse tells versions that nothing needs from the others.
func (k *Keeper) agentUse(ctx context.Context) (Use, error) {
	u := Use{Class: Agents, How: "vyre du --prune removes versions that nothing runs"}
	var err error
	if u.Bytes, err = sizeOf(ctx, k.cfg.Places.Agents); err != nil {
		return u, err
	}
	old, err := k.oldAgents(ctx)
	if err != nil {
		return u, err
	}
	for _, f := range old {
		u.Freeable += f.bytes
	}
	for _, provider := range entries(k.cfg.Places.Agents) {
		u.Count += len(entries(filepath.Join(k.cfg.Places.Agents, provider)))
	}
	return u, nil
}

// entries lists the folders in a folder that are not hidden.
func entries(dir string) (names []string) {
	list, err := os.ReadDir(dir)
	if err != nil {
		return nil // a folder that is not there holds nothing
	}
	for _, e := range list {
		if e.IsDir() && e.Name()[0] != '.' {
			names = append(names, e.Name())
		}
	}
	return names
}
