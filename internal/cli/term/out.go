package term

import (
	"io"
	"strings"
)

// Out prints to two streams that may share a screen: words to the first, which
// is data, and everything about them to the second. It knows where each line
// stands, so that a notice never lands in the middle of one. It belongs to one
// goroutine. After a failed write it prints nothing more; Err says why.
type Out struct {
	data, notes io.Writer
	Data, Notes Style

	dataOpen  bool // the data's last byte was no newline
	notesOpen bool
	err       error
}

// NewOut returns an Out over the two streams.
func NewOut(data io.Writer, dataStyle Style, notes io.Writer, notesStyle Style) *Out {
	return &Out{data: data, notes: notes, Data: dataStyle, Notes: notesStyle}
}

// Err is the first error of a write, or nil.
func (o *Out) Err() error { return o.err }

// Words writes data as it comes. The text must be clean already.
func (o *Out) Words(s string) {
	if s == "" {
		return
	}
	o.closeNotes()
	o.write(o.data, s)
	o.dataOpen = !strings.HasSuffix(s, "\n")
}

// EndWords ends the data's line, if one is open.
func (o *Out) EndWords() {
	if o.dataOpen {
		o.Words("\n")
	}
}

// Note writes one line of notice.
func (o *Out) Note(s string) {
	o.pauseWords()
	o.closeNotes()
	o.write(o.notes, s+"\n")
}

// Part writes the beginning of a line of notice, which EndPart may finish.
func (o *Out) Part(s string) {
	o.pauseWords()
	o.closeNotes()
	o.write(o.notes, s)
	o.notesOpen = true
}

// EndPart finishes the line that Part began and reports whether it still could:
// it can't when something else was printed since.
func (o *Out) EndPart(s string) bool {
	if !o.notesOpen {
		return false
	}
	o.write(o.notes, s+"\n")
	o.notesOpen = false
	return true
}

// PartOpen reports whether a line that Part began can still be finished.
func (o *Out) PartOpen() bool { return o.notesOpen }

// pauseWords ends the data's line where a notice would share it on a screen;
// data that goes elsewhere is left as it is.
func (o *Out) pauseWords() {
	if o.dataOpen && o.Data.TTY {
		o.write(o.data, "\n")
		o.dataOpen = false
	}
}

func (o *Out) closeNotes() {
	if o.notesOpen {
		o.write(o.notes, "\n")
		o.notesOpen = false
	}
}

func (o *Out) write(w io.Writer, s string) {
	if o.err != nil {
		return
	}
	_, o.err = io.WriteString(w, s)
}
