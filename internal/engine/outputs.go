package engine

import (
	"encoding/json"

	"vyre"
)

// Outputs of tools may have many megabytes. One over outputMax is stored beside
// its item, whole, and the item carries its first outputHead bytes: a timeline is
// read often and by phones, an output seldom and by somebody who asked for it.
const (
	outputMax  = 64 << 10
	outputHead = 16 << 10
)

// byReference puts a large output into the commit by itself and leaves its
// beginning, and where the whole is, in the body.
func (t *tx) byReference(item vyre.ItemID, b vyre.ToolBody) vyre.ToolBody {
	if len(b.Output) <= outputMax {
		return b
	}
	b.Output = t.o.e.cfg.Redact.JSON(b.Output) // before its size is told and its beginning cut
	whole, form := []byte(b.Output), vyre.OutputJSON
	var words string
	if json.Unmarshal(b.Output, &words) == nil {
		whole, form = []byte(words), vyre.OutputText
	}
	begin, err := json.Marshal(head(string(whole[:min(len(whole), outputHead)]), outputHead-4))
	if err != nil {
		return b // a string always can be
	}
	t.c.Outputs = put(t.c.Outputs, vyre.Output{Item: item, Bytes: whole}, func(x vyre.Output) vyre.ItemID { return x.Item })
	b.Output = begin
	b.OutputRef = &vyre.OutputRef{Ref: item, Bytes: int64(len(whole)), Form: form, Truncated: true}
	return b
}
