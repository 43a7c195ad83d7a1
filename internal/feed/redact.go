package feed

import (
	"encoding/json"

	"vyre"
)

// redact takes the data of a deleted thread's events out of memory, as the log did.
// The bytes are left alone: a reader may still have them.
func (f *Feed) redact(thread vyre.ThreadID) {
	for i := range f.count {
		if e := f.at(i); e.Thread == thread {
			e.Data = json.RawMessage("null")
		}
	}
}
