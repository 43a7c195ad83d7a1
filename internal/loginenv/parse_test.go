package loginenv

import (
	"slices"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	// Only whole variables between the markers count; noise around them does not.
	for _, c := range []struct {
		out  string
		want []string
	}{
		{"hi\nMA=1\x00B=x=y\nz\x00Mbye", []string{"A=1", "B=x=y\nz"}},
		{"MA=1\x00=bad\x00plain\x00C=\x00M", []string{"A=1", "C="}},
		{"MM", nil},
		{"M", nil},
		{"", nil},
		{"MA=1M", nil},
		{"M\x00M", nil},
		{"A=1\x00", nil},
	} {
		got, ok := Parse([]byte(c.out), "M")
		if !slices.Equal(got, c.want) || ok != (c.want != nil) {
			t.Errorf("%q: got %q, %v, want %q", c.out, got, ok, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	// No output makes it panic; what it takes are variables.
	f.Add([]byte("hi\nMARKA=1\x00MARK"), "MARK")
	f.Add([]byte("MM"), "M")
	f.Add([]byte{}, "")
	f.Fuzz(func(t *testing.T, out []byte, marker string) {
		env, ok := Parse(out, marker)
		if ok != (len(env) > 0) {
			t.Fatalf("ok %v with %d variables", ok, len(env))
		}
		for _, kv := range env {
			if strings.IndexByte(kv, '=') < 1 || strings.Contains(kv, "\x00") {
				t.Fatalf("%q is no variable", kv)
			}
		}
	})
}
