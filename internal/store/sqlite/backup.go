package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"vyre"
)

// Backup writes a whole copy of one moment to path while the store runs. It is
// on the medium when Backup returns; Open takes it as it is. Numbers that the
// original gave after that moment can be given again by a store that goes on
// from the copy, if they are more than one reservation ahead of it. The copy is
// checked as Verify checks the store: a damaged log gives no backup that looks whole.
// Errors: conflict when something is at path; invalid when its folder is not there;
// no_space; internal. After an error nothing is left at path.
func (db *DB) Backup(ctx context.Context, path string) error {
	// SQLite takes an empty file as a target, so it is ours, private, and new.
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		return vyre.Errorf(vyre.CodeConflict, "there is something at the backup's path already").
			WithHint("Name a file that does not exist yet.")
	case errors.Is(err, fs.ErrNotExist):
		return vyre.Invalid("path", "its folder does not exist")
	case errors.Is(err, fs.ErrPermission):
		return vyre.Invalid("path", "its folder can't be written to")
	case err != nil:
		return db.fault(err)
	}
	err = errors.Join(f.Close(), db.copyTo(ctx, path))
	if err != nil {
		return db.fault(errors.Join(err, os.Remove(path)))
	}
	return nil
}

func (db *DB) copyTo(ctx context.Context, path string) (err error) {
	// A connection of its own: those of the pool may only query.
	own, err := sql.Open("sqlite", address(db.path))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, own.Close()) }()
	if _, err := own.ExecContext(ctx, "VACUUM INTO ?", path); err != nil {
		return err
	}
	if err := errors.Join(syncFile(path), syncFile(filepath.Dir(path))); err != nil {
		return err
	}
	return verifyCopy(ctx, path)
}

// verifyCopy checks a file that nobody writes, and leaves nothing beside it.
func verifyCopy(ctx context.Context, path string) (err error) {
	name := url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: "mode=ro&immutable=1"}
	copied, err := sql.Open("sqlite", name.String())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, copied.Close()) }()
	return verify(ctx, copied)
}

func syncFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Size is that of the database and its write-ahead log, in bytes.
func (db *DB) Size() int64 { return db.quickUsage().Size() }
