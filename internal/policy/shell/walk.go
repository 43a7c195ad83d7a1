package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// walker turns a parsed text into steps.
type walker struct {
	text   string
	env    Env
	out    []Step
	doubts []string

	homeSure, pwdSure bool
	bound             map[string]Word // loops' variables, within their bodies
	unrolled          int

	made int  // bytes of folders' names so far
	lost bool // a function or an eval may change folders from here on
}

// src is a node's text as written.
func (w *walker) src(n syntax.Node) string {
	from, to := int(n.Pos().Offset()), int(n.End().Offset())
	if from > to || to > len(w.text) {
		return ""
	}
	return w.text[from:to]
}

func (w *walker) doubt(s string) {
	if !slices.Contains(w.doubts, s) {
		w.doubts = append(w.doubts, s)
	}
}

func (w *walker) step(s Step) {
	if w.lost {
		s.Dirs.Known = false
	}
	w.out = append(w.out, s)
}

// list walks statements one after the other and returns where the shell may be
// then.
func (w *walker) list(stmts []*syntax.Stmt, d Dirs, piped bool) Dirs {
	for _, s := range stmts {
		_, d = w.stmt(s, d, piped)
	}
	return d
}

// stmt walks a statement. done is where the shell may be if it succeeded, after
// where it may be at all.
func (w *walker) stmt(s *syntax.Stmt, d Dirs, piped bool) (done, after Dirs) {
	if s.Coprocess || s.Disown {
		w.doubt("it uses a form of running in the background that Bash has not")
	}
	redirs := w.redirs(s.Redirs, d)
	call, simple := s.Cmd.(*syntax.CallExpr)
	if simple {
		done, after = w.call(s, call, redirs, d, piped)
	} else {
		if len(redirs) > 0 || s.Cmd == nil {
			w.step(Step{Kind: Redirect, Text: w.redirText(s), Redirs: redirs, Dirs: d})
		}
		done, after = w.command(s.Cmd, d, piped)
	}
	if s.Background || s.Negated {
		done = after
	}
	if s.Background { // in a shell of its own
		return d, d
	}
	return done, after
}

func (w *walker) redirText(s *syntax.Stmt) string {
	var parts []string
	for _, r := range s.Redirs {
		parts = append(parts, w.redirSrc(r))
	}
	return strings.Join(parts, " ")
}

// command walks what is no simple command.
func (w *walker) command(c syntax.Command, d Dirs, piped bool) (done, after Dirs) {
	switch c := c.(type) {
	case nil:
	case *syntax.BinaryCmd:
		return w.chain(c, d, piped)
	case *syntax.Subshell:
		w.list(c.Stmts, d, piped)
	case *syntax.Block:
		after = w.list(c.Stmts, d, piped)
		return after, after
	case *syntax.IfClause:
		after = w.ifs(c, d, piped)
		return after, after
	case *syntax.WhileClause:
		d = w.loop(d, func(d Dirs) Dirs { return w.list(c.Do, w.list(c.Cond, d, piped), piped) })
	case *syntax.ForClause:
		d = w.fors(c, d, piped)
	case *syntax.CaseClause:
		d = w.cases(c, d, piped)
	case *syntax.TimeClause:
		if c.Stmt != nil {
			return w.stmt(c.Stmt, d, piped)
		}
	case *syntax.TestClause:
		w.test(c, d)
	case *syntax.DeclClause:
		w.declare(c, d)
	case *syntax.FuncDecl:
		w.lost = true
		w.step(Step{Kind: Function, Text: w.src(c), Dirs: d})
		w.stmt(c.Body, d, piped)
	default: // arithmetic, let, coproc, what a later parser may know
		w.doubt("it has a part that is not looked into")
		w.inside(c, d)
	}
	return d, d
}

// chain walks a && b || c and a | b. The tree leans to the left and may be as deep
// as the text is long, so it is walked without recursion.
func (w *walker) chain(c *syntax.BinaryCmd, d Dirs, piped bool) (done, after Dirs) {
	type link struct {
		op   syntax.BinCmdOperator
		stmt *syntax.Stmt
	}
	var links []link
	first := (*syntax.Stmt)(nil)
	for {
		links = append(links, link{c.Op, c.Y})
		left, ok := c.X.Cmd.(*syntax.BinaryCmd)
		if !ok || c.X.Negated || c.X.Background || len(c.X.Redirs) > 0 {
			first = c.X
			break
		}
		c = left
	}
	slices.Reverse(links)
	shells := links[0].op == syntax.Pipe || links[0].op == syntax.PipeAll
	done, after = w.stmt(first, d, piped)
	if shells {
		done, after = d, d
	}
	for _, l := range links {
		switch l.op {
		case syntax.AndStmt:
			ok, all := w.stmt(l.stmt, done, piped)
			done, after = ok, union(after, all)
		case syntax.OrStmt:
			ok, all := w.stmt(l.stmt, after, piped)
			done, after = union(done, ok), union(after, all)
		case syntax.Pipe, syntax.PipeAll: // each side in a shell of its own, in zsh not the last
			_, all := w.stmt(l.stmt, d, true)
			done, after = union(d, all), union(d, all)
		default:
			w.doubt("it joins commands in a way that is not known")
			w.stmt(l.stmt, Dirs{List: after.List}, piped)
		}
	}
	return done, after
}

func (w *walker) ifs(c *syntax.IfClause, d Dirs, piped bool) Dirs {
	all := d
	for c != nil {
		d = w.list(c.Cond, d, piped)
		all = union(all, union(d, w.list(c.Then, d, piped)))
		c = c.Else
	}
	return all
}

