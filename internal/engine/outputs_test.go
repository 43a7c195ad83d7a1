package engine_test

import (
	"encoding/json"
	"strings"
	"testing"

	"vyre"
	"vyre/internal/store/sqlite"
)

// A tool's output of megabytes is in the timeline as its beginning and a
// reference, in a page of bounded size, and is read whole in pieces; one that is
// small is in its item.
func TestLargeOutput(t *testing.T) {
	w := newWorld(t, slow)
	id := w.begin("go")
	p := w.peers.newest()
	whole := strings.Repeat("line of output ü\n", 320_000) // 5.4 MB
	p.say(peerLine{Type: "tool", Key: "big"})
	p.say(peerLine{Type: "result", Key: "big", Text: whole})
	p.say(peerLine{Type: "tool", Key: "small"})
	p.say(peerLine{Type: "result", Key: "small", Text: "a word"})
	w.untilKind(vyre.EvThreadTool, 4)
	w.restart() // a later daemon knows it the same way
	items, _, err := w.db.Items(t.Context(), sqlite.ItemQuery{Thread: id})
	if err != nil {
		t.Fatal(err)
	}
	var big, small vyre.ToolBody
	for _, it := range items {
		var b vyre.ToolBody
		if it.Kind != vyre.ItemTool {
			continue
		}
		if len(it.Body) > 32<<10 {
			t.Errorf("a body of %d bytes", len(it.Body))
		}
		if err := json.Unmarshal(it.Body, &b); err != nil {
			t.Fatal(err)
		}
		if b.Call == "big" {
			big = b
		} else {
			small = b
		}
	}
	if big.OutputRef == nil || big.OutputRef.Bytes != int64(len(whole)) || !big.OutputRef.Truncated || big.OutputRef.Form != vyre.OutputText {
		t.Fatalf("reference %+v", big.OutputRef)
	}
	var begin string
	if err := json.Unmarshal(big.Output, &begin); err != nil || len(begin) < 1000 || !strings.HasPrefix(whole, begin) {
		t.Errorf("beginning of %d bytes, %v", len(begin), err)
	}
	var got strings.Builder
	for offset := int64(0); offset < big.OutputRef.Bytes; {
		part, err := w.db.Output(t.Context(), id, big.OutputRef.Ref, offset, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		got.WriteString(part.Text)
		offset = part.Next
	}
	if got.String() != whole {
		t.Error("the pieces are not the whole")
	}
	if string(small.Output) != `"a word"` || small.OutputRef != nil {
		t.Errorf("small %s %+v", small.Output, small.OutputRef)
	}
}
