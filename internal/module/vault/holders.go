package vault

import (
	"context"
	"path/filepath"

	"vyre"
)

// HolderIn is the input of vault.grant and vault.revoke.
type HolderIn struct {
	Name   string          `json:"name" jsonschema:"the item's name"`
	Kind   vyre.HolderKind `json:"kind" jsonschema:"thread, project, agent or module"`
	Holder string          `json:"holder" jsonschema:"the thread's id, the project's folder, the agent's or module's name"`
}

// GrantOut is a grant, and the requests that it answered.
type GrantOut struct {
	vyre.VaultGrant
	Answered []string `json:"answered"`
}

func (m *Module) grant(ctx context.Context, c vyre.Caller, in HolderIn) (GrantOut, error) {
	if _, err := m.item(ctx, in.Name); err != nil {
		return GrantOut{}, err
	}
	if err := m.check(ctx, &in); err != nil {
		return GrantOut{}, err
	}
	m.shared.changing.Lock()
	defer m.shared.changing.Unlock()
	now := vyre.At(m.Now())
	g := vyre.VaultGrant{Name: in.Name, Kind: in.Kind, Holder: in.Holder, By: c.String(), Proof: c.Proof, Level: c.Level, Created: now}
	commit := &vyre.Commit{Durable: true, Holders: []vyre.VaultGrant{g}}
	thread := vyre.ThreadID("")
	if in.Kind == vyre.HolderThread {
		thread = vyre.ThreadID(in.Holder)
	}
	commit.Events = []vyre.Event{vyre.NewEvent(thread, "", vyre.VaultGrantedData{
		Name: g.Name, Kind: g.Kind, Holder: g.Holder, By: g.By, Proof: g.Proof, Level: g.Level,
	})}
	out := GrantOut{VaultGrant: g}
	open, err := m.Store.VaultRequests(ctx, "", in.Name, false)
	if err != nil {
		return GrantOut{}, err
	}
	for _, q := range open {
		th, err := m.Store.Thread(ctx, q.Thread)
		if err != nil || !holds(g, th) {
			continue // a thread that is gone waits for nothing
		}
		decide(commit, q, vyre.VaultGranted, c, now)
		out.Answered = append(out.Answered, q.ID)
	}
	if err := m.Store.Commit(ctx, commit); err != nil {
		return GrantOut{}, err
	}
	m.shared.waiting.wake(out.Answered...)
	return out, nil
}

func (m *Module) revoke(ctx context.Context, c vyre.Caller, in HolderIn) (HolderIn, error) {
	grants, err := m.Store.VaultGrants(ctx, in.Name)
	if err != nil {
		return HolderIn{}, err
	}
	for _, g := range grants {
		if g.Kind == in.Kind && g.Holder == in.Holder {
			thread := vyre.ThreadID("")
			if g.Kind == vyre.HolderThread {
				thread = vyre.ThreadID(g.Holder)
			}
			return in, m.Store.Commit(ctx, &vyre.Commit{
				Durable: true, Unheld: []vyre.VaultGrant{g},
				Events: []vyre.Event{vyre.NewEvent(thread, "", vyre.VaultRevokedData{Name: g.Name, Kind: g.Kind, Holder: g.Holder, By: c.String()})},
			})
		}
	}
	return HolderIn{}, vyre.NotFound("grant of "+in.Name+" to", in.Holder).WithHint("`vyre vault ls` shows who may have what.")
}

// check refuses a holder that can't be one, and cleans a project's path.
func (m *Module) check(ctx context.Context, in *HolderIn) error {
	switch in.Kind {
	case vyre.HolderThread:
		_, err := m.Store.Thread(ctx, vyre.ThreadID(in.Holder))
		return err
	case vyre.HolderProject:
		if !filepath.IsAbs(in.Holder) {
			return vyre.Invalid("holder", "a project is an absolute path")
		}
		in.Holder = filepath.Clean(in.Holder)
		return nil
	case vyre.HolderAgent, vyre.HolderModule:
		if !vyre.ValidID(in.Holder) {
			return vyre.Invalid("holder", "must be 1 to 64 of a-z, 0-9, _ and -")
		}
		return nil
	}
	return vyre.Invalid("kind", "must be thread, project, agent or module")
}

// holds reports whether a grant is a thread's.
func holds(g vyre.VaultGrant, th vyre.Thread) bool {
	switch g.Kind {
	case vyre.HolderThread:
		return g.Holder == string(th.ID)
	case vyre.HolderProject:
		return th.Project != "" && g.Holder == filepath.Clean(th.Project)
	case vyre.HolderAgent:
		return th.Agent != "" && g.Holder == th.Agent
	case vyre.HolderModule:
	}
	return false
}

// granted reports whether a thread may have an item.
func (m *Module) granted(ctx context.Context, name string, th vyre.Thread) (bool, error) {
	grants, err := m.Store.VaultGrants(ctx, name)
	for _, g := range grants {
		if holds(g, th) {
			return true, nil
		}
	}
	return false, err
}
