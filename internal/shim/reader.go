package shim

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"vyre"
	"vyre/internal/engine"
	"vyre/internal/shim/proto"
)

// Bounds of a line, in bytes. The shim knows nothing of lines: only the reader
// needs memory for one.
const (
	maxLine  = 64 << 20 // a longer one is cut
	keepLine = 1 << 20  // to this
	minRead  = 4 << 10
)

// reader reads a spool as lines. It works on the files alone, whether the shim
// lives or not. One goroutine at a time.
type reader struct {
	dir   string
	limit int      // a longer line is cut; maxLine but in tests
	head  int      // to this; keepLine but in tests
	pos   int64    // spool offset of the next byte to read
	f     *os.File // the segment that holds it, or nil
	start int64    // of that segment
	part  []byte   // what was read of an unfinished line
	cut   int64    // bytes of it, when it is over the bound; part then is its beginning
}

func newReader(dir string) reader { return reader{dir: dir, limit: maxLine, head: keepLine} }

func (r *reader) seek(offset int64) {
	r.close()
	r.pos, r.part, r.cut = offset, nil, 0
}

func (r *reader) close() {
	if r.f != nil {
		_ = r.f.Close()
		r.f = nil
	}
}

// next returns the whole lines that are there, reading at most about
// most bytes; none when no line is whole. With final set nothing will follow, and
// what is left is a line of its own; then no lines means the end.
func (r *reader) next(most int, final bool) ([]engine.Line, error) {
	for {
		buf, had, err := r.fill(most)
		if err != nil {
			return nil, err
		}
		if len(buf) == had {
			break
		}
		if lines := r.split(buf, had); len(lines) > 0 {
			return lines, nil
		}
	}
	if !final || (len(r.part) == 0 && r.cut == 0) {
		return nil, nil
	}
	last := r.line(r.part, r.pos)
	r.part, r.cut = nil, 0
	return []engine.Line{last}, nil
}

// fill reads what follows, behind the unfinished line where that is kept. had
// is how much of buf is not new.
func (r *reader) fill(most int) (buf []byte, had int, err error) {
	avail, err := r.available()
	if err != nil || avail == 0 {
		return nil, 0, err
	}
	want := int(min(avail, int64(max(most, minRead))))
	if r.cut == 0 {
		buf = r.part
	}
	had = len(buf)
	buf = grow(buf, want)
	n, err := r.f.ReadAt(buf[had:had+want], r.pos-r.start)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, 0, fault("the session's spool can't be read", err)
	}
	r.pos += int64(n)
	return buf[:had+n], had, nil
}

// grow returns b with room for n more bytes. A fresh one is made to measure, an
// unfinished line doubles.
func grow(b []byte, n int) []byte {
	if cap(b)-len(b) >= n {
		return b[:len(b)+n]
	}
	size := len(b) + n
	if len(b) > 0 {
		size = max(size, 2*cap(b))
	}
	c := make([]byte, len(b)+n, size)
	copy(c, b)
	return c
}

// unfinished is how many bytes before pos belong to a line that has not ended.
func (r *reader) unfinished() int64 { return max(int64(len(r.part)), r.cut) }

// split cuts buf into lines, of which the first had bytes hold no 0x0A.
func (r *reader) split(buf []byte, had int) []engine.Line {
	var lines []engine.Line
	base := r.pos - int64(len(buf)) // offset of buf[0]
	from := 0
	for at := had; ; {
		i := bytes.IndexByte(buf[at:], '\n')
		if i < 0 {
			break
		}
		end := at + i
		lines = append(lines, r.whole(buf[from:end:end], base+int64(end)+1))
		from, at = end+1, end+1
	}
	r.keep(buf, from, len(lines) > 0)
	return lines
}

// whole makes a line that ended. The end of a cut one only says how long it was.
func (r *reader) whole(b []byte, end int64) engine.Line {
	if r.cut > 0 {
		r.cut += int64(len(b))
		l := r.line(r.part, end)
		r.part, r.cut = nil, 0
		return l
	}
	// Whether a line is too long is asked before its CR goes, as keep has to.
	if n := len(b); n > 0 && n <= r.limit && b[n-1] == '\r' {
		b = b[:n-1]
	}
	return r.line(b, end)
}

func (r *reader) line(b []byte, end int64) engine.Line {
	if r.cut > 0 {
		return engine.Line{Bytes: b, End: end, Cut: r.cut}
	}
	if len(b) > r.limit {
		return engine.Line{Bytes: bytes.Clone(b[:r.head]), End: end, Cut: int64(len(b))}
	}
	return engine.Line{Bytes: b, End: end}
}

// keep holds on to the unfinished rest of buf. shared says that lines point
// into buf, which then must not be written to any more.
func (r *reader) keep(buf []byte, from int, shared bool) {
	rest := buf[from:]
	switch {
	case r.cut > 0:
		r.cut += int64(len(rest))
	case len(rest) > r.limit:
		r.cut, r.part = int64(len(rest)), bytes.Clone(rest[:r.head])
	case shared && len(rest) > 0:
		r.part = bytes.Clone(rest)
	case shared:
		r.part = nil
	default:
		r.part = rest
	}
}

// available is how many bytes of the segment at pos are there to be read; it
// goes to the next segment at the end of one.
func (r *reader) available() (int64, error) {
	if r.f == nil {
		if ok, err := r.locate(); !ok {
			return 0, err
		}
	}
	for {
		fi, err := r.f.Stat()
		if err != nil {
			return 0, fault("the session's spool can't be read", err)
		}
		if n := fi.Size() - (r.pos - r.start); n > 0 {
			return n, nil
		}
		if r.pos == r.start || !r.open(r.pos) {
			return 0, nil
		}
	}
}

// open goes to the segment that begins at start. The shim makes it only after
// the one before is full and wholly written.
func (r *reader) open(start int64) bool {
	f, err := os.Open(filepath.Join(r.dir, proto.SegmentName(start)))
	if err != nil {
		return false
	}
	r.close()
	r.f, r.start = f, start
	return true
}

// locate opens the segment that holds pos. Not ok without an error means that
// there is none yet.
func (r *reader) locate() (bool, error) {
	starts, err := segments(r.dir)
	if err != nil {
		return false, fault("the session's spool can't be read", err)
	}
	for _, start := range slices.Backward(starts) {
		if start <= r.pos {
			return r.open(start), nil
		}
	}
	if len(starts) > 0 {
		return false, vyre.Errorf(vyre.CodeInternal, "the session's output before this point was released")
	}
	return false, nil
}

// segments lists the starts of a spool's segments in order.
func segments(dir string) ([]int64, error) {
	entries, err := os.ReadDir(dir) // sorted by name, and the names are of one width
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var starts []int64
	for _, e := range entries {
		if start, ok := proto.ParseSegmentName(e.Name()); ok {
			starts = append(starts, start)
		}
	}
	return starts, nil
}
