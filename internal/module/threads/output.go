package threads

import (
	"context"

	"vyre"
	"vyre/internal/registry"
)

func (m *Module) registerOutput(r *registry.Registry) {
	registry.Define(r, vyre.Tool{
		Name: "threads.output", Effect: vyre.EffectRead, Reach: vyre.ReachSelf,
		Summary: "Read the whole output of a tool call piece by piece: what threads.items gives only the beginning of.",
	}, m.output)
}

// OutputIn is the input of threads.output.
type OutputIn struct {
	Thread vyre.ThreadID `json:"thread" jsonschema:"the thread"`
	Item   vyre.ItemID   `json:"item" jsonschema:"the tool call's item: output_ref.ref of its body"`
	Offset int64         `json:"offset,omitempty" jsonschema:"where to begin, in bytes; default 0"`
	Limit  int           `json:"limit,omitempty" jsonschema:"how many bytes, about: at most 1048576; default 65536"`
}

// ThreadRef tells the registry which thread a call is about.
func (in OutputIn) ThreadRef() vyre.ThreadID { return in.Thread }

// OutputOut is the output of threads.output.
type OutputOut struct {
	Item   vyre.ItemID     `json:"item"`
	Form   vyre.OutputForm `json:"form"` // text, or json for a structure of the provider's
	Offset int64           `json:"offset"`
	Next   int64           `json:"next"`  // where the next piece begins; equals bytes at the end
	Bytes  int64           `json:"bytes"` // of the whole
	Text   string          `json:"text"`
}

// Bounds of a piece in bytes.
const (
	pieceDefault = 64 << 10
	pieceMax     = 1 << 20
	pieceMin     = 4 // the longest character
)

func (m *Module) output(ctx context.Context, _ vyre.Caller, in OutputIn) (OutputOut, error) {
	switch {
	case in.Limit == 0:
		in.Limit = pieceDefault
	case in.Limit < pieceMin || in.Limit > pieceMax:
		return OutputOut{}, vyre.Invalid("limit", "%d to %d", pieceMin, pieceMax)
	}
	if _, err := m.Store.Thread(ctx, in.Thread); err != nil {
		return OutputOut{}, err
	}
	p, err := m.Store.Output(ctx, in.Thread, in.Item, in.Offset, in.Limit)
	return OutputOut{Item: in.Item, Form: p.Form, Offset: in.Offset, Next: p.Next, Bytes: p.Bytes, Text: p.Text}, err
}
