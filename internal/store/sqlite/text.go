package sqlite

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"vyre"
)

// ItemText returns the words of an item that is still running, put together from
// its thread.text events in order of offset. Words that came twice (a crash can
// make the agent's output be read again) are there once.
func (db *DB) ItemText(ctx context.Context, item vyre.ItemID) (string, error) {
	parts, err := list(ctx, db, scanText,
		"SELECT data FROM events WHERE item IS NOT NULL AND item = ? ORDER BY seq", string(item))
	if err != nil {
		return "", err
	}
	slices.SortStableFunc(parts, func(a, b vyre.ThreadText) int { return a.Offset - b.Offset })
	var b strings.Builder
	for _, p := range parts {
		known := b.Len() - p.Offset
		if known >= len(p.Text) && known > 0 {
			continue
		}
		b.WriteString(p.Text[max(known, 0):])
	}
	return b.String(), nil
}

func scanText(r scanner) (t vyre.ThreadText, err error) {
	var data []byte
	if err := r.Scan(&data); err != nil {
		return t, err
	}
	if data == nil { // redacted
		return t, nil
	}
	return t, json.Unmarshal(data, &t)
}
