package sweep

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
	"golang.org/x/sys/unix"
)

const (
	maxFolders = 256
	maxFile    = 4 << 20
	settle     = 10 * time.Millisecond // so long what comes together is told together
)

// Change is one protected file that is not what it was. A digest is hex SHA-256, or empty
// where there is no file.
type Change struct {
	Path          string // absolute
	Before, After string
}

// Appeared reports whether the file was not there before.
func (c Change) Appeared() bool { return c.Before == "" }

// Names says which files of a folder are protected.
type Names struct {
	Folders   []string              // of the session's folder, that hold such files
	Protected func(rel string) bool // by the path from the session's folder, with slashes
}

// watch is one folder under watch. Its goroutine alone uses it.
type watch struct {
	root  string
	names Names
	in    *fsnotify.Watcher
	were  map[string]string // digests, by path
	added map[string]bool
}

// Watch watches a session's folder until stop is called.
func Watch(root string, names Names, tell func([]Change)) (stop func(), err error) {
	in, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	w := &watch{root: root, names: names, in: in, were: map[string]string{}, added: map[string]bool{}}
	if err := in.Add(root); err != nil {
		_ = in.Close()
		return nil, err
	}
	for _, path := range w.look() {
		w.were[path] = digest(path)
	}
	var wg sync.WaitGroup
	wg.Go(func() { w.run(tell) })
	return sync.OnceFunc(func() {
		_ = in.Close() // its error is of what is gone anyway
		wg.Wait()
	}), nil
}

func (w *watch) run(tell func([]Change)) {
	var due <-chan time.Time
	stale := map[string]bool{}
	for {
		select {
		case e, ok := <-w.in.Events:
			if !ok {
				return
			}
			if w.concerns(e.Name) {
				stale[e.Name] = true
				if due == nil {
					due = time.After(settle)
				}
			}
		case _, ok := <-w.in.Errors:
			if !ok {
				return
			}
			stale[w.root] = true // notices were lost: look at everything
			due = time.After(settle)
		case <-due:
			due = nil
			clear(stale)
			if changes := w.compare(); len(changes) > 0 {
				tell(changes)
			}
		}
	}
}

// concerns reports whether a notice is about a protected file or a folder of them.
func (w *watch) concerns(path string) bool {
	rel, err := filepath.Rel(w.root, path)
	if err != nil {
		return false
	}
	rel = filepath.ToSlash(rel)
	first, _, _ := strings.Cut(rel, "/")
	return w.names.Protected(rel) || slices.Contains(w.names.Folders, first)
}

// compare says what is not as it was, and remembers how it is.
func (w *watch) compare() []Change {
	var out []Change
	now := map[string]bool{}
	for _, path := range w.look() {
		now[path] = true
		if d := digest(path); d != w.were[path] {
			out = append(out, Change{Path: path, Before: w.were[path], After: d})
			w.were[path] = d
		}
	}
	for path, d := range w.were {
		if !now[path] {
			out = append(out, Change{Path: path, Before: d})
			delete(w.were, path)
		}
	}
	slices.SortFunc(out, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return out
}

// look lists the protected files there are, and watches the folders they are in.
func (w *watch) look() (files []string) {
	take := func(path string) {
		rel, err := filepath.Rel(w.root, path)
		if err == nil && w.names.Protected(filepath.ToSlash(rel)) {
			files = append(files, path)
		}
	}
	entries, err := os.ReadDir(w.root)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		path := filepath.Join(w.root, e.Name())
		if !slices.Contains(w.names.Folders, e.Name()) {
			if !e.IsDir() {
				take(path)
			}
			continue
		}
		w.below(path, take)
	}
	return files
}

// below visits the files of a folder of settings, and watches it.
func (w *watch) below(dir string, visit func(string)) {
	if !w.added[dir] && len(w.added) < maxFolders && w.in.Add(dir) == nil {
		w.added[dir] = true
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		delete(w.added, dir) // gone: the system has let go of it
		return
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if !e.IsDir() {
			visit(path)
			continue
		}
		rel, err := filepath.Rel(w.root, filepath.Join(path, "x"))
		if err == nil && w.names.Protected(filepath.ToSlash(rel)) && len(w.added) < maxFolders {
			w.below(path, visit)
		}
	}
}

// digest names a file's bytes; what can't be read has a name of its own.
func digest(path string) string {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	if err != nil {
		return "unreadable"
	}
	defer f.Close()
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
		return "no file"
	}
	h := sha256.New()
	if _, err := io.CopyN(h, f, maxFile); err != nil && !errors.Is(err, io.EOF) {
		return "unreadable"
	}
	return hex.EncodeToString(h.Sum(nil))
}
