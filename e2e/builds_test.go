package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// build is another vyre than the one under test: what an upgrade meets.
type build struct {
	version   string
	shim      string // build tag of the protocol's numbers, for it and its sessions' parents
	migration string // one that it has besides
	once      sync.Once
	err       error
}

var (
	nextBuild = &build{version: "9.9.9"}
	nextProto = &build{version: "9.9.10", shim: "shimnext"} // speaks the protocol of this one, and the next
	farProto  = &build{version: "9.9.11", shim: "shimfar"}  // the two after
	nextStore = &build{version: "9.9.12", migration: "CREATE TABLE of_tomorrow (n INTEGER NOT NULL) STRICT;"}
)

// path builds it, once, and returns where it is.
func (b *build) path(t *testing.T) string {
	t.Helper()
	dir := filepath.Dir(vyreBin)
	out := filepath.Join(dir, "vyre-"+b.version)
	b.once.Do(func() { b.err = b.make(dir, out) })
	if b.err != nil {
		t.Fatal(b.err)
	}
	return out
}

func (b *build) make(dir, out string) error {
	args := []string{"-ldflags", "-X main.version=" + b.version}
	replace := map[string]string{}
	if b.migration != "" {
		migrations, err := filepath.Abs(filepath.Join("..", "internal", "store", "sqlite", "migrations"))
		if err != nil {
			return err
		}
		have, err := filepath.Glob(filepath.Join(migrations, "*.sql"))
		if err != nil {
			return err
		}
		text := out + ".sql"
		if err := os.WriteFile(text, []byte(b.migration), 0o600); err != nil {
			return err
		}
		replace[filepath.Join(migrations, fmt.Sprintf("%04d_of_tomorrow.sql", len(have)+1))] = text
	}
	if b.shim != "" {
		shim := filepath.Join(dir, "vyre-shim-"+b.shim)
		if err := goBuild("-trimpath", "-ldflags", "-s -w", "-tags", b.shim, "-o", shim, "./cmd/vyre-shim"); err != nil {
			return err
		}
		embedded, err := filepath.Abs(filepath.Join("..", "internal", "shim", "embed", "vyre-shim"))
		if err != nil {
			return err
		}
		replace[embedded] = shim
		args = append(args, "-tags", b.shim)
	}
	if len(replace) > 0 {
		raw, err := json.Marshal(map[string]any{"Replace": replace})
		if err != nil {
			return err
		}
		overlay := out + ".json"
		if err := os.WriteFile(overlay, raw, 0o600); err != nil {
			return err
		}
		args = append(args, "-overlay", overlay)
	}
	return goBuild(append(args, "-o", out, "./cmd/vyre")...)
}
