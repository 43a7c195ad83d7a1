package wire

import (
	"bytes"
	"errors"
	"io"
	"sync"
)

// Errors of Write. They are for programs, not for people.
var (
	ErrNewline  = errors.New("wire: a frame holds a newline")
	ErrTooLarge = errors.New("wire: the frame is over the limit")
)

// Writer writes frames, one at a time and each whole.
type Writer struct {
	mu  sync.Mutex
	w   io.Writer // guarded by mu
	max int
}

// NewWriter writes frames of at most limit bytes to w; 0 is DefaultMax.
func NewWriter(w io.Writer, limit int) *Writer {
	if limit <= 0 {
		limit = DefaultMax
	}
	return &Writer{w: w, max: limit}
}

// Write sends one frame; a final 0x0A is added where it is missing. After an
// error of the underlying writer the stream is not in step any more.
func (w *Writer) Write(frame []byte) error {
	frame = bytes.TrimSuffix(frame, []byte("\n"))
	if bytes.IndexByte(frame, '\n') >= 0 {
		return ErrNewline
	}
	if len(frame) > w.max {
		return ErrTooLarge
	}
	line := make([]byte, 0, len(frame)+1)
	line = append(append(line, frame...), '\n')
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := w.w.Write(line)
	return err
}
