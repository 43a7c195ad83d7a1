package sqlite

import (
	"context"
	"encoding/base64"
	"slices"
	"strconv"
	"strings"

	"vyre"
)

// Rows in a page when the caller does not say, and at most.
const (
	pageRows    = 100
	pageRowsMax = 1000
)

func pageLimit(n int) int {
	if n <= 0 {
		return pageRows
	}
	return min(n, pageRowsMax)
}

// filter collects conditions. Their texts are fixed; values are parameters.
type filter struct {
	where []string
	args  []any
}

func (f *filter) add(condition string, args ...any) {
	f.where = append(f.where, condition)
	f.args = append(f.args, args...)
}

func (f *filter) addText(column, value string) {
	if value != "" {
		f.add(column+" = ?", value)
	}
}

func (f *filter) String() string {
	if len(f.where) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(f.where, " AND ")
}

// A cursor is opaque to callers: the values that the order goes by, in base64.
func makeCursor(parts ...string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(strings.Join(parts, " ")))
}

func readCursor(field, cursor string, parts int) ([]string, error) {
	b, err := base64.RawURLEncoding.DecodeString(cursor)
	got := strings.Split(string(b), " ")
	if err != nil || len(got) != parts {
		return nil, vyre.Invalid(field, "not a cursor that an earlier list gave")
	}
	return got, nil
}

func cursorNumber(field, s string) (int64, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return 0, vyre.Invalid(field, "not a cursor that an earlier list gave")
	}
	return n, nil
}

// ThreadQuery says which threads. Empty fields do not narrow. Thread is for a
// caller that may see one thread only.
type ThreadQuery struct {
	State, Project, Purpose, Node string
	Archived                      *bool
	Thread                        vyre.ThreadID
	Limit                         int // 0: 100; at most 1000
	Next                          string
}

// Threads returns a page of threads, newest Updated first, and the cursor of the
// next page, empty at the end. Errors: invalid (next).
func (db *DB) Threads(ctx context.Context, q ThreadQuery) ([]vyre.Thread, string, error) {
	var f filter
	f.addText("state", q.State)
	f.addText("project", q.Project)
	f.addText("purpose", q.Purpose)
	f.addText("node", q.Node)
	f.addText("id", string(q.Thread))
	if q.Archived != nil {
		f.add("archived = ?", *q.Archived)
	}
	if q.Next != "" {
		c, err := readCursor("next", q.Next, 2)
		if err != nil {
			return nil, "", err
		}
		updated, err := cursorNumber("next", c[0])
		if err != nil {
			return nil, "", err
		}
		f.add("updated <= ? AND (updated < ? OR id > ?)", updated, updated, c[1])
	}
	limit := pageLimit(q.Limit)
	rows, err := list(ctx, db, scanThread, "SELECT "+threads.columns+" FROM threads"+f.String()+
		" ORDER BY updated DESC, id LIMIT ?", append(f.args, limit+1)...)
	if err != nil || len(rows) <= limit {
		return rows, "", err
	}
	last := rows[limit-1]
	return rows[:limit], makeCursor(strconv.FormatInt(int64(last.Updated), 10), string(last.ID)), nil
}

// AskQuery says which asks. State empty: open and answering ones.
type AskQuery struct {
	Thread vyre.ThreadID
	State  vyre.AskState
	Limit  int // 0: 100; at most 1000
	Next   string
}

