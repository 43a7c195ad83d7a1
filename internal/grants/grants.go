package grants

import (
	"context"
	"slices"
	"sync"
	"time"

	"vyre"
	"vyre/internal/policy"
)

// Store keeps grants. internal/store/sqlite implements it.
type Store interface {
	Commit(ctx context.Context, c *vyre.Commit) error
	Grants(ctx context.Context, project string, all bool) ([]vyre.Grant, error)
	Grant(ctx context.Context, id vyre.GrantID) (vyre.Grant, error)
}

// Book is the grants of a home.
type Book struct {
	store Store
	now   func() time.Time
	real  func(string) string // where a folder really is

	mu   sync.RWMutex // guards what follows; nothing is called while it is held but policy
	live map[string][]vyre.Grant
	gone map[vyre.GrantID]bool // taken back while this daemon runs
}

// New makes a book that is empty until Load. real follows the links of a folder, as
// parts of calls name files where they really are.
func New(store Store, now func() time.Time, real func(string) string) *Book {
	return &Book{store: store, now: now, real: real, live: map[string][]vyre.Grant{}, gone: map[vyre.GrantID]bool{}}
}

// Load reads what holds.
func (b *Book) Load(ctx context.Context) error {
	all, err := b.store.Grants(ctx, "", false)
	if err == nil {
		b.Given(all)
	}
	return err
}

// Given takes note of grants that somebody committed.
func (b *Book) Given(list []vyre.Grant) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, g := range list {
		if !b.gone[g.ID] {
			b.live[g.Project] = append(b.live[g.Project], g)
		}
	}
}

// Granted says whether a grant covers one part of a call, and which.
func (b *Book) Granted(c policy.Call, p policy.Part) (vyre.GrantID, bool) {
	now, project := vyre.At(b.now()), c.Project
	c.Project, c.CWD = b.real(c.Project), b.real(c.CWD)
	b.mu.RLock()
	defer b.mu.RUnlock()
	for _, g := range b.live[project] {
		g.Project = c.Project
		if g.Holds(now) && policy.Covers(g, c, p) {
			return g.ID, true
		}
	}
	return "", false
}

// Holds reports whether just this is granted in a project already.
func (b *Book) Holds(project string, s vyre.GrantSpec) bool {
	now := vyre.At(b.now())
	b.mu.RLock()
	defer b.mu.RUnlock()
	return slices.ContainsFunc(b.live[project], func(g vyre.Grant) bool {
		return g.Holds(now) && g.Expires == 0 && same(g.GrantSpec, s)
	})
}

func same(a, b vyre.GrantSpec) bool {
	return a.Kind == b.Kind && a.Path == b.Path && a.Source == b.Source && a.Tool == b.Tool && slices.Equal(a.Args, b.Args)
}

// Add gives a grant that a person names. Errors: invalid (policy.CheckGrant), those
// of the store.
func (b *Book) Add(ctx context.Context, g vyre.Grant) (vyre.Grant, error) {
	if err := policy.CheckGrant(g.GrantSpec); err != nil {
		return vyre.Grant{}, err
	}
	g.ID, g.Created = vyre.GrantID(vyre.NewID()), vyre.At(b.now())
	c := vyre.Commit{Durable: true, Grants: []vyre.Grant{g}, Events: []vyre.Event{vyre.NewEvent("", "", g.Event())}}
	if err := b.store.Commit(ctx, &c); err != nil {
		return vyre.Grant{}, err
	}
	b.Given([]vyre.Grant{g})
	return g, nil
}

// Revoke takes a grant back; again is the same. Errors: not_found, those of the store.
func (b *Book) Revoke(ctx context.Context, id vyre.GrantID, by vyre.Caller) (vyre.Grant, error) {
	g, err := b.store.Grant(ctx, id)
	if err != nil || g.Revoked != 0 {
		return g, err
	}
	g.Revoked, g.RevokedBy = vyre.At(b.now()), by.String()
	c := vyre.Commit{Durable: true, Grants: []vyre.Grant{g}, Events: []vyre.Event{vyre.NewEvent("", "", vyre.GrantRevoked{
		Grant: g.ID, Project: g.Project, Words: g.Words(), By: g.RevokedBy,
	})}}
	if err := b.store.Commit(ctx, &c); err != nil {
		return vyre.Grant{}, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.gone[id] = true
	b.live[g.Project] = slices.DeleteFunc(b.live[g.Project], func(x vyre.Grant) bool { return x.ID == id })
	return g, nil
}
