package arch

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// module is this module's path, and root the way to it from here.
const (
	module = "vyre"
	root   = "../.."
)

// source is one Go file of the project, whatever its build tags.
type source struct {
	path      string // from the root, with slashes
	dir       string // its package's folder; "." for the root
	lines     int
	test      bool
	generated bool
	ast       *ast.File
	imports   []string
}

// house is everything that the tests look at, read once.
type house struct {
	fset  *token.FileSet
	files []source
	text  map[string]string // other text files by path
}

var read = sync.OnceValues(readHouse)

// theHouse reads the project, or fails the test.
func theHouse(t *testing.T) house {
	t.Helper()
	h, err := read()
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// skipped are folders that are not the project's source.
var skipped = []string{".git", ".cache", "node_modules", "bin", "dist", "testdata", "test-results"}

func readHouse() (house, error) {
	h := house{fset: token.NewFileSet(), text: map[string]string{}}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if slices.Contains(skipped, d.Name()) {
				return filepath.SkipDir
			}
			return nil
		}
		rel, err := filepath.Rel(root, path)
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		return h.add(filepath.ToSlash(rel), path)
	})
	return h, err
}

func (h *house) add(rel, path string) error {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it went away meanwhile
	}
	if err != nil {
		return err
	}
	if len(b) > 2<<20 || strings.Contains(string(b[:min(len(b), 8000)]), "\x00") {
		return nil // no source text
	}
	if !strings.HasSuffix(rel, ".go") {
		h.text[rel] = string(b)
		return nil
	}
	f, err := parser.ParseFile(h.fset, path, b, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	s := source{
		path: rel, dir: filepath.ToSlash(filepath.Dir(rel)), lines: strings.Count(string(b), "\n"),
		test: strings.HasSuffix(rel, "_test.go"), generated: ast.IsGenerated(f), ast: f,
	}
	for _, i := range f.Imports {
		p, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			return err
		}
		s.imports = append(s.imports, p)
	}
	h.files = append(h.files, s)
	h.text[rel] = string(b)
	return nil
}

// at gives the place of a node as path:line.
func (h house) at(s source, n ast.Node) string {
	return s.path + ":" + strconv.Itoa(h.fset.Position(n.Pos()).Line)
}

// code lists the files that are neither tests, test kits nor generated.
func (h house) code() []source {
	return slices.DeleteFunc(slices.Clone(h.files), func(s source) bool { return s.test || s.generated || isKit(s.dir) })
}

// isKit reports whether a room is a kit for tests: its name ends in test, as
// httptest does.
func isKit(dir string) bool { return strings.HasSuffix(dir, "test") || matches("e2e/...", dir) }

// calls reports whether a node is a call of pkg.name.
func calls(n ast.Node, pkg, name string) bool {
	c, ok := n.(*ast.CallExpr)
	if !ok {
		return false
	}
	s, ok := c.Fun.(*ast.SelectorExpr)
	if !ok || s.Sel.Name != name {
		return false
	}
	x, ok := s.X.(*ast.Ident)
	return ok && (pkg == "" || x.Name == pkg)
}

// matches reports whether a package's folder is in a pattern: itself, or with a
// trailing /... itself and all below.
func matches(pattern, dir string) bool {
	if base, ok := strings.CutSuffix(pattern, "/..."); ok {
		return dir == base || strings.HasPrefix(dir, base+"/")
	}
	return pattern == dir
}

func matchesAny(patterns []string, dir string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return matches(p, dir) })
}
