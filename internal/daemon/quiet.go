package daemon

import (
	"context"
	"runtime/debug"
	"time"

	"vyre"
)

// quietAfter is how long nothing must happen before memory is given back.
const quietAfter = 3 * time.Second

// quiet gives memory back to the system whenever the log has been still for a
// moment: a daemon waits most of its life, and what a burst needed would stay
// resident until the next one. It returns when ctx ends.
func quiet(ctx context.Context, log interface {
	Wait(ctx context.Context, after vyre.Seq) error
	Head() vyre.Seq
},
) {
	for {
		head := log.Head()
		still, cancel := context.WithTimeout(ctx, quietAfter)
		moved := log.Wait(still, head) == nil
		cancel()
		switch {
		case ctx.Err() != nil:
			return
		case moved:
			pause(ctx, quietAfter) // a stream moves the head often; look seldom
		default:
			debug.FreeOSMemory()
			_ = log.Wait(ctx, head) // its error is the context's, which the next round sees
		}
	}
}

// pause waits for d or the end of ctx.
func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
