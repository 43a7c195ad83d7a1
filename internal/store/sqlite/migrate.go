package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"vyre"
)

// migrationFiles holds NNNN_name.sql, numbered from 1 without a hole. A file
// that was ever released is never edited: a test keeps its hash.
//
//go:embed migrations/*.sql
var migrationFiles embed.FS

type migration struct {
	version int
	name    string
	sql     string
}

func migrations() ([]migration, error) {
	names, err := fs.Glob(migrationFiles, "migrations/*.sql") // sorted by name
	if err != nil {
		return nil, err
	}
	var out []migration
	for i, name := range names {
		text, err := migrationFiles.ReadFile(name)
		if err != nil {
			return nil, err
		}
		base := strings.TrimPrefix(name, "migrations/")
		number, _, _ := strings.Cut(base, "_")
		v, err := strconv.Atoi(number)
		if err != nil || v != i+1 {
			return nil, fmt.Errorf("migration %q should have number %04d", base, i+1)
		}
		out = append(out, migration{version: v, name: base, sql: string(text)})
	}
	return out, nil
}

// Newest is the number of the newest migration that this build knows: the version of
// every store that it has open. 0 for a build whose migrations can't be read.
func Newest() int {
	all, err := migrations()
	if err != nil {
		return 0
	}
	return len(all)
}

// migrate brings the file to the newest version, one transaction for each step,
// so that a crash in between leaves a file of some whole version.
func migrate(ctx context.Context, c *sql.Conn) error {
	all, err := migrations()
	if err != nil {
		return err
	}
	var have int
	if err := c.QueryRowContext(ctx, "PRAGMA user_version").Scan(&have); err != nil {
		return err
	}
	if have > len(all) {
		return vyre.Errorf(vyre.CodeConflict, "the database is of version %d; this vyre knows versions up to %d", have, len(all)).
			WithHint("Install the newer vyre again; an older one does not touch this database.")
	}
	for _, m := range all[have:] {
		if err := step(ctx, c, m); err != nil {
			return fmt.Errorf("migration %s: %w", m.name, err)
		}
	}
	return nil
}

func step(ctx context.Context, c *sql.Conn, m migration) error {
	tx, err := c.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // does nothing after Commit
	if _, err := tx.ExecContext(ctx, m.sql); err != nil {
		return err
	}
	// A pragma takes no parameters.
	if _, err := tx.ExecContext(ctx, "PRAGMA user_version = "+strconv.Itoa(m.version)); err != nil {
		return err
	}
	return tx.Commit()
}
