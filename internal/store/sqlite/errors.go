package sqlite

import (
	"context"
	"errors"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
	driver "modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"

	"vyre"
)

// fault makes an error of ours from whatever came: the message is fit for a
// caller, the cause is for our log.
func (db *DB) fault(err error) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*vyre.Error](err); ok {
		return e
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return vyre.Errorf(vyre.CodeTimeout, "the call ended before the store answered").Because(err)
	}
	switch primary(err) {
	case codes.SQLITE_FULL:
		return noSpace(err)
	case codes.SQLITE_IOERR, codes.SQLITE_CANTOPEN:
		// A failed fsync or a failed growth of the shared index does not say why;
		// the file system does.
		if errors.Is(err, syscall.ENOSPC) || db.diskFull() {
			return noSpace(err)
		}
	case codes.SQLITE_BUSY, codes.SQLITE_LOCKED:
		return vyre.Errorf(vyre.CodeUnavailable, "another program holds the database").
			WithHint("Close the program that has the database open, then try again.").Because(err)
	case codes.SQLITE_CONSTRAINT:
		return constraint(err)
	case codes.SQLITE_TOOBIG:
		return vyre.Errorf(vyre.CodeTooLarge, "the value is larger than the database takes").Because(err)
	}
	if errors.Is(err, syscall.ENOSPC) {
		return noSpace(err)
	}
	return vyre.Errorf(vyre.CodeInternal, "the store failed").Because(err)
}

func noSpace(err error) error {
	return vyre.Errorf(vyre.CodeNoSpace, "the disk that holds the database is full").Because(err)
}

// constraint tells a unique value that is taken (which a caller's key can be)
// from a row that should never have been offered.
func constraint(err error) error {
	if e, ok := errors.AsType[*driver.Error](err); ok && e.Code() == codes.SQLITE_CONSTRAINT_UNIQUE {
		return vyre.Errorf(vyre.CodeConflict, "something else already has this key").Because(err)
	}
	return vyre.Errorf(vyre.CodeInternal, "the store refused a row").Because(err)
}

// primary is SQLite's result code without its extension, or 0.
func primary(err error) int {
	if e, ok := errors.AsType[*driver.Error](err); ok {
		return e.Code() & 0xff
	}
	return 0
}

// spoilsTransaction reports whether nothing more can be done in the transaction
// in which err happened. SQLite may have undone all of it already.
func spoilsTransaction(err error) bool {
	switch primary(err) {
	case 0:
		_, ours := errors.AsType[*vyre.Error](err)
		return !ours
	case codes.SQLITE_CONSTRAINT, codes.SQLITE_TOOBIG, codes.SQLITE_MISMATCH, codes.SQLITE_RANGE:
		return false
	default:
		return true
	}
}

// diskFull asks the file system. Less than a page of the shared index counts as
// nothing.
func (db *DB) diskFull() bool {
	var st unix.Statfs_t
	if err := unix.Statfs(filepath.Dir(db.path), &st); err != nil {
		return false
	}
	return st.Bavail*uint64(st.Bsize) < 64*1024
}
