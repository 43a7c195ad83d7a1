package daemon

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"vyre/internal/registry"
)

// A change of any tool or event shows in review: one golden a tool and an event,
// and the reference pages and openapi.json, are what the declarations give.
func TestGoldenDeclarations(t *testing.T) {
	goldens, err := registry.Goldens(Registry())
	if err != nil {
		t.Fatal(err)
	}
	hold(t, filepath.Join("testdata", "declared"), goldens)
	pages, err := registry.Reference(Registry(), "dev")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range pages {
		compare(t, filepath.Join("..", "..", "docs", "reference", name), want)
	}
}

// hold compares a folder's files with what they should be, none missing or left.
func hold(t *testing.T, dir string, want map[string][]byte) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(want)) {
		compare(t, filepath.Join(dir, name), want[name])
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if _, ok := want[e.Name()]; ok {
			continue
		}
		if os.Getenv("VYRE_UPDATE") != "" {
			if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
				t.Fatal(err)
			}
			continue
		}
		t.Errorf("%s is of nothing that is declared", e.Name())
	}
}

func compare(t *testing.T, path string, want []byte) {
	t.Helper()
	if os.Getenv("VYRE_UPDATE") != "" {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != string(want) {
		t.Errorf("%s is not fresh (%v): run `make docs` and look at the change", path, err)
	}
}
