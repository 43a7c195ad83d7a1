package room

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"
)

// sizeOf adds up what a folder takes on the disk, without the folders named. It
// follows no link, and what vanishes meanwhile counts nothing. A file with
// several names counts once for each.
func sizeOf(ctx context.Context, folder string, without ...string) (sum int64, err error) {
	err = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case errors.Is(err, fs.ErrPermission):
			return fs.SkipDir
		case err != nil:
			return err
		case d.IsDir() && slices.Contains(without, path):
			return fs.SkipDir
		}
		var st unix.Stat_t
		if unix.Lstat(path, &st) == nil {
			sum += st.Blocks * 512 // what it takes, holes not counted
		}
		return nil
	})
	return sum, err
}

// diskOf asks the system what the disk of a folder has.
func diskOf(folder string) (free, total int64, err error) {
	var st unix.Statfs_t
	if err := unix.Statfs(folder, &st); err != nil {
		return 0, 0, err
	}
	return int64(st.Bavail) * int64(st.Bsize), int64(st.Blocks) * int64(st.Bsize), nil //nolint:unconvert // the types differ by system
}
