package sqlite

import "vyre"

var items = newTable("items", "id",
	"id", "thread", "turn", "kind", "status", "text", "body", "parent", "rev", "created", "key", "rewound")

func itemArgs(i *vyre.Item) ([]any, error) {
	n, err := turnNumber(i.Thread, i.Turn)
	if err != nil {
		return nil, err
	}
	return []any{
		string(i.ID), string(i.Thread), n, string(i.Kind), string(i.Status), i.Text, blob(i.Body), string(i.Parent),
		int64(i.Rev), int64(i.Created), i.Key, i.Rewound,
	}, nil
}

// itemRow is an item with its place in the order of first appearance.
type itemRow struct {
	no int64
	vyre.Item
}

func scanItem(r scanner) (itemRow, error) {
	var i itemRow
	var n int64
	err := r.Scan(&i.no, (*string)(&i.ID), (*string)(&i.Thread), &n, (*string)(&i.Kind), (*string)(&i.Status), &i.Text,
		(*[]byte)(&i.Body), (*string)(&i.Parent), (*int64)(&i.Rev), (*int64)(&i.Created), &i.Key, &i.Rewound)
	i.Turn = turnID(i.Thread, n)
	return i, err
}
