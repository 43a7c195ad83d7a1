package vault

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"filippo.io/age"
	"pgregory.net/rapid"

	"vyre"
)

// rows is a Store in memory.
type rows map[string][]byte // all of them the first version

func (r rows) VaultGet(_ context.Context, name string) ([]byte, int, error) {
	b, ok := r[name]
	if !ok {
		return nil, 0, vyre.NotFound("vault item", name)
	}
	return b, 1, nil
}

func newVault(t *testing.T) (*Vault, rows) {
	r := rows{}
	return New(filepath.Join(t.TempDir(), "vault.key"), r), r
}

const canary = "canary-value-7f3a"

// noCanary fails where an error shows the value, its cause included.
func noCanary(t *testing.T, err error) {
	t.Helper()
	if err != nil && strings.Contains(err.Error(), canary) {
		t.Errorf("the error holds the value: %v", err)
	}
}

func TestSealOpen(t *testing.T) {
	// What is sealed under a name is read back under it, also by a later process, and never lies there in clear.
	v, r := newVault(t)
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.StringMatching(`[a-z0-9_-]{1,64}`).Draw(rt, "name")
		value := rapid.SliceOfN(rapid.Byte(), 1, 300).Draw(rt, "value")
		sealed, err := v.Seal(name, 1, value)
		if err != nil {
			rt.Fatal(err)
		}
		r[name] = sealed
		got, err := New(v.keyFile, r).Read(t.Context(), name)
		if err != nil || !bytes.Equal(got, value) {
			rt.Fatalf("got %d bytes, %v", len(got), err)
		}
	})
	sealed, err := v.Seal("a", 1, []byte(canary))
	if err != nil || bytes.Contains(sealed, []byte(canary)) {
		t.Fatalf("sealed in clear (%v)", err)
	}
	if fi, err := os.Lstat(v.keyFile); err != nil || fi.Mode() != 0o600 {
		t.Fatalf("the key: %v, %v, want mode 0600", fi, err)
	}
	if left, _ := filepath.Glob(v.keyFile + ".*"); len(left) > 0 {
		t.Fatalf("left behind: %v", left)
	}
}

func TestSwappedRowIsRefused(t *testing.T) {
	// A row that was given another row's sealed value does not open.
	v, r := newVault(t)
	sealed, err := v.Seal("one", 1, []byte(canary))
	if err != nil {
		t.Fatal(err)
	}
	r["two"] = sealed
	_, err = v.Read(t.Context(), "two")
	if vyre.CodeOf(err) != vyre.CodeUnavailable {
		t.Fatalf("got %v, want unavailable", err)
	}
	noCanary(t, err)
}

func TestVersionIsBound(t *testing.T) {
	// A row that was given an earlier version's value does not open; items from before versions do, as the first.
	v, _ := newVault(t)
	old, err := v.Seal("one", 1, []byte(canary))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := v.Open("one", 2, old); vyre.CodeOf(err) != vyre.CodeUnavailable {
		t.Errorf("an earlier value as the newest: %v", err)
	}
	id, err := v.key(false)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w, err := age.Encrypt(&b, id.Recipient())
	if err == nil {
		_, err = w.Write([]byte("vyre-vault-1\none\n" + canary))
	}
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	if got, err := v.Open("one", 1, b.Bytes()); err != nil || string(got) != canary {
		t.Errorf("from before versions: %q %v", got, err)
	}
	if _, err := v.Open("one", 2, b.Bytes()); err == nil {
		t.Error("from before versions, as the second")
	}
}

func TestDamagedItem(t *testing.T) {
	// Every changed byte and every cut of an item is noticed.
	v, _ := newVault(t)
	sealed, err := v.Seal("one", 1, []byte(canary))
	if err != nil {
		t.Fatal(err)
	}
	for i := range sealed {
		bad := bytes.Clone(sealed)
		bad[i] ^= 1
		if got, err := v.Open("one", 1, bad); err == nil {
			t.Fatalf("byte %d changed: opened as %q", i, got)
		}
		if got, err := v.Open("one", 1, sealed[:i]); err == nil {
			t.Fatalf("cut at %d: opened as %q", i, got)
		}
	}
}

