package sqlite

import (
	"context"

	"vyre"
)

var slots = newTable("slots", "id", "id", "kind", "state", "project", "thread", "since", "call")

func slotArgs(s *vyre.Slot) ([]any, error) {
	return []any{s.ID, string(s.Kind), string(s.State), s.Project, string(s.Thread), int64(s.Since), s.Call}, nil
}

func scanSlot(r scanner) (vyre.Slot, error) {
	var s vyre.Slot
	err := r.Scan(&s.ID, (*string)(&s.Kind), (*string)(&s.State), &s.Project, (*string)(&s.Thread), (*int64)(&s.Since), &s.Call)
	return s, err
}

// putSlots keeps the slots that are held or waited for, and forgets released ones.
func (w *writer) putSlots(ctx context.Context, list []vyre.Slot) error {
	for i := range list {
		if list[i].State == vyre.SlotReleased {
			if err := w.exec(ctx, "DELETE FROM slots WHERE id = ?", list[i].ID); err != nil {
				return err
			}
			continue
		}
		if err := put(ctx, w, slots.put, list[i:i+1], slotArgs); err != nil {
			return err
		}
	}
	return nil
}

// Slots returns every slot, in the order in which they were asked for.
func (db *DB) Slots(ctx context.Context) ([]vyre.Slot, error) {
	return list(ctx, db, scanSlot, "SELECT "+slots.columns+" FROM slots ORDER BY since, id")
}
