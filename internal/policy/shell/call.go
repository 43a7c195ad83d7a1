package shell

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// call walks a simple command and follows what changes the folder.
func (w *walker) call(s *syntax.Stmt, c *syntax.CallExpr, redirs []Redir, d Dirs, piped bool) (done, after Dirs) {
	st := Step{Kind: Command, Text: w.src(c), Redirs: redirs, Dirs: d, Piped: piped}
	for _, r := range s.Redirs {
		st.Text += " " + w.redirSrc(r)
	}
	st.Sets = w.sets(c.Assigns, d)
	st.Words = w.words(c.Args, d)
	if len(st.Words) == 0 {
		st.Kind = Assign
	}
	w.step(st)
	return w.move(st.Words, d)
}

// move says where the shell is after a command.
func (w *walker) move(words []Word, d Dirs) (done, after Dirs) {
	args := words
	for len(args) > 0 && args[0].Known && (args[0].Text == "builtin" || args[0].Text == "command") {
		args = args[1:]
	}
	if len(args) == 0 {
		return d, d
	}
	if !args[0].Known { // it may be any of the below
		d.Known = false
		return d, d
	}
	switch args[0].Text {
	case "cd", "pushd", "chdir":
		done = w.cd(args[1:], d)
		return done, union(done, d)
	case "popd", "eval", "source", ".", "trap", "alias", "autoload", "zmodload", "enable":
		w.lost = true
		d.Known = false
	}
	return d, d
}

// cd is where cd leads to from each of d.
func (w *walker) cd(args []Word, d Dirs) Dirs {
	for len(args) > 0 && args[0].Known && (args[0].Text == "--" || args[0].Text == "-L" || args[0].Text == "-P") {
		args = args[1:]
	}
	to := Word{Known: w.homeSure, Text: w.env.Home}
	if len(args) > 0 {
		to = args[0]
	}
	if len(args) > 1 || !to.Known && to.Guess == "" || strings.HasPrefix(to.Text, "-") || strings.HasPrefix(to.Text, "+") {
		return Dirs{}
	}
	out := Dirs{Known: d.Known && to.Known}
	target := to.Text
	if !to.Known {
		if target = to.Guess; strings.Contains(target, Unknown) {
			return Dirs{}
		}
	}
	if path.IsAbs(target) {
		out.Known = to.Known
		out.List = []string{path.Clean(target)}
		return out
	}
	for _, x := range d.List {
		if w.made += len(x) + len(target); len(x)+len(target) > maxPath || w.made > maxMade {
			return Dirs{}
		}
		out.List = append(out.List, path.Join(x, target))
	}
	return out
}

const (
	maxPath = 4096      // longer ones no system takes
	maxMade = 512 << 10 // what all the folders of one text may take; then they are not known
)

// sets reads assignments.
func (w *walker) sets(list []*syntax.Assign, d Dirs) []Set {
	var out []Set
	for _, a := range list {
		if a.Index != nil {
			w.doubt("it sets an element of an array")
			w.inside(a.Index, d)
		}
		if a.Array != nil {
			w.inside(a.Array, d)
		}
		if a.Name == nil {
			continue
		}
		v := Word{Guess: Unknown}
		if a.Array == nil && a.Index == nil && !a.Append {
			v = w.word(a.Value, d)
		} else if a.Value != nil {
			w.word(a.Value, d)
		}
		out = append(out, Set{a.Name.Value, v})
	}
	return out
}

// redirs reads redirections.
func (w *walker) redirs(list []*syntax.Redirect, d Dirs) []Redir {
	var out []Redir
	for _, r := range list {
		x := Redir{Op: r.Op.String()}
		if r.N != nil && strings.HasPrefix(r.N.Value, "{") {
			w.doubt("it keeps a descriptor in a variable")
		}
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			x.Here, x.Target = true, w.hereDoc(r, d)
		case syntax.WordHdoc:
			x.Here, x.Target = true, w.word(r.Word, d)
		case syntax.DplIn, syntax.DplOut:
			x.Target = w.target(r.Word, d)
			x.Writes = !descriptor(x.Target) // >& f writes to f
		case syntax.RdrIn:
			x.Target = w.target(r.Word, d)
		default: // > >> <> >| &> &>> and what a later parser may know
			x.Target, x.Writes = w.target(r.Word, d), true
		}
		out = append(out, x)
	}
	return out
}

// target is the word of a redirection. With braces it is one word only if the rest of
// them is empty; which, nobody should have to know.
func (w *walker) target(x *syntax.Word, d Dirs) Word {
	list := w.braces(x, d)
	if len(list) == 1 {
		return list[0]
	}
	list[0].Known, list[0].Glob = false, false
	return list[0]
}

// hereDoc is what a here-document says. It is known only if it is written as it is
// read.
func (w *walker) hereDoc(r *syntax.Redirect, d Dirs) Word {
	if r.Hdoc == nil {
		return Word{Known: true}
	}
	var b strings.Builder
	known := true
	for _, p := range r.Hdoc.Parts {
		if l, ok := p.(*syntax.Lit); ok {
			b.WriteString(l.Value)
			continue
		}
		known = false
		b.WriteString(Unknown)
		w.inside(p, d)
	}
	known = known && (!strings.Contains(b.String(), `\`) || quoted(r.Word))
	out := Word{Known: known, Guess: b.String()}
	if known {
		out.Text = b.String()
	}
	return out
}

// quoted reports whether the end word of a here-document is quoted in any way: then
// its text is taken as it is.
func quoted(x *syntax.Word) bool {
	return x == nil || x.Lit() == "" || strings.Contains(x.Lit(), `\`)
}

// descriptor reports whether a word after >& or <& is a number or closes one.
func descriptor(x Word) bool {
	if !x.Known {
		return false
	}
	t := strings.TrimSuffix(x.Text, "-")
	return (t != "" || x.Text == "-") && strings.Trim(t, "0123456789") == ""
}

// redirSrc is a redirection as written, without the text of a here-document.
func (w *walker) redirSrc(r *syntax.Redirect) string {
	from, to := int(r.Pos().Offset()), int(r.OpPos.Offset())+len(r.Op.String())
	if r.Word != nil {
		to = int(r.Word.End().Offset())
	}
	if from > to || to > len(w.text) {
		return r.Op.String()
	}
	return w.text[from:to]
}
