package claude

import (
	"encoding/json"

	"vyre"
)

// edits says what a file tool would make of its file, or nil where its input does not
// say it whole (names as in 2.1.332). An Edit without old_string makes the file.
func edits(tool string, in fields) []vyre.FileEdit {
	switch tool {
	case "Write":
		if text, ok := in.take("content"); ok {
			return []vyre.FileEdit{{Whole: true, New: text}}
		}
	case "Edit":
		if e, ok := edit(in); ok {
			return []vyre.FileEdit{e}
		}
	case "MultiEdit":
		var list []fields
		if json.Unmarshal(in["edits"], &list) != nil {
			return nil
		}
		var out []vyre.FileEdit
		for _, f := range list {
			e, ok := edit(f)
			if !ok {
				return nil
			}
			out = append(out, e)
		}
		return out
	}
	return nil
}

func edit(in fields) (vyre.FileEdit, bool) {
	old, ok1 := in.take("old_string")
	text, ok2 := in.take("new_string")
	all := false
	if raw, there := in["replace_all"]; there && json.Unmarshal(raw, &all) != nil {
		return vyre.FileEdit{}, false
	}
	return vyre.FileEdit{Old: old, New: text, All: all}, ok1 && ok2
}