func TestLimits(t *testing.T) {
	// Names and values out of bounds are refused before anything is made, naming the field.
	v, _ := newVault(t)
	for _, name := range []string{"", "A", "a b", "a/b", "../a", strings.Repeat("a", 65), "a\n"} {
		_, err := v.Seal(name, 1, []byte("x"))
		if e := vyre.AsError(err); e == nil || e.Code != vyre.CodeInvalid || e.Field != "name" {
			t.Errorf("name %q: got %v", name, err)
		}
	}
	if _, err := v.Seal("a", 1, nil); vyre.CodeOf(err) != vyre.CodeInvalid {
		t.Errorf("empty: got %v", err)
	}
	if _, err := v.Seal("a", 1, make([]byte, MaxValue+1)); vyre.CodeOf(err) != vyre.CodeTooLarge {
		t.Errorf("too large: got %v", err)
	}
	if _, err := os.Lstat(v.keyFile); err == nil {
		t.Error("a refused item made a key")
	}
	big := bytes.Repeat([]byte{7}, MaxValue)
	sealed, err := v.Seal(strings.Repeat("a", 64), 1, big)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := v.Open(strings.Repeat("a", 64), 1, sealed); err != nil || !bytes.Equal(got, big) {
		t.Errorf("the largest value: %d bytes, %v", len(got), err)
	}
}

func TestReadMissing(t *testing.T) {
	// An agent without its credential is told which item to put.
	v, _ := newVault(t)
	_, err := v.Read(t.Context(), "anthropic-api-key")
	if e := vyre.AsError(err); e.Code != vyre.CodeNoCredential || !strings.Contains(e.Hint, "vyre vault put anthropic-api-key") {
		t.Fatalf("got %v (%s)", err, e.Hint)
	}
}

func TestKeyIsChecked(t *testing.T) {
	// A key that is missing, open to others, a link or no key is refused, and never quoted.
	v, r := newVault(t)
	sealed, err := v.Seal("a", 1, []byte(canary))
	if err != nil {
		t.Fatal(err)
	}
	key, err := os.ReadFile(v.keyFile)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	open, link, junk := filepath.Join(dir, "open"), filepath.Join(dir, "link"), filepath.Join(dir, "junk")
	if err := errors.Join(os.WriteFile(open, key, 0o644), os.Symlink(v.keyFile, link), os.WriteFile(junk, []byte(canary), 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(dir, "missing"), open, link, junk} {
		_, err := New(path, r).Open("a", 1, sealed)
		if vyre.CodeOf(err) != vyre.CodeUnavailable {
			t.Errorf("%s: got %v, want unavailable", path, err)
		}
		noCanary(t, err)
		if path != filepath.Join(dir, "missing") {
			_, err = New(path, r).Seal("a", 1, []byte("x"))
			if vyre.CodeOf(err) != vyre.CodeUnavailable {
				t.Errorf("%s: sealing: got %v, want unavailable", path, err)
			}
		}
	}
}

func TestKeyIsMadeOnce(t *testing.T) {
	// Vaults that make the key at the same moment agree on one.
	path := filepath.Join(t.TempDir(), "vault.key")
	sealed := make([][]byte, 8)
	var wg sync.WaitGroup
	for i := range sealed {
		wg.Go(func() { sealed[i], _ = New(path, rows{}).Seal("a", 1, []byte("x")) })
	}
	wg.Wait()
	v := New(path, rows{})
	for i, s := range sealed {
		if _, err := v.Open("a", 1, s); err != nil {
			t.Errorf("%d: %v", i, err)
		}
	}
}

func FuzzOpen(f *testing.F) {
	// No row makes Open panic.
	dir, err := os.MkdirTemp("", "vault")
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = os.RemoveAll(dir) })
	v := New(filepath.Join(dir, "vault.key"), rows{})
	sealed, err := v.Seal("a", 1, []byte("x"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(sealed)
	f.Add([]byte("age-encryption.org/v1\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if got, err := v.Open("a", 1, b); err == nil && string(got) != "x" {
			t.Fatalf("opened as %q", got)
		}
	})
}
