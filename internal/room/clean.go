package room

import (
	"context"
	"os"
	"path/filepath"
)

// Cleaned says what a clean-up removed, in bytes.
type Cleaned struct {
	Agents   []string // <provider>/<version>
	Sessions int64    // folders of sessions that ended
	Database int64    // free pages and the write-ahead log
	Freed    int64    // all of it
}

// folder is one version of an agent's program.
type folder struct {
	path  string
	name  string // <provider>/<version>
	bytes int64
}

// oldAgents lists the versions of agents that nothing needs. What is hidden is an
// install at work.
func (k *Keeper) oldAgents(ctx context.Context) (out []folder, err error) {
	for _, provider := range entries(k.cfg.Places.Agents) {
		for _, version := range entries(filepath.Join(k.cfg.Places.Agents, provider)) {
			f := folder{path: filepath.Join(k.cfg.Places.Agents, provider, version), name: provider + "/" + version}
			if k.cfg.AgentInUse(f.path) {
				continue
			}
			if f.bytes, err = sizeOf(ctx, f.path); err != nil {
				return nil, err
			}
			out = append(out, f)
		}
	}
	return out, nil
}

// Clean removes what nothing needs: versions of agents that nothing runs, folders
// of sessions that ended, and pages of the database that hold nothing. It is a
// person's to ask for. After an error what it removed is said all the same.
func (k *Keeper) Clean(ctx context.Context) (c Cleaned, err error) {
	old, err := k.oldAgents(ctx)
	if err != nil {
		return c, err
	}
	for _, f := range old {
		if err := os.RemoveAll(f.path); err != nil {
			return c, err
		}
		c.Agents = append(c.Agents, f.name)
		c.Freed += f.bytes
	}
	if c.Sessions, err = k.dropLeftover(ctx); err != nil {
		return c, err
	}
	c.Freed += c.Sessions
	before := k.cfg.Store.Size()
	if err := k.cfg.Store.Shrink(ctx); err != nil {
		return c, err
	}
	c.Database = max(before-k.cfg.Store.Size(), 0)
	c.Freed += c.Database
	_, err = k.measure(ctx)
	return c, err
}
