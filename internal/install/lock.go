package install

import (
	"context"
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"vyre"
)

// lock takes the lock of a folder, waiting for whoever holds it; waiting is
// called each time it looks again. The kernel frees it when its process dies.
func lock(ctx context.Context, path string, waiting func()) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, diskError(err)
	}
	t := time.NewTicker(200 * time.Millisecond)
	defer t.Stop()
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return func() { f.Close() }, nil
		}
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			f.Close()
			return nil, diskError(err)
		}
		waiting()
		select {
		case <-ctx.Done():
			f.Close()
			return nil, vyre.Errorf(vyre.CodeTimeout, "another install of this home did not end in time").Because(ctx.Err())
		case <-t.C:
		}
	}
}
