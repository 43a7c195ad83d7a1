package threads

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"

	"vyre"
	"vyre/internal/store/sqlite"
)

// Format is how a thread is exported.
type Format string

// The formats.
const (
	Markdown Format = "markdown"
	JSON     Format = "json"
)

// Enum lists the values of a Format.
func (Format) Enum() []string { return []string{string(Markdown), string(JSON)} }

// ExportIn is the input of threads.export.
type ExportIn struct {
	Thread vyre.ThreadID `json:"thread" jsonschema:"the thread"`
	Format Format        `json:"format" jsonschema:"markdown or json"`
	Next   vyre.ItemID   `json:"next,omitempty" jsonschema:"the next of an earlier answer: go on behind it"`
	Limit  int           `json:"limit,omitempty" jsonschema:"how many items, at most 200; default 200"`
}

// ThreadRef tells the registry which thread a call is about.
func (in ExportIn) ThreadRef() vyre.ThreadID { return in.Thread }

// ExportOut is the output of threads.export: one page of a thread from its first item
// on, with what the conversation went back before. Text is the page as Markdown, Items as JSON; put together in order the pages are
// the whole. Next is empty at the end.
type ExportOut struct {
	Thread vyre.Thread `json:"thread"`
	Text   string      `json:"text,omitempty"`
	Items  []vyre.Item `json:"items"`
	Next   vyre.ItemID `json:"next"`
}

// Bounds of one page: items are read a few at a time, as one may be megabytes.
const (
	exportItems = 200
	exportBytes = 2 << 20
	exportRead  = 5
)

func (m *Module) export(ctx context.Context, _ vyre.Caller, in ExportIn) (ExportOut, error) {
	switch {
	case in.Limit == 0:
		in.Limit = exportItems
	case in.Limit < 1 || in.Limit > exportItems:
		return ExportOut{}, vyre.Invalid("limit", "1 to %d", exportItems)
	}
	th, err := m.Store.Thread(ctx, in.Thread)
	if err != nil {
		return ExportOut{}, err
	}
	out := ExportOut{Thread: th, Items: []vyre.Item{}}
	var text strings.Builder
	if in.Next == "" && in.Format == Markdown {
		text.WriteString(markdownHead(th))
	}
	parents := parents{m.Store, in.Thread, map[vyre.ItemID]string{}}
	size, n, last := 0, 0, in.Next
	for size < exportBytes && n < in.Limit {
		q := sqlite.ItemQuery{Thread: in.Thread, After: last, Rewound: true, Limit: min(exportRead, in.Limit-n)}
		if last == "" {
			q.SinceRev = new(vyre.Seq)
		}
		items, more, err := m.Store.Items(ctx, q)
		if err != nil {
			return ExportOut{}, err
		}
		for _, it := range items {
			last, n = it.ID, n+1
			size += len(it.Text) + len(it.Body)
			if in.Format == Markdown {
				of, err := parents.name(ctx, it.Parent)
				if err != nil {
					return ExportOut{}, err
				}
				text.WriteString(markdownItem(it, of))
			} else {
				out.Items = append(out.Items, it)
			}
		}
		if more == "" {
			last = ""
			break
		}
	}
	out.Next, out.Text = last, text.String()
	return out, nil
}

// parents names the calls that subagents work for, each read once.
type parents struct {
	store  Store
	thread vyre.ThreadID
	known  map[vyre.ItemID]string
}

// name is what a subagent is for, or "" for what no subagent said.
func (p parents) name(ctx context.Context, id vyre.ItemID) (string, error) {
	if id == "" {
		return "", nil
	}
	if name, ok := p.known[id]; ok {
		return name, nil
	}
	it, err := p.store.Item(ctx, p.thread, id)
	if err != nil && vyre.CodeOf(err) != vyre.CodeNotFound {
		return "", err
	}
	name := string(id) // what is known of a call that is gone
	var b vyre.ToolBody
	if json.Unmarshal(it.Body, &b) == nil && b.Title+b.Tool != "" {
		name = cmp.Or(b.Title, b.Tool)
	}
	p.known[id] = name
	return name, nil
}
