package devices

import (
	"context"
	"encoding/json"
	"testing"

	"vyre"
	"vyre/internal/registry"
)

// keys are two passkeys; only what these tests use is there.
type keys struct {
	Keys
	revoked []vyre.PasskeyID
}

func (k *keys) List(context.Context) ([]vyre.Passkey, error) {
	return []vyre.Passkey{{ID: "k1", Name: "laptop"}, {ID: "k2", Name: "phone"}}, nil
}

func (k *keys) Revoke(_ context.Context, id vyre.PasskeyID, _ vyre.Caller) error {
	k.revoked = append(k.revoked, id)
	return nil
}

// Only a terminal may revoke every passkey at once: a page that was left signed in
// must not shed what guards it.
func TestResetIsTheTerminals(t *testing.T) {
	k, r := &keys{}, registry.New()
	(&Module{Keys: k, Sites: func() []string { return nil }}).Register(r)
	if err := r.Check(); err != nil {
		t.Fatal(err)
	}
	_, err := r.Call(t.Context(), vyre.Person(vyre.Owner, "web"), "devices.reset", nil)
	if vyre.CodeOf(err) != vyre.CodeDenied || len(k.revoked) != 0 {
		t.Errorf("the page: %v, %v", err, k.revoked)
	}
	if _, err := r.Call(t.Context(), vyre.Person(vyre.Owner, "cli"), "devices.reset", nil); err != nil || len(k.revoked) != 2 {
		t.Errorf("a terminal: %v, %v", err, k.revoked)
	}
}

// A name is what a person can read: nothing hides in it, and it is bounded.
func TestNames(t *testing.T) {
	r := registry.New()
	(&Module{Keys: &keys{}, Sites: func() []string { return nil }}).Register(r)
	for _, name := range []string{"", " laptop", "a\nb", "a\u202eb", "a\u200bb", string(make([]rune, 65))} {
		in, err := json.Marshal(RenameIn{"k1", name})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Call(t.Context(), vyre.Person(vyre.Owner, "cli"), "devices.rename", in); vyre.CodeOf(err) != vyre.CodeInvalid {
			t.Errorf("%q: %v", name, err)
		}
	}
}
