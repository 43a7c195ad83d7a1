package arch

import (
	"go/ast"
	"go/token"
	"regexp"
	"strings"
	"testing"
)

// docParts are what a package's doc says, as words that can't be missing when
// it does.
var docParts = []struct {
	what string
	re   *regexp.Regexp
}{
	{"what it owns", regexp.MustCompile(`(?i)\bown`)},
	{"what it must not know", regexp.MustCompile(`(?i)must not|knows? no|imports (only )?(the )?(standard|nothing)`)},
	{"which goroutines it starts", regexp.MustCompile(`(?i)goroutine`)},
	{"how to test against it", regexp.MustCompile(`(?i)test`)},
}

func TestPackageDocs(t *testing.T) {
	// Each package says what it owns, must not know, starts, and how to test against it, in doc.go.
	docs, files := map[string]string{}, map[string]string{}
	for _, s := range theHouse(t).files {
		if s.test {
			continue
		}
		if _, ok := docs[s.dir]; !ok {
			docs[s.dir] = ""
		}
		if s.ast.Doc != nil {
			docs[s.dir] += s.ast.Doc.Text()
			files[s.dir] = s.path
		}
	}
	for dir, doc := range docs {
		if strings.HasPrefix(dir, "cmd/") || dir == "web" || isKit(dir) { // programs, files, kits for tests
			if len(doc) < 60 {
				t.Errorf("%s: say in the package comment what it is", dir)
			}
			continue
		}
		if !strings.HasSuffix(files[dir], "doc.go") {
			t.Errorf("%s: the package comment belongs into doc.go (it is in %q)", dir, files[dir])
		}
		for _, p := range docParts {
			if !p.re.MatchString(doc) {
				t.Errorf("%s: doc.go does not say %s", dir, p.what)
			}
		}
	}
}

func TestExportedNamesAreDocumented(t *testing.T) {
	// At least 95 % of the exported names have a comment; the missing ones are listed when it fails.
	var all int
	var missing []string
	h := theHouse(t)
	for _, s := range h.code() {
		for _, d := range s.ast.Decls {
			for name, doc := range exported(d) {
				all++
				if !doc {
					missing = append(missing, h.at(s, d)+" "+name)
				}
			}
		}
	}
	if have := all - len(missing); have*100 < all*95 {
		t.Errorf("%d of %d exported names are documented:\n%s", have, all, strings.Join(missing, "\n"))
	}
}

// exported yields the exported names of a declaration and whether each has a
// comment of its own or its group's.
func exported(d ast.Decl) map[string]bool {
	names := map[string]bool{}
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && (d.Recv == nil || ast.IsExported(receiver(d))) {
			names[d.Name.Name] = d.Doc != nil
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch sp := spec.(type) {
			case *ast.TypeSpec:
				if sp.Name.IsExported() {
					names[sp.Name.Name] = sp.Doc != nil || sp.Comment != nil || d.Doc != nil
				}
			case *ast.ValueSpec:
				for _, n := range sp.Names {
					if n.IsExported() && d.Tok != token.IMPORT {
						names[n.Name] = sp.Doc != nil || sp.Comment != nil || d.Doc != nil
					}
				}
			}
		}
	}
	return names
}

func receiver(d *ast.FuncDecl) string {
	x := d.Recv.List[0].Type
	for {
		switch y := x.(type) {
		case *ast.StarExpr:
			x = y.X
		case *ast.IndexExpr:
			x = y.X
		case *ast.IndexListExpr:
			x = y.X
		case *ast.Ident:
			return y.Name
		default:
			return ""
		}
	}
}
