package shim

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vyre/internal/engine"
	"vyre/internal/shim/proto"
)

// writeSpool lays b down in segments as the shim does, from offset at on.
func writeSpool(t rapid.TB, dir string, segment, at int64, b []byte) {
	for len(b) > 0 {
		start := at / segment * segment
		n := min(int64(len(b)), start+segment-at)
		f, err := os.OpenFile(filepath.Join(dir, proto.SegmentName(start)), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = f.Write(b[:n])
		_ = f.Close()
		at, b = at+n, b[n:]
	}
}

type wanted struct {
	text string
	end  int64
	cut  int64
}

// plainLines is the reading rule in its simplest form.
func plainLines(all []byte, limit, head int, from int64) []wanted {
	var out []wanted
	at := int64(0)
	for len(all) > 0 {
		i := bytes.IndexByte(all, '\n')
		line, size := all, len(all)
		if i >= 0 {
			line, size = all[:i], i+1
		}
		w := wanted{end: at + int64(size)}
		if len(line) > limit {
			w.text, w.cut = string(line[:head]), int64(len(line))
		} else {
			if i >= 0 {
				line = bytes.TrimSuffix(line, []byte("\r"))
			}
			w.text = string(line)
		}
		if w.end > from {
			out = append(out, w)
		}
		at, all = w.end, all[size:]
	}
	return out
}

func TestReaderModel(t *testing.T) {
	// Whatever the pieces in which output arrives, the segments it lies in and
	// the size of the reads: the lines, their ends and cuts are those of the plain
	// rule, also when reading goes on from any earlier line's end.
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "vyre-reader-")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		segment := int64(rapid.IntRange(200, 9000).Draw(t, "segment"))
		limit, head := 6000, 50
		chunk := rapid.OneOf(
			rapid.SliceOfN(rapid.SampledFrom([]byte("ab\r\n\n\xe2\x80\xa8\x00")), 0, 40),
			rapid.Map(rapid.IntRange(0, 9000), func(n int) []byte { return bytes.Repeat([]byte("x"), n) }),
		)
		chunks := rapid.SliceOfN(chunk, 1, 12).Draw(t, "chunks")
		r := reader{dir: dir, limit: limit, head: head}
		defer r.close()
		var all []byte
		var got []wanted
		take := func(final bool) int {
			lines, err := r.next(rapid.SampledFrom([]int{1, 100, 1 << 20}).Draw(t, "max"), final)
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range lines {
				got = append(got, wanted{string(l.Bytes), l.End, l.Cut})
			}
			return len(lines)
		}
		for _, c := range chunks {
			writeSpool(t, dir, segment, int64(len(all)), c)
			all = append(all, c...)
			if rapid.Bool().Draw(t, "read") {
				take(false)
			}
		}
		for take(true) > 0 {
		}
		compare(t, got, plainLines(all, limit, head, 0))
		if len(got) == 0 {
			return
		}
		from := got[rapid.IntRange(0, len(got)-1).Draw(t, "from")].end
		r.seek(from)
		got = nil
		for take(true) > 0 {
		}
		compare(t, got, plainLines(all, limit, head, from))
	})
}

func compare(t *rapid.T, got, want []wanted) {
	if len(got) != len(want) {
		t.Fatalf("%d lines, want %d: %.300v … %.300v", len(got), len(want), got, want)
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("line %d: %.200v, want %.200v", i, got[i], want[i])
		}
	}
}

func TestReaderKeepsLines(t *testing.T) {
	// Lines given out are the caller's: later reads never write into them.
	dir := t.TempDir()
	r := newReader(dir)
	defer r.close()
	writeSpool(t, dir, 1<<20, 0, []byte("first\nsec"))
	a, err := r.next(4096, false)
	if err != nil || len(a) != 1 {
		t.Fatal(a, err)
	}
	_ = append(a[0].Bytes, "XXXX"...)
	writeSpool(t, dir, 1<<20, 9, []byte("ond\nthird\n"))
	b, err := r.next(4096, false)
	if err != nil || len(b) != 2 || string(b[0].Bytes) != "second" || string(a[0].Bytes) != "first" {
		t.Fatalf("%q %q %v", texts(a), texts(b), err)
	}
}

func TestReaderReleased(t *testing.T) {
	// Going on before what was released is an error, never silence.
	dir := t.TempDir()
	r := newReader(dir)
	defer r.close()
	writeSpool(t, dir, 4, 8, []byte("ab\n"))
	if _, err := r.next(10, true); err == nil {
		t.Fatal("no error")
	}
}

func TestReaderCRAtTheLimit(t *testing.T) {
	// A line that is too long by its CR alone is cut, in however many reads it comes.
	for _, reads := range []int{1, 1 << 20} {
		dir := t.TempDir()
		text := strings.Repeat("x", 6000) + "\r\n"
		writeSpool(t, dir, 9000, 0, []byte(text))
		r := reader{dir: dir, limit: 6000, head: 50}
		defer r.close()
		var got []engine.Line
		for len(got) == 0 {
			lines, err := r.next(reads, false)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, lines...)
		}
		if len(got) != 1 || got[0].Cut != 6001 || got[0].End != 6002 {
			t.Errorf("%d bytes a read: %d lines, %d cut, end %d", reads, len(got), got[0].Cut, got[0].End)
		}
	}
}
