package claude

import (
	"context"
	"encoding/json"

	"vyre"
	"vyre/agent"
)

// Before implements agent.Rewinder: the last row of the conversation (a word of the
// person's or the model's, or a result) above the message's own, through the
// attachments that the agent puts in between.
//
// Both ways of going back work on 2.1.332, and both count only from the first new
// message on: until then a resume without the row is at the old end again, and a
// fork has no history yet. So the row is given at every start until History of the
// new id (fork), or Delivered of the first new message (in place), says otherwise.
// A fork under an id of its own is the clean way: its history holds nothing but its
// own rows, with the file checkpoints of the old one, and the old one stays.
func (*Provider) Before(ctx context.Context, o agent.Options, id vyre.MessageID) (string, error) {
	if configDir(o.Env) == "" || !uuidPattern.MatchString(o.NativeID) {
		return "", vyre.Errorf(vyre.CodeUnavailable, "the agent's history can't be found")
	}
	h := chain{above: map[string]chainRow{}, wire: string(agent.WireID(id))}
	if err := rows(ctx, o, h.add); err != nil {
		return "", err
	}
	if id == "" {
		return h.end(h.last), nil
	}
	return h.before()
}

var _ agent.Rewinder = (*Provider)(nil)

// chain is a history's rows by how they hang together: each names the one above.
type chain struct {
	above   map[string]chainRow
	last    string // row at the conversation's end
	wire    string
	message string // row of the message
}

type chainRow struct {
	Type       string  `json:"type"`
	UUID       string  `json:"uuid"`
	Parent     *string `json:"parentUuid"`
	Side       bool    `json:"isSidechain"`
	Attachment struct {
		SourceUUID string `json:"source_uuid"`
	} `json:"attachment"`
}

func (h *chain) add(line []byte) bool {
	var r chainRow
	if json.Unmarshal(line, &r) != nil || r.UUID == "" || r.Side {
		return true
	}
	switch r.Type {
	case "user", "assistant", "attachment", "system":
	default:
		return true
	}
	h.above[r.UUID], h.last = r, r.UUID
	if r.Type == "user" && r.UUID == h.wire || r.Type == "attachment" && r.Attachment.SourceUUID == h.wire {
		h.message = r.UUID
	}
	return true
}

func (h *chain) before() (string, error) {
	if h.message == "" {
		return "", vyre.Errorf(vyre.CodeNotFound, "the agent's history has no such message")
	}
	if !h.onTheWay() {
		return "", vyre.Errorf(vyre.CodeConflict, "the conversation can't go back before this message").
			WithHint("It was compacted away, or left by going back before it once.")
	}
	return h.end(h.up(h.message)), nil
}

// end is the last word at or above a row, or "".
func (h *chain) end(row string) string {
	for range len(h.above) {
		if t := h.above[row].Type; t == "user" || t == "assistant" {
			return row
		}
		if row = h.up(row); row == "" {
			break
		}
	}
	return ""
}

// onTheWay reports whether the message is above the conversation's end: what was
// compacted, or left by going back, is not.
func (h *chain) onTheWay() bool {
	row := h.last
	for range len(h.above) { // a chain that bites its tail ends too
		if row == h.message {
			return true
		}
		if row = h.up(row); row == "" {
			return false
		}
	}
	return false
}

// up is the row above, or "" where there is none.
func (h *chain) up(row string) string {
	r, ok := h.above[row]
	if !ok || r.Parent == nil {
		return ""
	}
	if _, ok := h.above[*r.Parent]; !ok {
		return ""
	}
	return *r.Parent
}
