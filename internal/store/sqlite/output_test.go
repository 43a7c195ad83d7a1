package sqlite

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"vyre"
)

// withOutput commits a tool call whose output lies beside it.
func withOutput(t *testing.T, db *DB, item vyre.ItemID, whole []byte) {
	t.Helper()
	body, err := json.Marshal(vyre.ToolBody{
		Call: "c", Tool: "Bash", Output: json.RawMessage(`"head"`),
		OutputRef: &vyre.OutputRef{Ref: item, Bytes: int64(len(whole)), Form: vyre.OutputText, Truncated: true},
	})
	must(t, err)
	must(t, db.Commit(t.Context(), &vyre.Commit{
		Items:   []vyre.Item{{ID: item, Thread: "t", Kind: vyre.ItemTool, Status: vyre.ItemCompleted, Body: body}},
		Outputs: []vyre.Output{{Item: item, Bytes: whole}},
		Events:  []vyre.Event{{Kind: "x.y"}},
	}))
}

func TestLargeOutputIsReadInPieces(t *testing.T) {
	// A large output is read piece by piece, whatever the size of the pieces: put
	// together they are the whole, and none is cut within a character.
	db := openRunning(t, Options{})
	seedThread(t, db, "t")
	whole := strings.Repeat("zwölf Boxkämpfer 🥊 jagen Viktor\n", 20_000) // 700 KB, over two parts
	withOutput(t, db, "i", []byte(whole))
	for _, limit := range []int{4, 61, partBytes - 1, partBytes, 1 << 20} {
		var got strings.Builder
		offset := int64(0)
		if limit == 4 {
			offset = int64(len(whole)) - 4096
			got.WriteString(whole[:offset])
		}
		for {
			p, err := db.Output(t.Context(), "t", "i", offset, limit)
			must(t, err)
			if len(p.Text) > limit || p.Bytes != int64(len(whole)) || p.Form != vyre.OutputText {
				t.Fatalf("piece of %d bytes at a limit of %d: %+v", len(p.Text), limit, p)
			}
			if !json.Valid([]byte(fmt.Sprintf("%q", p.Text))) || strings.ContainsRune(p.Text, '\uFFFD') {
				t.Fatalf("a character was cut at %d", p.Next)
			}
			got.WriteString(p.Text)
			if offset = p.Next; offset == p.Bytes {
				break
			}
			if p.Text == "" {
				t.Fatalf("nothing at %d of %d", offset, p.Bytes)
			}
		}
		if got.String() != whole {
			t.Errorf("pieces of %d do not make the whole", limit)
		}
	}
	if _, err := db.Output(t.Context(), "t", "i", int64(len(whole))+1, 10); vyre.CodeOf(err) != vyre.CodeInvalid {
		t.Errorf("beyond the end: %v", err)
	}
	if _, err := db.Output(t.Context(), "u", "i", 0, 10); vyre.CodeOf(err) != vyre.CodeNotFound {
		t.Errorf("of another thread: %v", err)
	}
	withOutput(t, db, "i", []byte("short")) // replaces all of it
	if p, err := db.Output(t.Context(), "t", "i", 0, 100); err != nil || p.Text != "short" || p.Next != 5 {
		t.Errorf("replaced: %+v %v", p, err)
	}
}

func TestPagesOfItemsAreBoundedInBytes(t *testing.T) {
	// A page of large items ends early, goes on where it ended in both directions,
	// and holds at least one item, whatever its size.
	db := openRunning(t, Options{})
	seedThread(t, db, "t")
	big := bytes.Repeat([]byte("x"), 3<<20)
	for i := range 6 {
		text := string(big)
		if i == 5 {
			text += text // more than a page by itself
		}
		must(t, db.Commit(t.Context(), &vyre.Commit{
			Items:  []vyre.Item{{ID: vyre.ItemID(fmt.Sprint(i)), Thread: "t", Kind: vyre.ItemNotice, Status: vyre.ItemCompleted, Text: text}},
			Events: []vyre.Event{{Kind: "x.y"}},
		}))
	}
	for name, back := range map[string]bool{"forward": false, "back": true} {
		t.Run(name, func(t *testing.T) {
			q := ItemQuery{Thread: "t", SinceRev: new(vyre.Seq(0))}
			if back {
				q.SinceRev = nil
			}
			var got, sizes []string
			for {
				page, next, err := db.Items(t.Context(), q)
				must(t, err)
				sizes = append(sizes, fmt.Sprint(len(page)))
				var ids []string
				for _, it := range page {
					ids = append(ids, string(it.ID))
				}
				if back {
					got = append(ids, got...)
					q.Before = vyre.ItemID(next)
				} else {
					got = append(got, ids...)
					q.After, q.SinceRev = vyre.ItemID(next), nil
				}
				if next == "" {
					break
				}
			}
			if strings.Join(got, "") != "012345" || len(sizes) < 3 {
				t.Errorf("read %v in pages of %v", got, sizes)
			}
		})
	}
}
