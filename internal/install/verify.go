package install

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"

	"vyre"
)

// verify compares the program with the pinned size and sum.
func verify(ctx context.Context, path string, b Build, progress func(Progress)) error {
	f, err := os.Open(path)
	if err != nil {
		return vyre.Errorf(vyre.CodeUnavailable, "the fetched package has no program in it").Because(err)
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil || !fi.Mode().IsRegular() || fi.Size() != b.Size {
		return wrongSum(err)
	}
	h := sha256.New()
	for done := int64(0); ; {
		if ctx.Err() != nil {
			return vyre.Errorf(vyre.CodeTimeout, "the install was stopped before its end").Because(ctx.Err())
		}
		n, err := io.CopyN(h, f, 16<<20)
		done += n
		progress(Progress{Stage: "check", Done: done, Total: b.Size})
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return diskError(err)
		}
	}
	if hex.EncodeToString(h.Sum(nil)) != b.SHA256 {
		return wrongSum(nil)
	}
	return nil
}

// Verify reports whether the pinned program in a home still is what was
// measured: it reads all of it (about a second). For doctor.
func Verify(ctx context.Context, p Pin, agents string) error {
	return verify(ctx, pinnedPath(agents, p), p.Builds[thisPlatform()], func(Progress) {})
}

func wrongSum(err error) error {
	return vyre.Errorf(vyre.CodeUnavailable, "the program is not the one this build was measured with (size or checksum differ)").
		WithHint("Nothing unchecked is run. Your npm may use a mirror that changed it; remove the copy and install again.").Because(err)
}
