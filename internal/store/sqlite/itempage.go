package sqlite

import "context"

// pageBytes bounds what the items of one page hold, in bytes of text and body: an
// old item may have megabytes.
const pageBytes = 4 << 20

// itemPage reads rows until limit or pageBytes is reached, one at least, and says
// whether there are more. Rows are read one by one, so what does not fit in the
// page is not in memory either.
func (db *DB) itemPage(ctx context.Context, text string, limit int, args []any) (page []itemRow, more bool, err error) {
	st, err := db.reads.get(ctx, text) //nolint:sqlclosecheck // it is kept for the next caller
	if err != nil {
		return nil, false, db.fault(err)
	}
	rows, err := st.QueryContext(ctx, args...)
	if err != nil {
		return nil, false, db.fault(err)
	}
	defer func() { _ = rows.Close() }() // its error is that of rows.Err
	for size := 0; rows.Next(); {
		if len(page) == limit || len(page) > 0 && size >= pageBytes {
			return page, true, nil
		}
		it, err := scanItem(rows)
		if err != nil {
			return nil, false, db.fault(err)
		}
		size += len(it.Text) + len(it.Body)
		page = append(page, it)
	}
	if err := rows.Err(); err != nil {
		return nil, false, db.fault(err)
	}
	return page, false, nil
}
