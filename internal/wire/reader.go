package wire

import (
	"bufio"
	"errors"
	"io"
)

// DefaultMax is the limit of a frame where none is given: agents write lines of
// megabytes (a file's whole content in one tool call).
const DefaultMax = 64 << 20

// Frame is one line.
type Frame struct {
	Bytes []byte // without 0x0A; the receiver's to keep
	Cut   int64  // 0, or the whole length of a line that was cut at the limit
}

// Reader reads frames.
type Reader struct {
	r   *bufio.Reader
	max int
}

// NewReader reads frames of at most limit bytes from r; 0 is DefaultMax.
func NewReader(r io.Reader, limit int) *Reader {
	if limit <= 0 {
		limit = DefaultMax
	}
	return &Reader{r: bufio.NewReaderSize(r, 64<<10), max: limit}
}

// Next returns the next frame. What follows the last 0x0A is a frame too, if it
// is not empty. Errors are those of the underlying reader; at the end, io.EOF.
func (r *Reader) Next() (Frame, error) {
	var f Frame
	var n int64
	for {
		part, err := r.r.ReadSlice('\n')
		whole := err == nil
		if whole {
			part = part[:len(part)-1]
		}
		n += int64(len(part))
		if room := r.max - len(f.Bytes); len(part) > room {
			part = part[:room]
		}
		f.Bytes = append(f.Bytes, part...)
		switch {
		case whole:
			return r.finish(f, n), nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && n > 0:
			return r.finish(f, n), nil // the error comes again at the next call
		default:
			return Frame{}, err
		}
	}
}

func (r *Reader) finish(f Frame, n int64) Frame {
	if f.Bytes == nil {
		f.Bytes = []byte{}
	}
	if n > int64(len(f.Bytes)) {
		f.Cut = n
	}
	return f
}
