package wire_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"vyre/internal/wire"
)

// frames reads all frames of r.
func frames(t *testing.T, r io.Reader, limit int) []wire.Frame {
	t.Helper()
	rd := wire.NewReader(r, limit)
	var out []wire.Frame
	for {
		f, err := rd.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, f)
	}
}

func texts(fs []wire.Frame) []string {
	var out []string
	for _, f := range fs {
		out = append(out, string(f.Bytes))
	}
	return out
}

func TestOnlyNewlineEndsAFrame(t *testing.T) {
	// A frame ends at 0x0A alone, however the bytes arrive; the last needs none.
	in := "a\u2028b\u0085c\n\r\nx\r\n\nlast \xff"
	want := []string{"a\u2028b\u0085c", "\r", "x\r", "", "last \xff"}
	for name, r := range map[string]io.Reader{
		"at once":      strings.NewReader(in),
		"byte by byte": iotest.OneByteReader(strings.NewReader(in)),
		"with the end": iotest.DataErrReader(strings.NewReader(in)),
	} {
		if d := cmp.Diff(want, texts(frames(t, r, 0))); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

func TestLongFrame(t *testing.T) {
	// A frame over the limit is cut and counted, and the next one is read in step.
	long := strings.Repeat("x", 20<<20)
	fs := frames(t, strings.NewReader("a\n"+long+"\nb\n"), 11<<20)
	if len(fs) != 3 || len(fs[1].Bytes) != 11<<20 || fs[1].Cut != 20<<20 || string(fs[2].Bytes) != "b" || fs[2].Cut != 0 {
		t.Fatalf("%d frames", len(fs))
	}
	fs = frames(t, strings.NewReader("abc\nabcd\n"), 3)
	if fs[0].Cut != 0 || fs[1].Cut != 4 || string(fs[1].Bytes) != "abc" {
		t.Errorf("at the limit: %+v", fs)
	}
}

func TestReadError(t *testing.T) {
	// An error of the stream comes out as it is.
	broken := errors.New("broken")
	rd := wire.NewReader(io.MultiReader(strings.NewReader("a\n"), iotest.ErrReader(broken)), 0)
	if f, err := rd.Next(); err != nil || string(f.Bytes) != "a" {
		t.Fatalf("%q, %v", f.Bytes, err)
	}
	if _, err := rd.Next(); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

func TestFramesAreTheReceivers(t *testing.T) {
	// A frame stays as it was while later ones are read.
	rd := wire.NewReader(strings.NewReader("first\nother\n"), 0)
	a, _ := rd.Next()
	_, _ = rd.Next()
	if string(a.Bytes) != "first" {
		t.Errorf("it became %q", a.Bytes)
	}
}

func TestWriter(t *testing.T) {
	// A frame leaves whole with one newline; what would break the framing is refused.
	var b bytes.Buffer
	w := wire.NewWriter(&b, 4)
	for in, want := range map[string]error{"ab": nil, "ab\n": nil, "a\nb": wire.ErrNewline, "abcde": wire.ErrTooLarge} {
		b.Reset()
		if err := w.Write([]byte(in)); !errors.Is(err, want) {
			t.Errorf("%q: %v", in, err)
		}
		if want == nil && b.String() != "ab\n" {
			t.Errorf("%q went out as %q", in, b.String())
		}
	}
}

// FuzzReader: any stream is cut into frames that give the stream again.
func FuzzReader(f *testing.F) {
	f.Add([]byte("a\nb"), 3)
	f.Add([]byte("\n\n\r\n"), 1)
	f.Add([]byte(strings.Repeat("x", 100)+"\n"), 10)
	f.Fuzz(func(t *testing.T, in []byte, limit int) {
		limit = limit%64 + 64
		lines := bytes.Split(in, []byte("\n"))
		if len(lines[len(lines)-1]) == 0 {
			lines = lines[:len(lines)-1]
		}
		fs := frames(t, iotest.HalfReader(bytes.NewReader(in)), limit)
		if len(fs) != len(lines) {
			t.Fatalf("%d frames of %d lines", len(fs), len(lines))
		}
		for i, fr := range fs {
			want := lines[i][:min(limit, len(lines[i]))]
			if !bytes.Equal(fr.Bytes, want) || (fr.Cut > 0) != (len(lines[i]) > limit) {
				t.Fatalf("frame %d: %q", i, fr.Bytes)
			}
		}
	})
}
