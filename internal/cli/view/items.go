package view

import (
	"encoding/json"
	"fmt"

	"vyre"
)

// Items draws a timeline that is already there. What it drew is not drawn again
// when its events come.
func (l *Live) Items(items []vyre.Item) {
	for _, it := range items {
		if it.Kind != vyre.ItemText {
			l.Drawn(it.ID, max(1, len(it.Text)))
		}
		switch it.Kind {
		case vyre.ItemUser:
			l.notice(l.out.Notes.Signs().Me+" "+it.Text, l.out.Notes.Bold)
		case vyre.ItemText:
			l.text(vyre.ThreadText{Item: it.ID, Kind: it.Kind, Text: it.Text})
		case vyre.ItemReasoning:
			l.think(it.ID, it.Text)
		case vyre.ItemTool, vyre.ItemSubagent:
			l.call(it)
		case vyre.ItemError:
			l.bad(it.Text)
		case vyre.ItemNotice, vyre.ItemCompaction, vyre.ItemPlan:
			l.note(join(string(it.Kind), firstLine(it.Text)))
		}
	}
	l.Rest()
}

func (l *Live) call(it vyre.Item) {
	var b vyre.ToolBody
	if json.Unmarshal(it.Body, &b) != nil {
		return
	}
	l.tool(vyre.ThreadTool{Item: it.ID, Tool: b.Tool, Title: b.Title, Status: it.Status, Parent: it.Parent})
	if b.OutputRef != nil {
		l.note(fmt.Sprintf(`%.1f MB of output, open: vyre call threads.output '{"thread":"%s","item":"%s"}'`,
			float64(b.OutputRef.Bytes)/1e6, it.Thread, b.OutputRef.Ref))
	}
}

// Short is an id as it is shown in tables: long enough to be typed back.
func Short[ID ~string](id ID) string {
	if len(id) <= shortID {
		return string(id)
	}
	return string(id[:shortID])
}

const shortID = 8
