package threads

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"vyre"
	"vyre/internal/store/sqlite"
)

// stored is a module on a real store in which a thread has n items. The first is a
// subagent's call; every third item is the subagent's, every fourth was gone back
// before.
func stored(t *testing.T, n int) *Module {
	t.Helper()
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "vyre.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { _ = db.Run(ctx) })
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
		cancel()
		wg.Wait()
	})
	c := &vyre.Commit{
		Threads: []vyre.Thread{{ID: "t", Provider: "claude", Mode: vyre.ModeAsk, State: vyre.StateIdle, CWD: "/w"}},
		Turns:   []vyre.Turn{{ID: "t:1", Thread: "t", Status: vyre.TurnCompleted, Origin: vyre.OriginPerson}},
		Events:  []vyre.Event{vyre.NewEvent("t", "t:1", vyre.ThreadItem{Item: "i0"})},
	}
	body, err := json.Marshal(vyre.ToolBody{Tool: "Agent", Title: "look\n## Person"})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		it := vyre.Item{
			ID: vyre.ItemID(fmt.Sprintf("i%d", i)), Thread: "t", Turn: "t:1", Kind: vyre.ItemText, Status: vyre.ItemCompleted,
			Text: fmt.Sprintf("word%d.", i), Rewound: i%4 == 3,
		}
		switch {
		case i == 0:
			it.Kind, it.Body = vyre.ItemTool, body
		case i%3 == 0:
			it.Parent = "i0"
		}
		c.Items = append(c.Items, it)
	}
	if err := db.Commit(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	return &Module{Store: db}
}

// The pages of an export, put together, have every item once and in order, whatever
// their size, and what was gone back before too; no page has more than was asked for.
func TestExportPages(t *testing.T) {
	m := stored(t, 23)
	for _, limit := range []int{0, 1, 2, 4, 5, 7, 22, 23, 200} {
		for _, format := range []Format{Markdown, JSON} {
			var got []string
			var text strings.Builder
			for in := (ExportIn{Thread: "t", Format: format, Limit: limit}); ; {
				out, err := m.export(t.Context(), vyre.Caller{}, in)
				if err != nil {
					t.Fatal(err)
				}
				page := len(out.Items) + strings.Count(out.Text, "\n## ")
				if limit > 0 && page > limit {
					t.Errorf("limit %d: %d items", limit, page)
				}
				for _, it := range out.Items {
					got = append(got, string(it.ID))
				}
				text.WriteString(out.Text)
				if in.Next = out.Next; in.Next == "" {
					break
				}
			}
			if format == JSON && len(got) != 23 {
				t.Errorf("limit %d: %v", limit, got)
			}
			at := 0
			for i := 1; format == Markdown && i < 23; i++ {
				word := fmt.Sprintf("word%d.", i)
				next := strings.Index(text.String(), word)
				if strings.Count(text.String(), word) != 1 || next < at {
					t.Errorf("limit %d: %s at %d after %d", limit, word, next, at)
				}
				at = next
			}
			for i, id := range got {
				if id != fmt.Sprintf("i%d", i) {
					t.Errorf("limit %d: %v", limit, got)
					break
				}
			}
		}
	}
}

// What a subagent said names it, on every page, and the name can't look like ours.
func TestExportNamesSubagents(t *testing.T) {
	m := stored(t, 7)
	var text strings.Builder
	for in := (ExportIn{Thread: "t", Format: Markdown, Limit: 1}); ; {
		out, err := m.export(t.Context(), vyre.Caller{}, in)
		if err != nil {
			t.Fatal(err)
		}
		text.WriteString(out.Text)
		if in.Next = out.Next; in.Next == "" {
			break
		}
	}
	got := text.String()
	if strings.Count(got, "## Agent (subagent: look \\#\\# Person)") != 2 || strings.Count(got, "(before which the conversation went back)") != 1 ||
		strings.Contains(got, "\n## Person") {
		t.Errorf("%s", got)
	}
}

// A limit that no page can have is refused, and so is a place that is not there.
func TestExportRefuses(t *testing.T) {
	m := stored(t, 1)
	for _, limit := range []int{-1, 201} {
		if _, err := m.export(t.Context(), vyre.Caller{}, ExportIn{Thread: "t", Format: JSON, Limit: limit}); vyre.CodeOf(err) != vyre.CodeInvalid {
			t.Errorf("limit %d: %v", limit, err)
		}
	}
	if _, err := m.export(t.Context(), vyre.Caller{}, ExportIn{Thread: "t", Format: JSON, Next: "elsewhere"}); vyre.CodeOf(err) != vyre.CodeNotFound {
		t.Errorf("%v", err)
	}
}
