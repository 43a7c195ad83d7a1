package sqlite

import "vyre"

var messages = newTable("messages", "thread, id",
	"thread", "id", "text", "state", "turn", "via", "sent_by", "place", "created", "attachments", "hash", "tries")

func messageArgs(m *vyre.Message) ([]any, error) {
	n, err := turnNumber(m.Thread, m.Turn)
	if err != nil {
		return nil, err
	}
	attached, err := jsonOrNil(m.Attachments, len(m.Attachments) == 0)
	if err != nil {
		return nil, err
	}
	return []any{string(m.Thread), string(m.ID), m.Text, string(m.State), n, string(m.Via), m.By, m.Order, int64(m.Created), attached, m.Hash, m.Tries}, nil
}

func scanMessage(r scanner) (vyre.Message, error) {
	var m vyre.Message
	var n int64
	var attached []byte
	err := r.Scan((*string)(&m.Thread), (*string)(&m.ID), &m.Text, (*string)(&m.State), &n, (*string)(&m.Via), &m.By, &m.Order, (*int64)(&m.Created),
		&attached, &m.Hash, &m.Tries)
	if err != nil {
		return m, err
	}
	m.Turn = turnID(m.Thread, n)
	return m, fromJSON(attached, &m.Attachments)
}
