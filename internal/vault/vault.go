package vault

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"sync"

	"filippo.io/age"

	"vyre"
)

// MaxValue is the size in bytes that a value may have.
const MaxValue = 64 << 10

// Store is where sealed items lie.
type Store interface {
	// VaultGet returns an item as Seal made it, and its version; not_found where there
	// is none.
	VaultGet(ctx context.Context, name string) (sealed []byte, version int, err error)
}

// Vault seals and opens items with the key of one home.
type Vault struct {
	keyFile string
	store   Store

	mu sync.Mutex
	id *age.X25519Identity // guarded by mu; nil until it was needed
}

// New returns the vault of a home. It touches nothing: the key file is read at
// the first use and made at the first Seal.
func New(keyFile string, store Store) *Vault { return &Vault{keyFile: keyFile, store: store} }

var namePattern = regexp.MustCompile(`^[a-z0-9_-]{1,64}$`)

// CheckName returns invalid (field "name") for what can't name an item.
func CheckName(name string) error {
	if !namePattern.MatchString(name) {
		return vyre.Invalid("name", "must be 1 to 64 of a-z, 0-9, _ and -")
	}
	return nil
}

// Seal returns the value encrypted and bound to the name and the version. Errors: invalid for a
// bad name or an empty value, too_large, unavailable or no_space where the key
// can't be made or read.
func (v *Vault) Seal(name string, version int, value []byte) ([]byte, error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	if len(value) == 0 {
		return nil, vyre.Invalid("value", "must not be empty")
	}
	if len(value) > MaxValue {
		e := vyre.Errorf(vyre.CodeTooLarge, "the value is larger than %d KiB", MaxValue>>10)
		e.Field = "value"
		return nil, e
	}
	id, err := v.key(true)
	if err != nil {
		return nil, err
	}
	plain := envelope(name, version, value)
	defer Wipe(plain)
	var out bytes.Buffer
	w, err := age.Encrypt(&out, id.Recipient())
	if err == nil {
		_, err = w.Write(plain)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return nil, vyre.Errorf(vyre.CodeInternal, "the item %q can't be sealed", name).Because(err)
	}
	return out.Bytes(), nil
}

// Open returns the value of an item sealed under this name as this version. Errors:
// invalid for a bad name; unavailable where the key is missing, is another one, or the
// item is damaged or was sealed under another name or version.
func (v *Vault) Open(name string, version int, sealed []byte) ([]byte, error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	id, err := v.key(false)
	if err != nil {
		return nil, err
	}
	r, err := age.Decrypt(bytes.NewReader(sealed), id)
	if err != nil {
		return nil, cannotOpen(name, err)
	}
	plain, err := io.ReadAll(io.LimitReader(r, MaxValue+256))
	defer Wipe(plain)
	if err != nil {
		return nil, cannotOpen(name, err)
	}
	for _, head := range [][]byte{envelope(name, version, nil), first(name, version)} {
		if head != nil && bytes.HasPrefix(plain, head) {
			return bytes.Clone(plain[len(head):]), nil
		}
	}
	return nil, cannotOpen(name, errors.New("sealed under another name or version"))
}

// Read returns the value of a stored item. Only the engine calls it, to hand a
// credential to a session; it should Wipe the value then. Errors: no_credential
// where there is no such item, else as Open and the Store give them.
func (v *Vault) Read(ctx context.Context, name string) ([]byte, error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	sealed, version, err := v.store.VaultGet(ctx, name)
	if vyre.CodeOf(err) == vyre.CodeNotFound {
		return nil, vyre.Errorf(vyre.CodeNoCredential, "the vault has no item %q", name).
			WithHint("Put it there: vyre vault put " + name)
	}
	if err != nil {
		return nil, err
	}
	return v.Open(name, version, sealed)
}

// Wipe overwrites b.
func Wipe(b []byte) { clear(b) }

// envelope is what is encrypted: the name, the version, the value. A name has no
// newline, so the parts can't be shifted.
func envelope(name string, version int, value []byte) []byte {
	return append(fmt.Appendf(nil, "vyre-vault-2\n%s\n%d\n", name, version), value...)
}

// first is how items began before they had versions; they count as the first.
func first(name string, version int) []byte {
	if version > 1 {
		return nil
	}
	return fmt.Appendf(nil, "vyre-vault-1\n%s\n", name)
}

// cannotOpen keeps the library's words for our log only.
func cannotOpen(name string, err error) error {
	return vyre.Errorf(vyre.CodeUnavailable, "the vault's item %q can't be opened", name).
		WithHint("Its key changed or the item is damaged. Put it again: vyre vault put " + name).Because(err)
}
