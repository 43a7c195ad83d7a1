package sqlite

import (
	"encoding/json"
	"testing"

	"vyre"
)

func TestCopyIsWhole(t *testing.T) {
	// A copied thread shows what its source showed, under ids of its own: subagents
	// stand under their call, large outputs are read by the copy's own item, and what
	// was gone back before stays behind.
	db := openRunning(t, Options{})
	seedThread(t, db, "t")
	const call, child = "aaaaaaaaaaaaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbbbbbbbbbbbb"
	withOutput(t, db, call, []byte("the whole of it"))
	must(t, db.Commit(t.Context(), &vyre.Commit{
		Items: []vyre.Item{
			{ID: child, Thread: "t", Turn: "t:1", Kind: vyre.ItemText, Status: vyre.ItemCompleted, Text: "below", Parent: call},
			{ID: "left", Thread: "t", Turn: "t:1", Kind: vyre.ItemText, Status: vyre.ItemCompleted, Text: "left", Rewound: true},
		},
		Messages: []vyre.Message{{ID: "m", Thread: "t", Turn: "t:1", Text: "said", State: vyre.MessageDone}},
		Events:   []vyre.Event{{Kind: "x.y"}},
	}))
	src, err := db.Thread(t.Context(), "t")
	must(t, err)
	src.ID, src.Parent = "11111111-2222-3333-4444-555555555555", "t"
	must(t, db.Commit(t.Context(), &vyre.Commit{
		Durable: true, Threads: []vyre.Thread{src}, Copy: &vyre.CopyMark{From: "t", To: src.ID, Before: 2},
		Events: []vyre.Event{{Kind: "x.y", Thread: src.ID}},
	}))
	items, _, err := db.Items(t.Context(), ItemQuery{Thread: src.ID, Rewound: true})
	must(t, err)
	if len(items) != 2 || items[1].Parent != items[0].ID || items[0].ID == call || !vyre.ValidID(string(items[0].ID)) {
		t.Fatalf("%+v", items)
	}
	var body vyre.ToolBody
	must(t, json.Unmarshal(items[0].Body, &body))
	if body.OutputRef == nil || body.OutputRef.Ref != items[0].ID {
		t.Errorf("the output is named %+v, the item %s", body.OutputRef, items[0].ID)
	}
	p, err := db.Output(t.Context(), src.ID, items[0].ID, 0, 100)
	if err != nil || p.Text != "the whole of it" {
		t.Errorf("%+v %v", p, err)
	}
	if m, found, err := db.Message(t.Context(), src.ID, "m"); err != nil || !found || m.Text != "said" {
		t.Errorf("%+v %v %v", m, found, err)
	}
}
