package cli

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"vyre/internal/cli/term"
	"vyre/internal/install"
)

// bar tells how far an install is: a line that is drawn over at a terminal, a
// line now and then elsewhere. Its methods may be called from any goroutine.
type bar struct {
	w     io.Writer
	style term.Style
	now   func() time.Time

	mu    sync.Mutex
	stage string
	last  time.Time
}

func newBar(w io.Writer, s term.Style, now func() time.Time) *bar {
	return &bar{w: w, style: s, now: now}
}

// Between two drawings.
const (
	drawEvery = 200 * time.Millisecond
	lineEvery = 5 * time.Second
)

// at draws the progress.
func (b *bar) at(p install.Progress) {
	b.mu.Lock()
	defer b.mu.Unlock()
	every := lineEvery
	if b.style.Color {
		every = drawEvery
	}
	if p.Stage == b.stage && b.now().Sub(b.last) < every {
		return
	}
	b.stage, b.last = p.Stage, b.now()
	if b.style.Color {
		fmt.Fprintf(b.w, "\r\x1b[K%s", barText(p))
		return
	}
	fmt.Fprintln(b.w, barText(p))
}

// done ends the line.
func (b *bar) done(ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.style.Color {
		fmt.Fprint(b.w, "\r\x1b[K")
	}
	if ok {
		fmt.Fprintln(b.w, "  installed; its checksum holds")
	}
}

const barWidth = 24

func barText(p install.Progress) string {
	what := map[string]string{"wait": "waiting for another install", "fetch": "fetching", "check": "checking the checksum"}[p.Stage]
	if what == "" {
		what = p.Stage
	}
	if p.Total <= 0 || p.Stage == "wait" {
		return "  " + what
	}
	part := min(1, float64(p.Done)/float64(p.Total))
	n := int(part * barWidth)
	return fmt.Sprintf("  [%s%s] %3.0f%%  %s of %s  %s", strings.Repeat("#", n), strings.Repeat(".", barWidth-n),
		part*100, bytesOf(p.Done), bytesOf(p.Total), what)
}
