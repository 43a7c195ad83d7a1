package sqlite

import (
	"context"
	"encoding/json"
	"unicode/utf8"

	"vyre"
)

// partBytes is the size of a part of a large output: what one read touches.
const partBytes = 256 << 10

// OutputPart is a piece of a tool call's output.
type OutputPart struct {
	Text  string
	Bytes int64 // of the whole
	Next  int64 // where the next piece begins; the end when it equals Bytes
	Form  vyre.OutputForm
}

// putOutputs writes large outputs beside their items, each in place of what its
// item had.
func (w *writer) putOutputs(ctx context.Context, outs []vyre.Output) error {
	now := int64(vyre.At(w.db.opt.Now()))
	for _, o := range outs {
		if err := w.exec(ctx, "DELETE FROM outputs WHERE item = ?", string(o.Item)); err != nil {
			return err
		}
		err := w.exec(ctx, "INSERT INTO outputs (item, bytes, created) VALUES (?, ?, ?)", string(o.Item), len(o.Bytes), now)
		if err != nil {
			return err
		}
		for n, rest := 0, o.Bytes; len(rest) > 0; n++ {
			part := rest[:min(len(rest), partBytes)]
			rest = rest[len(part):]
			err := w.exec(ctx, "INSERT INTO output_parts (item, n, bytes) VALUES (?, ?, ?)", string(o.Item), n, part)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// Output returns up to about limit bytes of the output of a thread's tool call,
// from offset on, cut between characters. It reads no more of it than that.
// Errors: not_found for the item, for one without an output, and for an output
// that retention has removed; invalid for an offset beyond the end.
func (db *DB) Output(ctx context.Context, thread vyre.ThreadID, item vyre.ItemID, offset int64, limit int) (OutputPart, error) {
	body, found, err := one(ctx, db, func(r scanner) (b []byte, err error) { return b, r.Scan(&b) },
		"SELECT body FROM items WHERE id = ? AND thread = ?", string(item), string(thread))
	if err != nil {
		return OutputPart{}, err
	}
	if !found {
		return OutputPart{}, vyre.NotFound("item", string(item))
	}
	var b vyre.ToolBody
	if len(body) > 0 && json.Unmarshal(body, &b) != nil || len(b.Output) == 0 {
		return OutputPart{}, vyre.Errorf(vyre.CodeNotFound, "the item has no output")
	}
	if b.OutputRef == nil {
		whole, form := []byte(b.Output), vyre.OutputJSON
		var words string
		if json.Unmarshal(b.Output, &words) == nil {
			whole, form = []byte(words), vyre.OutputText
		}
		return cutPart(whole, 0, offset, int64(len(whole)), limit, form)
	}
	return db.storedPart(ctx, item, offset, limit, b.OutputRef)
}

func (db *DB) storedPart(ctx context.Context, item vyre.ItemID, offset int64, limit int, ref *vyre.OutputRef) (OutputPart, error) {
	first := max(offset, 0) / partBytes
	parts, err := list(ctx, db, func(r scanner) (b []byte, err error) { return b, r.Scan(&b) },
		"SELECT bytes FROM output_parts WHERE item = ? AND n BETWEEN ? AND ? ORDER BY n",
		string(item), first, (max(offset, 0)+int64(limit)+utf8.UTFMax)/partBytes)
	if err != nil {
		return OutputPart{}, err
	}
	if len(parts) == 0 && offset < ref.Bytes {
		return OutputPart{}, vyre.Errorf(vyre.CodeNotFound, "the output is not kept any more").
			WithHint("It was older than the settings keep outputs ([retention] outputs_days, or the disk budget); its beginning is in the item.")
	}
	var have []byte
	for _, p := range parts {
		have = append(have, p...)
	}
	return cutPart(have, first*partBytes, offset, ref.Bytes, limit, ref.Form)
}

// cutPart takes a piece out of have, which begins at byte at of the whole.
func cutPart(have []byte, at, offset, whole int64, limit int, form vyre.OutputForm) (OutputPart, error) {
	if offset < 0 || offset > whole {
		return OutputPart{}, vyre.Invalid("offset", "0 to %d, the size of the output", whole)
	}
	have = have[min(offset-at, int64(len(have))):]
	n := min(limit, len(have))
	for cut := n; cut > 0 && n < len(have) && n-cut < utf8.UTFMax; cut-- { // not in the middle of a character
		if utf8.RuneStart(have[cut]) {
			n = cut
			break
		}
	}
	return OutputPart{Text: string(have[:n]), Bytes: whole, Next: offset + int64(n), Form: form}, nil
}
