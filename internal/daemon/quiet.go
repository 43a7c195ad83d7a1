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
) error {
	for {
		head := log.Head()
		still, cancel := context.WithTimeout(ctx, quietAfter)
		moved := log.Wait(still, head) == nil
		cancel()
		if ctx.Err() != nil {
			return nil
		}
		if moved {
			t := time.NewTimer(quietAfter) // a stream moves the head often; look seldom
			select {
			case <-t.C:
			case <-ctx.Done():
			}
			t.Stop()
			continue
		}
		debug.FreeOSMemory()
		if log.Wait(ctx, head) != nil {
			return nil
		}
	}
}
