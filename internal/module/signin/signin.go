package signin

import (
	"context"

	"vyre"
	"vyre/internal/registry"
)

// Codes makes one-time codes. internal/identity implements it.
type Codes interface {
	NewCode(ctx context.Context) (code string, expires vyre.Time, err error)
}

// Module holds what the tool needs. Origin is the page's, without a slash at the end.
type Module struct {
	Codes  Codes
	Origin string
}

// Register declares the tool.
func (m *Module) Register(r *registry.Registry) {
	registry.Define(r, vyre.Tool{
		Name: "sign_in.code", Effect: vyre.EffectAdmin, Reach: vyre.ReachPerson, Admits: true,
		Summary: "Make an address that signs one browser in: it works once, for ten minutes.",
	}, m.code)
}

// CodeIn is the empty input of sign_in.code.
type CodeIn struct{}

// CodeOut is the output of sign_in.code. The code stands in the address's
// fragment, which browsers send to nobody.
type CodeOut struct {
	Code    string    `json:"code"`
	URL     string    `json:"url"`
	Expires vyre.Time `json:"expires"`
}

func (m *Module) code(ctx context.Context, _ vyre.Caller, _ CodeIn) (CodeOut, error) {
	code, expires, err := m.Codes.NewCode(ctx)
	if err != nil {
		return CodeOut{}, err
	}
	return CodeOut{code, m.Origin + "/sign-in#code=" + code, expires}, nil
}
