package trust

import (
	"context"
	"path/filepath"
	"regexp"

	"vyre"
	"vyre/internal/registry"
)

// Store reads decisions. internal/store/sqlite implements it.
type Store interface {
	Trusts(ctx context.Context, path string) ([]vyre.TrustDecision, error)
}

// Engine takes decisions back and sees to the sessions that rest on them.
type Engine interface {
	RevokeTrust(ctx context.Context, path, digest, by string) ([]vyre.TrustDecision, error)
}

// Module holds what the tools need.
type Module struct {
	Store  Store
	Engine Engine
}

// ListIn is the input of trust.list.
type ListIn struct {
	Path string `json:"path,omitempty" jsonschema:"only this folder, absolute"`
}

// ListOut is the output of trust.list.
type ListOut struct {
	Decisions []vyre.TrustDecision `json:"decisions"`
}

// RevokeIn is the input of trust.revoke.
type RevokeIn struct {
	Path   string `json:"path" jsonschema:"the folder, absolute"`
	Digest string `json:"digest,omitempty" jsonschema:"only the decision on these files; default: all on this folder"`
}

// RevokeOut is the output of trust.revoke.
type RevokeOut struct {
	Revoked []vyre.TrustDecision `json:"revoked"`
}

// Register declares the tools and the event.
func (m *Module) Register(r *registry.Registry) {
	registry.Define(r, vyre.Tool{
		Name: "trust.list", Effect: vyre.EffectRead, Reach: vyre.ReachPerson,
		Summary: "List what was decided on the settings that folders bring.",
	}, m.list)
	registry.Define(r, vyre.Tool{
		Name: "trust.revoke", Effect: vyre.EffectWrite, Reach: vyre.ReachPerson,
		Summary: "Take decisions on a folder back: what it brings is asked about anew at the next start, and a session that uses it is closed at the end of its turn.",
	}, m.revoke)
	registry.DefineEvent[vyre.TrustChanged](r, "A person allowed or refused what a folder brings, or took that back.")
}

func (m *Module) list(ctx context.Context, _ vyre.Caller, in ListIn) (ListOut, error) {
	path, err := folder(in.Path, true)
	if err != nil {
		return ListOut{}, err
	}
	list, err := m.Store.Trusts(ctx, path)
	if list == nil {
		list = []vyre.TrustDecision{}
	}
	return ListOut{list}, err
}

var digest = regexp.MustCompile(`^[0-9a-f]{64}$`)

func (m *Module) revoke(ctx context.Context, c vyre.Caller, in RevokeIn) (RevokeOut, error) {
	path, err := folder(in.Path, false)
	if err != nil {
		return RevokeOut{}, err
	}
	if in.Digest != "" && !digest.MatchString(in.Digest) {
		return RevokeOut{}, vyre.Invalid("digest", "a digest is 64 digits of 0-9 and a-f, as trust.list shows it")
	}
	list, err := m.Engine.RevokeTrust(ctx, path, in.Digest, c.String())
	return RevokeOut{list}, err
}

// folder checks a path and follows its links, as decisions go by the real one. A folder
// that is gone goes by what it is called.
func folder(path string, empty bool) (string, error) {
	switch {
	case path == "" && empty:
		return "", nil
	case !filepath.IsAbs(path):
		return "", vyre.Invalid("path", "the folder must be an absolute path")
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real, nil
	}
	return filepath.Clean(path), nil
}
