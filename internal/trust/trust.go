package trust

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"vyre"
	"vyre/agent"
)

// Look reads what a folder brings to sessions of a provider. also are other folders whose
// decision counts for this one. A provider that takes nothing from folders, and a session
// without settings, give an empty answer. Errors: unavailable when the folder itself
// can't be looked at.
func Look(p agent.Provider, o agent.Options, also ...string) (vyre.Brought, error) {
	c, ok := p.(agent.Carrier)
	if !ok || o.Bare {
		return vyre.Brought{}, nil
	}
	root, err := filepath.EvalSymlinks(o.CWD)
	if err != nil {
		return vyre.Brought{}, vyre.Errorf(vyre.CodeUnavailable, "the thread's folder can't be looked at").Because(err)
	}
	b := vyre.Brought{Path: root, Provider: p.Info().Name}
	for _, a := range also {
		if real, err := filepath.EvalSymlinks(a); err == nil && real != root {
			b.Also = append(b.Also, real)
		}
	}
	files, err := find(root, c.Carries(o))
	switch much, over := errors.AsType[errTooMuch](err); {
	case over:
		b.Unread = string(much)
	case err != nil:
		return b, vyre.Errorf(vyre.CodeUnavailable, "what the thread's folder brings can't be read").Because(err)
	case len(files) > 0:
		tell(&b, c.Brings(files), files)
	}
	return b, nil
}

// tell fills in what the files do.
func tell(b *vyre.Brought, does agent.Brings, files []agent.FolderFile) {
	acting := slices.DeleteFunc(slices.Clone(files), func(f agent.FolderFile) bool { return !slices.Contains(does.Acts, f.Name) })
	b.Digest = digest(b.Provider, acting)
	for _, f := range acting {
		sum := sha256.Sum256(f.Bytes)
		b.Files = append(b.Files, vyre.BroughtFile{Name: f.Name, Size: len(f.Bytes), SHA256: hex.EncodeToString(sum[:])})
	}
	shown := 0
	for _, t := range does.Things {
		t.File, t.Words = visible(t.File), visible(t.Words)
		if shown += len(t.File) + len(t.Words); shown > maxShown {
			b.Unread, b.Things = "it brings more than can be shown", nil
			return
		}
		b.Things = append(b.Things, t)
	}
	slices.SortStableFunc(b.Things, func(x, y vyre.BroughtThing) int {
		return slices.Index(vyre.ThingKinds, x.Kind) - slices.Index(vyre.ThingKinds, y.Kind)
	})
}

// maxShown bounds the words that a person is shown of one folder, in bytes.
const maxShown = 128 << 10

// digest names files and their bytes. It is the same for every folder that has only words
// for the agent: those may change.
func digest(provider string, files []agent.FolderFile) string {
	h := sha256.New()
	fmt.Fprintf(h, "vyre folder 1\n%q\n", provider)
	for _, f := range files {
		fmt.Fprintf(h, "%q %d %x\n", f.Name, len(f.Bytes), sha256.Sum256(f.Bytes))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// readFull reads until b is full or the file ends.
func readFull(f *os.File, b []byte) (int, error) {
	n, err := io.ReadFull(f, b)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return n, err
}
