package sqlite

import (
	"context"

	"vyre"
)

// rewind marks what a conversation went back before. The rows stay: what was said
// can still be read.
func (w *writer) rewind(ctx context.Context, m *vyre.RewindMark) error {
	if m == nil {
		return nil
	}
	return inOrder(
		func() error {
			return w.exec(ctx, "UPDATE turns SET rewound = 1 WHERE thread = ? AND n >= ?", string(m.Thread), int64(m.From))
		},
		func() error {
			return w.exec(ctx, "UPDATE items SET rewound = 1, rev = ? WHERE thread = ? AND turn >= ? AND rewound = 0",
				w.log.head, string(m.Thread), int64(m.From))
		},
	)
}