func (w *walker) fors(c *syntax.ForClause, d Dirs, piped bool) Dirs {
	switch l := c.Loop.(type) {
	case *syntax.WordIter:
		s := Step{Kind: Loop, Text: "for " + w.src(l), Dirs: d, Sets: []Set{{Name: l.Name.Value, Value: Word{Guess: Unknown}}}}
		s.Words = w.words(l.Items, d)
		w.step(s)
		if w.binds(c, l, s.Words) {
			return w.loop(d, func(d Dirs) Dirs { return w.unroll(c, l.Name.Value, s.Words, d, piped) })
		}
	default:
		w.doubt("it has a part that is not looked into")
		w.inside(l, d)
	}
	return w.loop(d, func(d Dirs) Dirs { return w.list(c.Do, d, piped) })
}

// maxUnrolled is how many times the bodies of a text's loops are walked in all.
const maxUnrolled = 64

// binds reports whether the values of a loop's variable are those that are written:
// nothing in its body sets the variable again.
func (w *walker) binds(c *syntax.ForClause, l *syntax.WordIter, items []Word) bool {
	if c.Select || !l.InPos.IsValid() || len(items) == 0 || w.unrolled+len(items) > maxUnrolled {
		return false
	}
	for _, x := range items {
		if !x.Known && !x.Glob {
			return false
		}
	}
	ok := true
	for _, s := range c.Do {
		syntax.Walk(s, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.Assign:
				ok = ok && (n.Name == nil || n.Name.Value != l.Name.Value)
			case *syntax.WordIter:
				ok = ok && n.Name.Value != l.Name.Value
			case *syntax.FuncDecl, *syntax.ParenArithm, *syntax.ArithmCmd, *syntax.LetClause:
				ok = false
			}
			return ok
		})
	}
	return ok
}

// unroll walks a loop's body once for each of the values.
func (w *walker) unroll(c *syntax.ForClause, name string, items []Word, d Dirs, piped bool) Dirs {
	w.unrolled += len(items)
	before, had := w.bound[name]
	if w.bound == nil {
		w.bound = map[string]Word{}
	}
	after := d
	for _, x := range items {
		w.bound[name] = x
		after = union(after, w.list(c.Do, after, piped))
	}
	delete(w.bound, name)
	if had {
		w.bound[name] = before
	}
	return after
}

// loop walks what may run again: where it changes folders, nobody knows where it
// runs the second time.
func (w *walker) loop(d Dirs, body func(Dirs) Dirs) Dirs {
	from := len(w.out)
	after := body(d)
	if after.Known == d.Known && slices.Equal(after.List, d.List) {
		return d
	}
	for i := from; i < len(w.out); i++ {
		w.out[i].Dirs.Known = false
	}
	after = union(after, d)
	after.Known = false
	return after
}

func (w *walker) cases(c *syntax.CaseClause, d Dirs, piped bool) Dirs {
	w.word(c.Word, d)
	all := d
	for _, it := range c.Items {
		w.words(it.Patterns, d)
		all = union(all, w.list(it.Stmts, all, piped))
	}
	return all
}

func (w *walker) declare(c *syntax.DeclClause, d Dirs) {
	s := Step{Kind: Declare, Text: w.src(c), Dirs: d}
	for _, a := range c.Args {
		if a.Naked && a.Name == nil {
			s.Words = append(s.Words, w.word(a.Value, d))
		}
	}
	s.Sets = w.sets(c.Args, d)
	w.step(s)
}

// test walks [[ … ]]: its operands are words.
func (w *walker) test(c *syntax.TestClause, d Dirs) {
	s := Step{Kind: Test, Text: w.src(c), Dirs: d}
	var walk func(x syntax.TestExpr)
	walk = func(x syntax.TestExpr) {
		switch x := x.(type) {
		case *syntax.BinaryTest:
			walk(x.X)
			s.Words = append(s.Words, Word{Raw: x.Op.String(), Text: x.Op.String(), Known: true, Plain: true})
			walk(x.Y)
		case *syntax.UnaryTest:
			s.Words = append(s.Words, Word{Raw: x.Op.String(), Text: x.Op.String(), Known: true, Plain: true})
			walk(x.X)
		case *syntax.ParenTest:
			walk(x.X)
		case *syntax.Word:
			s.Words = append(s.Words, w.word(x, d))
		default:
			w.doubt("it has a test that is not known")
		}
	}
	walk(c.X)
	w.step(s)
}

// inside finds the commands within a node that is not understood otherwise.
func (w *walker) inside(n syntax.Node, d Dirs) {
	if n == nil {
		return
	}
	syntax.Walk(n, func(x syntax.Node) bool {
		switch x := x.(type) {
		case *syntax.CmdSubst:
			if x.TempFile || x.ReplyVar {
				w.doubt("it has a substitution that Bash has not")
			}
			w.list(x.Stmts, d, false)
			return false
		case *syntax.ProcSubst:
			w.list(x.Stmts, d, false)
			return false
		case *syntax.Stmt:
			w.stmt(x, d, false)
			return false
		}
		return true
	})
}

func union(a, b Dirs) Dirs {
	out := Dirs{List: slices.Clone(a.List), Known: a.Known && b.Known}
	for _, x := range b.List {
		if !slices.Contains(out.List, x) {
			out.List = append(out.List, x)
		}
	}
	if len(out.List) > maxDirs {
		out.List, out.Known = out.List[:maxDirs], false
	}
	return out
}

// maxDirs is how many folders are kept apart.
const maxDirs = 6
