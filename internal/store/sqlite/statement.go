package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"sync"
)

// statements keeps prepared statements of the reading pool by their text. The
// texts are few: they are put together from fixed parts, never from input.
type statements struct {
	db   *sql.DB
	mu   sync.Mutex // protects made
	made map[string]*sql.Stmt
}

func (s *statements) get(ctx context.Context, text string) (*sql.Stmt, error) {
	s.mu.Lock()
	st := s.made[text]
	s.mu.Unlock()
	if st != nil {
		return st, nil
	}
	st, err := s.db.PrepareContext(ctx, text)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if first := s.made[text]; first != nil { // somebody was faster
		return first, st.Close()
	}
	if s.made == nil {
		s.made = map[string]*sql.Stmt{}
	}
	s.made[text] = st
	return st, nil
}

func (s *statements) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, st := range s.made {
		errs = append(errs, st.Close())
	}
	s.made = nil
	return errors.Join(errs...)
}

// scanner is what a row of either kind can do.
type scanner interface{ Scan(dest ...any) error }

// list runs a query and reads each row with scan.
func list[T any](ctx context.Context, db *DB, scan func(scanner) (T, error), text string, args ...any) ([]T, error) {
	st, err := db.reads.get(ctx, text)
	if err != nil {
		return nil, db.fault(err)
	}
	rows, err := st.QueryContext(ctx, args...)
	if err != nil {
		return nil, db.fault(err)
	}
	defer func() { _ = rows.Close() }() // its error is that of rows.Err
	out := []T{}
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, db.fault(err)
		}
		out = append(out, v)
	}
	if err := rows.Err(); err != nil {
		return nil, db.fault(err)
	}
	return out, nil
}

// one is list for at most one row.
func one[T any](ctx context.Context, db *DB, scan func(scanner) (T, error), text string, args ...any) (T, bool, error) {
	var none T
	st, err := db.reads.get(ctx, text)
	if err != nil {
		return none, false, db.fault(err)
	}
	v, err := scan(st.QueryRowContext(ctx, args...))
	if errors.Is(err, sql.ErrNoRows) {
		return none, false, nil
	}
	if err != nil {
		return none, false, db.fault(err)
	}
	return v, true, nil
}

// table is the shape of one table: how a row is put and how it is read.
type table struct {
	columns string // "a, b, c", in the order of the args and of the scan
	put     string // insert, or replace the row with the same key
}

// newTable makes the texts for a table whose rows replace each other by key. It
// updates in place: an INSERT OR REPLACE would take a row that merely has the
// same value in another unique column with it.
func newTable(name, key string, columns ...string) table {
	keys := strings.Split(key, ", ")
	var set []string
	for _, c := range columns {
		if !slices.Contains(keys, c) {
			set = append(set, c+" = excluded."+c)
		}
	}
	all := strings.Join(columns, ", ")
	marks := strings.TrimSuffix(strings.Repeat("?, ", len(columns)), ", ")
	return table{
		columns: all,
		put: "INSERT INTO " + name + " (" + all + ") VALUES (" + marks + ") ON CONFLICT (" + key + ") DO UPDATE SET " +
			strings.Join(set, ", "),
	}
}
