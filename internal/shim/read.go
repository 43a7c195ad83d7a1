package shim

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"time"

	"vyre/internal/engine"
	"vyre/internal/shim/proto"
)

// lookAgain is how often the spool is looked at while there is no connection
// that would tell.
const lookAgain = 200 * time.Millisecond

// SetOffset sets where Read goes on; see engine.Process. It must be the offset
// after a line.
func (p *process) SetOffset(offset int64) {
	p.rmu.Lock()
	p.reader.seek(offset)
	p.rmu.Unlock()
	p.start(offset)
}

// Read returns the next whole lines; see engine.Process. The bytes belong to
// the caller. Errors: io.EOF at the end, the context's, unavailable after
// Detach, internal for output that was released.
func (p *process) Read(ctx context.Context, max int) ([]engine.Line, error) {
	p.rmu.Lock()
	defer p.rmu.Unlock()
	for {
		final, connected := p.final() // asked before the files are looked at
		lines, err := p.reader.next(max, final)
		if err != nil || len(lines) > 0 {
			return lines, err
		}
		if final {
			p.reader.close()
			return nil, io.EOF
		}
		p.readDry()
		if err := p.await(ctx, connected); err != nil {
			return nil, err
		}
	}
}

// final reports whether the spool will not grow any more, and whether somebody
// would tell if it did.
func (p *process) final() (final, connected bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.over || p.status.Has(proto.FlagDrained), p.c != nil
}

func (p *process) await(ctx context.Context, connected bool) error {
	var again <-chan time.Time
	if !connected {
		t := time.NewTimer(lookAgain)
		defer t.Stop()
		again = t.C
	}
	select {
	case <-p.wake:
		return nil
	case <-again:
		return nil
	case <-p.left:
		return over()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// removeSegments does what the shim would: segments wholly before offset go,
// the last one stays.
func removeSegments(dir string, offset int64) {
	if offset <= 0 {
		return
	}
	dir = filepath.Join(dir, proto.SpoolDir)
	starts, err := segments(dir)
	if err != nil {
		return
	}
	for i := 0; i+1 < len(starts) && starts[i+1] <= offset; i++ {
		_ = os.Remove(filepath.Join(dir, proto.SegmentName(starts[i])))
	}
}
