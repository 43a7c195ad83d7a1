package proto

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestRoundTrips(t *testing.T) {
	// Whatever is said arrives as it was said, also with bytes of a later version
	// behind it.
	rapid.Check(t, func(t *rapid.T) {
		later := rapid.SliceOfN(rapid.Byte(), 0, 5).Draw(t, "later")
		b := rapid.SliceOfN(rapid.Byte(), 1, 40)
		text := rapid.StringN(0, 20, 40)
		ms := rapid.Map(rapid.IntRange(0, 100_000), func(n int) time.Duration { return time.Duration(n) * time.Millisecond })
		s := Spec{
			Token: b.Draw(t, "token"), Socket: text.Draw(t, "socket"), Dir: text.Draw(t, "dir"), Path: text.Draw(t, "path"),
			Args: rapid.SliceOfN(text, 0, 4).Draw(t, "args"), Env: rapid.SliceOfN(text, 0, 4).Draw(t, "env"), CWD: text.Draw(t, "cwd"),
			OneShot: rapid.SliceOfN(b, 0, 3).Draw(t, "secrets"),
			Segment: rapid.Uint64Min(1).Draw(t, "segment"), Bound: rapid.Uint64Min(1).Draw(t, "bound"),
			Orphan: ms.Draw(t, "orphan"), Leftovers: ms.Draw(t, "leftovers"), TermGrace: ms.Draw(t, "grace"),
			Confine: b.Draw(t, "confine"),
		}
		same(t, s, must(ParseSpec(append(s.Append(nil), later...)))(t))
		run := Running{PID: rapid.Uint32().Draw(t, "agent"), Held: rapid.SliceOfN(text, 0, 4).Draw(t, "held"), Open: rapid.SliceOfN(text, 0, 4).Draw(t, "open")}
		same(t, run, must(ParseRunning(append(run.Append(nil), later...)))(t))
		h := Hello{Min: rapid.Uint16().Draw(t, "min"), Max: rapid.Uint16().Draw(t, "max"), Token: b.Draw(t, "token")}
		same(t, h, must(ParseHello(append(h.Append(nil), later...)))(t))
		st := Status{
			Phase: Phase(rapid.Byte().Draw(t, "phase")), Flags: rapid.Byte().Draw(t, "flags"), AgentPID: rapid.Uint32().Draw(t, "pid"),
			Last: rapid.Uint64().Draw(t, "last"), End: rapid.Uint64().Draw(t, "end"), Released: rapid.Uint64().Draw(t, "released"),
			Code: rapid.Int32().Draw(t, "code"), Signal: rapid.Uint32().Draw(t, "signal"),
		}
		same(t, st, must(ParseStatus(append(st.Append(nil), later...)))(t))
		id := Identity{Version: 1, PID: rapid.Uint32().Draw(t, "pid"), StartTime: rapid.Uint64().Draw(t, "start"), BootID: text.Draw(t, "boot")}
		gotID, gotSt, err := ParseWelcome(append(st.Append(id.Append(nil)), later...))
		if err != nil {
			t.Fatal(err)
		}
		same(t, id, gotID)
		same(t, st, gotSt)
		r := Refusal{Code: Code(rapid.Uint16().Draw(t, "code")), Text: text.Draw(t, "text")}
		same(t, r, must(ParseRefusal(append(r.Append(nil), later...)))(t))
	})
}

func same(t *rapid.T, want, got any) {
	if !reflect.DeepEqual(want, got) {
		t.Fatalf("got %#v, want %#v", got, want)
	}
}

