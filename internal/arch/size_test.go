package arch

import (
	"fmt"
	"go/ast"
	"slices"
	"testing"
)

func TestFileSizes(t *testing.T) {
	// Files stay readable in one sitting: none over 700 lines, nine of ten under 400, tests too.
	var sizes []int
	for _, s := range theHouse(t).files {
		if s.generated {
			continue
		}
		if s.lines > 700 {
			t.Errorf("%s has %d lines", s.path, s.lines)
		}
		if !s.test {
			sizes = append(sizes, s.lines)
		}
	}
	if p := percentile(sizes, 90); p >= 400 {
		t.Errorf("one file in ten has %d lines or more", p)
	}
}

func TestFunctionSizes(t *testing.T) {
	// Nine functions of ten have at most 45 lines, and none more than 150.
	var sizes []int
	var long []string
	h := theHouse(t)
	for _, s := range h.code() {
		for _, d := range s.ast.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Body == nil {
				continue
			}
			n := h.fset.Position(f.End()).Line - h.fset.Position(f.Pos()).Line + 1
			sizes = append(sizes, n)
			if n > 150 {
				long = append(long, fmt.Sprintf("%s %s has %d lines", h.at(s, f), f.Name.Name, n))
			}
		}
	}
	if p := percentile(sizes, 90); p > 45 {
		t.Errorf("one function in ten has %d lines or more", p)
	}
	if len(long) > 0 {
		t.Errorf("too long: %q", long)
	}
}

func TestMainIsSmall(t *testing.T) {
	// main is signals, arguments and an exit code.
	for _, s := range theHouse(t).code() {
		if s.dir == "cmd/vyre" && s.lines >= 60 {
			t.Errorf("%s has %d lines", s.path, s.lines)
		}
	}
}

func percentile(n []int, p int) int {
	if len(n) == 0 {
		return 0
	}
	slices.Sort(n)
	return n[min(len(n)-1, len(n)*p/100)]
}
