package daemon

import (
	"encoding/json"
	"testing"

	"vyre"
	"vyre/internal/registry"
)

// Who may call what is one table over every tool and every sort of caller, and a real
// call does what it says: docs/reference/callers.md is generated from the same cells.
func TestReachTable(t *testing.T) {
	r := Registry()
	refused, let := 0, 0
	for _, e := range r.Tools() {
		for _, c := range registry.Columns() {
			cell := registry.CellOf(e.Tool, c.Caller)
			_, err := r.Call(t.Context(), c.Caller, e.Name, json.RawMessage(`{}`))
			refusal := registry.Refused(err)
			if cell != registry.CellNo && vyre.CodeOf(err) == vyre.CodeDenied {
				refusal = false // for what the input names, not for who calls
			}
			if refusal != (cell == registry.CellNo) {
				t.Errorf("%s by %s: the table says %q, the call %v", e.Name, c.Name, cell, err)
			}
			if cell == registry.CellNo {
				refused++
			} else {
				let++
			}
			if cell != registry.CellItself {
				continue
			}
			in, _ := json.Marshal(map[string]string{"thread": "another"})
			if _, err := r.Call(t.Context(), c.Caller, e.Name, in); vyre.CodeOf(err) != vyre.CodeDenied && vyre.CodeOf(err) != vyre.CodeInvalid {
				t.Errorf("%s by %s on another thread: %v", e.Name, c.Name, err)
			}
		}
		if e.Reach == vyre.ReachPerson { // whoever else there is, or may come to be
			for _, k := range append(vyre.CallerKinds, "", "root") {
				if k == vyre.CallerPerson {
					continue
				}
				if _, err := r.Call(t.Context(), vyre.Caller{Kind: k, ID: "x"}, e.Name, nil); !registry.Refused(err) {
					t.Errorf("%s by %q: %v", e.Name, k, err)
				}
			}
		}
	}
	if refused == 0 || let == 0 {
		t.Error("nothing was tried")
	}
	t.Logf("%d refused, %d let through to their input", refused, let)
}
