package arch

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// backgrounds lists files outside cmd and tests that may begin a context of
// their own, with the reason.
var backgrounds = map[string]string{}

func TestContextsComeFromAbove(t *testing.T) {
	// Work ends when its caller wants it to: nobody below main begins a context of its own.
	h := theHouse(t)
	for _, s := range h.code() {
		if matches("cmd/...", s.dir) || backgrounds[s.path] != "" {
			continue
		}
		ast.Inspect(s.ast, func(n ast.Node) bool {
			if calls(n, "context", "Background") || calls(n, "context", "TODO") {
				t.Errorf("%s begins a context; take one, or add the file to backgrounds with its reason", h.at(s, n))
			}
			return true
		})
	}
}

func TestNoInit(t *testing.T) {
	// Nothing registers itself or runs before main.
	h := theHouse(t)
	for _, s := range h.files {
		for _, d := range s.ast.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
				t.Errorf("%s is an init", h.at(s, f))
			}
		}
	}
}

func TestNoSleepInTests(t *testing.T) {
	// A test waits for the event it is about, never for time to pass. In a bubble of testing/synctest no time passes.
	h := theHouse(t)
	for _, s := range h.files {
		if !s.test && !isKit(s.dir) {
			continue
		}
		ast.Inspect(s.ast, func(n ast.Node) bool {
			if n == nil || calls(n, "synctest", "Test") {
				return false
			}
			if calls(n, "time", "Sleep") {
				t.Errorf("%s sleeps", h.at(s, n))
			}
			return true
		})
	}
}

func TestTestsSayTheirPromise(t *testing.T) {
	// A test says the promise it keeps, in its comment or its first line.
	h := theHouse(t)
	for _, s := range h.files {
		if !s.test {
			continue
		}
		for _, d := range s.ast.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv != nil || f.Body == nil || f.Name.Name == "TestMain" || !strings.HasPrefix(f.Name.Name, "Test") && !strings.HasPrefix(f.Name.Name, "Fuzz") {
				continue
			}
			first := h.fset.Position(f.Body.Lbrace).Line + 1
			if f.Doc == nil && !slices.ContainsFunc(s.ast.Comments, func(c *ast.CommentGroup) bool { return h.fset.Position(c.Pos()).Line == first }) {
				t.Errorf("%s %s does not say what it keeps", h.at(s, f), f.Name.Name)
			}
		}
	}
}

func TestGoroutinesAreCounted(t *testing.T) {
	// A package that starts goroutines checks in its tests that they end.
	starts, checks := map[string]string{}, map[string]bool{}
	h := theHouse(t)
	for _, s := range h.files {
		if s.test {
			checks[s.dir] = checks[s.dir] || slices.Contains(s.imports, "go.uber.org/goleak")
			continue
		}
		ast.Inspect(s.ast, func(n ast.Node) bool {
			if startsGoroutine(n) {
				starts[s.dir] = h.at(s, n)
			}
			return true
		})
	}
	for dir, at := range starts {
		if !checks[dir] && !strings.HasPrefix(dir, "cmd/") {
			t.Errorf("%s starts a goroutine, but no test of %s runs goleak", at, dir)
		}
	}
}

// startsGoroutine tells a go statement and WaitGroup's and errgroup's Go from
// other things that are called Go.
func startsGoroutine(n ast.Node) bool {
	if _, ok := n.(*ast.GoStmt); ok {
		return true
	}
	if !calls(n, "", "Go") {
		return false
	}
	c := n.(*ast.CallExpr)
	if len(c.Args) != 1 {
		return false
	}
	_, literal := c.Args[0].(*ast.FuncLit)
	group := c.Fun.(*ast.SelectorExpr).X.(*ast.Ident).Name
	return literal || slices.Contains([]string{"wg", "g", "eg", "group"}, group)
}