// Asks returns a page of asks as they were raised, oldest first, and the cursor
// of the next page, empty at the end. Errors: invalid (next).
func (db *DB) Asks(ctx context.Context, q AskQuery) ([]vyre.Ask, string, error) {
	var f filter
	f.addText("thread", string(q.Thread))
	if q.State == "" || q.State == vyre.AskOpen || q.State == vyre.AskAnswering {
		f.add("state IN ('open', 'answering')") // spelled as the index has it
	}
	f.addText("state", string(q.State))
	if q.Next != "" {
		c, err := readCursor("next", q.Next, 1)
		if err != nil {
			return nil, "", err
		}
		no, err := cursorNumber("next", c[0])
		if err != nil {
			return nil, "", err
		}
		f.add("no > ?", no)
	}
	limit := pageLimit(q.Limit)
	rows, err := list(ctx, db, scanAsk, "SELECT no, "+asks.columns+" FROM asks"+f.String()+" ORDER BY no LIMIT ?",
		append(f.args, limit+1)...)
	if err != nil || len(rows) <= limit {
		return plainAsks(rows), "", err
	}
	return plainAsks(rows[:limit]), makeCursor(strconv.FormatInt(rows[limit-1].no, 10)), nil
}

// ItemQuery says which items of a thread. After and Before are ids of items of
// that thread; SinceRev takes those that changed after an event.
type ItemQuery struct {
	Thread        vyre.ThreadID
	After, Before vyre.ItemID
	SinceRev      *vyre.Seq
	Rewound       bool // also what the conversation went back before
	Limit         int  // 0: 100; at most 1000
}

// Items returns a page in order of first appearance. With After or SinceRev it
// is the first page after that, and next, an item's id, goes on as After; else
// it is the last page (before Before), and next goes on as Before. Next is empty
// at the end. A page ends early once its items hold pageBytes, after one item at
// least: what it takes in memory is bounded by that and the largest item. Text of a text item that still streams is put together from the
// log. Errors: not_found for After or Before; invalid for After with Before.
func (db *DB) Items(ctx context.Context, q ItemQuery) ([]vyre.Item, string, error) {
	f, err := db.itemFilter(ctx, q)
	if err != nil {
		return nil, "", err
	}
	forward := q.After != "" || q.SinceRev != nil
	order := " ORDER BY no DESC LIMIT ?"
	if forward {
		order = " ORDER BY no LIMIT ?"
	}
	limit := pageLimit(q.Limit)
	rows, more, err := db.itemPage(ctx, "SELECT no, "+items.columns+" FROM items"+f.String()+order, limit, append(f.args, limit+1))
	if err != nil {
		return nil, "", err
	}
	next := ""
	if more {
		next = string(rows[len(rows)-1].ID)
	}
	if !forward {
		slices.Reverse(rows)
	}
	out := plainItems(rows)
	return out, next, db.fillTexts(ctx, out)
}

func (db *DB) itemFilter(ctx context.Context, q ItemQuery) (*filter, error) {
	if q.After != "" && q.Before != "" {
		return nil, vyre.Invalid("before", "give after or before, not both")
	}
	f := &filter{}
	f.add("thread = ?", string(q.Thread))
	if !q.Rewound && q.SinceRev == nil { // who asks for changes wants to know of this one
		f.add("rewound = 0")
	}
	for _, edge := range []struct {
		id        vyre.ItemID
		condition string
	}{{q.After, "no > ?"}, {q.Before, "no < ?"}} {
		if edge.id == "" {
			continue
		}
		no, ok, err := one(ctx, db, func(r scanner) (n int64, err error) { return n, r.Scan(&n) },
			"SELECT no FROM items WHERE id = ? AND thread = ?", string(edge.id), string(q.Thread))
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, vyre.NotFound("item", string(edge.id))
		}
		f.add(edge.condition, no)
	}
	if q.SinceRev != nil {
		f.add("rev > ?", int64(*q.SinceRev))
	}
	return f, nil
}

func (db *DB) fillTexts(ctx context.Context, list []vyre.Item) error {
	for i := range list {
		it := &list[i]
		streams := it.Kind == vyre.ItemText || it.Kind == vyre.ItemReasoning
		if !streams || it.Status != vyre.ItemRunning || it.Text != "" {
			continue
		}
		text, err := db.ItemText(ctx, it.ID)
		if err != nil {
			return err
		}
		it.Text = text
	}
	return nil
}
