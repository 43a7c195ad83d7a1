package room

import (
	"errors"
	"log/slog"
	"os"
)

// reserveBytes is kept back on the disk, so that a daemon can start when it is full:
// opening the database takes a little room.
const reserveBytes = 1 << 20

// Release gives the reserve at path up and reports whether there was one.
func Release(path string) bool { return os.Remove(path) == nil }

// keepReserve puts the reserve there, unless it is or there is no room for it.
func (k *Keeper) keepReserve() {
	path := k.cfg.Places.Reserve
	if st, err := os.Stat(path); path == "" || err == nil && st.Size() == reserveBytes {
		return
	}
	if s := k.State(); s.Level == NoRoom || s.Total > 0 && s.Free < 4*reserveBytes {
		return
	}
	err := writeReserve(path)
	if err != nil {
		k.cfg.Log.Warn("no room could be kept back", slog.String("error", errors.Join(err, os.Remove(path)).Error()))
	}
}

// writeReserve writes bytes that no file system folds away.
func writeReserve(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	b, x := make([]byte, reserveBytes), uint32(1)
	for i := range b {
		x = x*1664525 + 1013904223
		b[i] = byte(x >> 24)
	}
	_, err = f.Write(b)
	return errors.Join(err, f.Close())
}
