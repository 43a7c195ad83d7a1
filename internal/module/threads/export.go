package threads

import (
	"context"
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
}

// ThreadRef tells the registry which thread a call is about.
func (in ExportIn) ThreadRef() vyre.ThreadID { return in.Thread }

// ExportOut is the output of threads.export: one page of a thread from its first item
// on. Text is the page as Markdown, Items as JSON; put together in order the pages are
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
	th, err := m.Store.Thread(ctx, in.Thread)
	if err != nil {
		return ExportOut{}, err
	}
	out := ExportOut{Thread: th, Items: []vyre.Item{}}
	var text strings.Builder
	if in.Next == "" && in.Format == Markdown {
		text.WriteString(markdownHead(th))
	}
	size, n, last := 0, 0, in.Next
	for size < exportBytes && n < exportItems {
		q := sqlite.ItemQuery{Thread: in.Thread, After: last, Limit: exportRead}
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
				text.WriteString(markdownItem(it))
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
