package term

import (
	"context"
	"errors"
	"io"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func pipe(t *testing.T) (*Input, *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	return NewInput(r), w
}

func limited(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// Piped lines come one at a time, in order, the last one also without an end.
func TestLinesOfAPipe(t *testing.T) {
	in, w := pipe(t)
	io.WriteString(w, "one\r\ntwo\n\nlast")
	w.Close()
	for _, want := range []string{"one", "two", "", "last"} {
		if got, err := in.Line(limited(t)); err != nil || got != want {
			t.Fatalf("got %q, %v; want %q", got, err, want)
		}
	}
	for range 2 {
		if _, err := in.Line(limited(t)); !errors.Is(err, io.EOF) {
			t.Fatalf("want the end, got %v", err)
		}
	}
}

// A reader that gives up swallows nothing: the next one gets what comes then.
func TestACancelledReadSwallowsNothing(t *testing.T) {
	in, w := pipe(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("the question was withdrawn")
	done := make(chan error, 1)
	go func() { _, err := in.Line(ctx); done <- err }()
	cancel(gone)
	if err := <-done; !errors.Is(err, gone) {
		t.Fatalf("got %v", err)
	}
	io.WriteString(w, "for the next\n")
	if got, err := in.Line(limited(t)); err != nil || got != "for the next" {
		t.Fatalf("got %q, %v", got, err)
	}
}

// No standard input at all is the end of input, not a fault.
func TestNoInput(t *testing.T) {
	in := NewInput(nil)
	if _, err := in.Line(limited(t)); !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	if b, err := in.All(limited(t), 10); err != nil || len(b) != 0 {
		t.Fatal(b, err)
	}
}

// Everything is read whole, and more than the bound is refused.
func TestAllIsBounded(t *testing.T) {
	in, w := pipe(t)
	io.WriteString(w, "line\nline\n")
	w.Close()
	if b, err := in.All(limited(t), 100); err != nil || string(b) != "line\nline\n" {
		t.Fatalf("%q, %v", b, err)
	}
	in, w = pipe(t)
	io.WriteString(w, "0123456789")
	w.Close()
	if _, err := in.All(limited(t), 9); err == nil {
		t.Fatal("ten bytes passed a bound of nine")
	}
}
