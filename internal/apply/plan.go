package apply

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"vyre"
)

// maxFile bounds a file in bytes: a person has to read it.
const maxFile = 1 << 20

// Hand writes files as the person.
type Hand struct {
	// Real follows the links of a path, also of one that is not there yet.
	Real func(path string) (string, bool)
	// Never are folders in which nothing is written: our own state.
	Never []string
}

// Plan says what edits would make of a file, as it stands now. Errors: invalid for a
// path or edits that can't be done by hand here, conflict for edits that don't fit the
// file as it is.
func (h Hand) Plan(path string, edits []vyre.FileEdit) (vyre.FilePlan, error) {
	if len(edits) == 0 {
		return vyre.FilePlan{}, unfit("the call does not say whole what it would write")
	}
	real, ok := h.Real(path)
	if !ok || !filepath.IsAbs(path) {
		return vyre.FilePlan{}, unfit("where its path leads is not known")
	}
	for _, dir := range h.Never {
		if own, ok := h.Real(dir); ok {
			dir = own
		}
		if rel, err := filepath.Rel(dir, real); err == nil && filepath.IsLocal(rel) {
			return vyre.FilePlan{}, unfit("it lies in Vyre's own folder")
		}
	}
	p := vyre.FilePlan{Path: real}
	before, err := read(real)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return vyre.FilePlan{}, err
	default:
		p.Exists, p.Before = true, before
	}
	if p.After, err = edited(p, edits); err != nil {
		return vyre.FilePlan{}, err
	}
	if len(p.After) > maxFile || !utf8.ValidString(p.After) {
		return vyre.FilePlan{}, unfit("it would be no text, or too large to read")
	}
	p.Digest = digest(p)
	return p, nil
}

func unfit(why string) error {
	return vyre.Errorf(vyre.CodeInvalid, "this edit can't be applied here: %s", why).
		WithHint("Make it with your own editor, if you want it.")
}

// read reads a plain text file.
func read(path string) (string, error) {
	st, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fs.ErrNotExist
	}
	if err != nil || !st.Mode().IsRegular() || st.Size() > maxFile {
		return "", unfit("it is no plain file, or too large to read")
	}
	b, err := os.ReadFile(path)
	if err != nil || !utf8.Valid(b) {
		return "", unfit("it can't be read as text")
	}
	return string(b), nil
}

// edited is the file after every edit, in order.
func edited(p vyre.FilePlan, edits []vyre.FileEdit) (string, error) {
	text, there := p.Before, p.Exists
	for i, e := range edits {
		switch n := strings.Count(text, e.Old); {
		case e.Whole, e.Old == "" && !there:
			text = e.New
		case e.Old == "":
			return "", misfit(i, "it would make the file, which is there already")
		case n == 0:
			return "", misfit(i, "the file does not hold what it would replace")
		case n > 1 && !e.All:
			return "", misfit(i, fmt.Sprintf("the file holds what it would replace %d times", n))
		default:
			text = strings.ReplaceAll(text, e.Old, e.New)
		}
		there = true
	}
	return text, nil
}

func misfit(i int, why string) error {
	return vyre.Errorf(vyre.CodeConflict, "edit %d does not fit the file as it is: %s", i+1, why).
		WithHint("Let the agent read the file again, or make the edit with your own editor.")
}

func digest(p vyre.FilePlan) string {
	h := sha256.New()
	for _, s := range []string{p.Path, fmt.Sprint(p.Exists), p.Before, p.After} {
		fmt.Fprintf(h, "%d:%s", len(s), s)
	}
	return hex.EncodeToString(h.Sum(nil))
}