func must[T any](v T, err error) func(*rapid.T) T {
	return func(t *rapid.T) T {
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func TestTruncated(t *testing.T) {
	// A body that was cut anywhere is refused, never guessed.
	whole := map[string][]byte{
		"spec":    Spec{Token: []byte("t"), Args: []string{"a"}, Segment: 1, Bound: 1}.Append(nil),
		"hello":   Hello{Token: []byte("t")}.Append(nil),
		"status":  Status{}.Append(nil),
		"refusal": Refusal{Text: "x"}.Append(nil),
		"signal":  Signal{}.Append(nil),
	}
	if r, err := ParseRunning([]byte{0, 0, 0, 7}); err != nil || r.PID != 7 {
		t.Errorf("version 1's answer to go: %+v, %v", r, err)
	}
	parse := map[string]func([]byte) error{
		"spec":    func(b []byte) error { _, err := ParseSpec(b); return err },
		"hello":   func(b []byte) error { _, err := ParseHello(b); return err },
		"status":  func(b []byte) error { _, err := ParseStatus(b); return err },
		"refusal": func(b []byte) error { _, err := ParseRefusal(b); return err },
		"signal":  func(b []byte) error { _, err := ParseSignal(b); return err },
	}
	for name, b := range whole {
		if err := parse[name](b); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for n := range len(b) {
			if parse[name](b[:n]) == nil {
				t.Errorf("%s: %d of %d bytes were taken", name, n, len(b))
			}
		}
	}
}

func TestFilesAreJSON(t *testing.T) {
	// What the parent writes by hand is what the daemon's decoder reads.
	e := Exit{Code: 3, Signal: 0, Last: 1 << 60, Empty: true}
	var e2 Exit
	if err := json.Unmarshal(e.JSON(), &e2); err != nil || e != e2 {
		t.Fatalf("%+v, %v", e2, err)
	}
	r := Record{BootID: "4c5e-1", PID: 7, StartTime: 1 << 62, Agent: 8, AgentStart: 9}
	var r2 Record
	if err := json.Unmarshal(r.JSON(), &r2); err != nil || r != r2 {
		t.Fatalf("%+v, %v", r2, err)
	}
}

func TestSegmentNames(t *testing.T) {
	// Names give their offset back and sort as the offsets do; other names are none.
	last := ""
	for _, start := range []int64{0, 1, 8 << 20, 99, 1 << 40} {
		if got, ok := ParseSegmentName(SegmentName(start)); !ok || got != start {
			t.Errorf("%d became %d, %v", start, got, ok)
		}
	}
	for _, start := range []int64{0, 9, 10, 1 << 20, 1 << 40} {
		if name := SegmentName(start); name <= last {
			t.Errorf("%s does not sort after %s", name, last)
		} else {
			last = name
		}
	}
	for _, name := range []string{"", ".log", "1.log", "000000000000000x.log", "-000000000000001.log", "00000000000000001.log", "0000000000000000.log.new", "99999999999999999999.log"} {
		if _, ok := ParseSegmentName(name); ok {
			t.Errorf("%q was taken for a segment", name)
		}
	}
}

func FuzzParse(f *testing.F) {
	// No bytes make a parser panic or reach beyond the body.
	f.Add([]byte{})
	f.Add(Spec{Token: []byte("t"), Args: []string{"a"}, Segment: 1, Bound: 1}.Append(nil))
	f.Add(bytes.Repeat([]byte{0xff}, 64))
	f.Add(Status{}.Append(Identity{BootID: "b"}.Append(nil)))
	f.Fuzz(func(t *testing.T, b []byte) {
		_, _, _, _ = ParseHeader(b)
		if s, err := ParseSpec(b); err == nil && len(s.Append(nil)) > len(b) {
			t.Fatalf("a spec of %d bytes out of %d", len(s.Append(nil)), len(b))
		}
		_, _ = ParseHello(b)
		_, _, _ = ParseWelcome(b)
		_, _ = ParseStatus(b)
		_, _ = ParseSignal(b)
		_, _ = ParseRefusal(b)
		_, _ = ParseU64(b)
		_, _ = ParseRunning(b)
		_, _ = ParseReason(b)
		_, _ = ParseSegmentName(string(b))
	})
}
