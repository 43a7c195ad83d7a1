package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// reader makes the value of one word out of its parts.
type reader struct {
	w       *walker
	dirs    Dirs
	value   strings.Builder
	pattern strings.Builder // the same with what was quoted escaped
	guess   strings.Builder
	dynamic bool
	glob    bool
	quoted  bool
	within  bool // double quotes
}

// words reads words, braces expanded.
func (w *walker) words(list []*syntax.Word, d Dirs) []Word {
	var out []Word
	for _, x := range list {
		out = append(out, w.braces(x, d)...)
	}
	return out
}

// maxBraces is how many words one word with braces may become.
const maxBraces = 256

// braces reads a word that may stand for several.
func (w *walker) braces(x *syntax.Word, d Dirs) []Word {
	raw := w.src(x)
	if !strings.Contains(raw, "{") || !syntax.SplitBraces(x) {
		return []Word{w.word(x, d)}
	}
	list, ok := spread(x.Parts)
	if !ok {
		return []Word{{Raw: raw, Guess: Unknown}}
	}
	var out []Word
	for _, parts := range list {
		one := w.word(&syntax.Word{Parts: parts}, d)
		one.Raw = raw
		out = append(out, one)
	}
	return out
}

// spread makes the words that a word with braces stands for. ok is false for
// sequences and for more than maxBraces.
func spread(parts []syntax.WordPart) (list [][]syntax.WordPart, ok bool) {
	list = [][]syntax.WordPart{nil}
	for _, p := range parts {
		ends := [][]syntax.WordPart{{p}}
		if b, is := p.(*syntax.BraceExp); is {
			if b.Sequence {
				return nil, false
			}
			ends = nil
			for _, e := range b.Elems {
				sub, ok := spread(e.Parts)
				if !ok {
					return nil, false
				}
				ends = append(ends, sub...)
			}
		}
		if len(list)*len(ends) > maxBraces {
			return nil, false
		}
		var next [][]syntax.WordPart
		for _, a := range list {
			for _, b := range ends {
				next = append(next, append(slices.Clip(a), b...))
			}
		}
		list = next
	}
	return list, true
}

// word reads a word; commands inside it become steps of their own.
func (w *walker) word(x *syntax.Word, d Dirs) Word {
	if x == nil {
		return Word{Known: true, Plain: true}
	}
	r := reader{w: w, dirs: d}
	r.parts(x.Parts)
	out := Word{Raw: w.src(x), Guess: r.guess.String(), Plain: !r.quoted}
	switch {
	case r.dynamic:
	case r.glob && out.Raw != "[": // the command
		out.Glob, out.Text = true, r.pattern.String()
	default:
		out.Known, out.Text = true, r.value.String()
	}
	if assigned(out.Guess) { // a=~/b: Bash puts the home there, and other shells do not
		out.Known, out.Glob = false, false
		out.Guess = strings.Replace(out.Guess, "=~", "="+w.env.Home, 1)
	}
	if strings.HasPrefix(out.Raw, "=") { // =ls is a path in zsh
		out.Known, out.Glob = false, false
	}
	return out
}

func assigned(s string) bool {
	name, rest, ok := strings.Cut(s, "=")
	return ok && strings.HasPrefix(rest, "~") && syntax.ValidName(strings.TrimLeft(name, "-"))
}

// put adds a piece whose value is certain.
func (r *reader) put(s string) {
	for i := range len(s) {
		if strings.IndexByte(`*?[]\`, s[i]) >= 0 {
			r.pattern.WriteByte('\\')
		}
		r.pattern.WriteByte(s[i])
	}
	r.value.WriteString(s)
	r.guess.WriteString(s)
}

func (r *reader) unknown() {
	r.dynamic = true
	r.guess.WriteString(Unknown)
}

func (r *reader) parts(list []syntax.WordPart) {
	for i, p := range list {
		r.indexed(list, i)
		r.part(p, i == 0)
	}
}

// indexed notices $a[…], which is two things in Bash, and an index that zsh computes.
func (r *reader) indexed(list []syntax.WordPart, i int) {
	l, ok := list[i].(*syntax.Lit)
	if !ok || i == 0 || !strings.HasPrefix(l.Value, "[") {
		return
	}
	if p, ok := list[i-1].(*syntax.ParamExp); ok && p.Short {
		r.w.doubt("some shells compute what is in the brackets")
	}
}

func (r *reader) part(p syntax.WordPart, first bool) {
	switch p := p.(type) {
	case *syntax.Lit:
		r.lit(p.Value, first)
	case *syntax.SglQuoted:
		r.quoted = true
		if p.Dollar { // escapes of its own
			r.dynamic = true
			r.guess.WriteString(p.Value)
			return
		}
		r.put(p.Value)
	case *syntax.DblQuoted:
		r.quoted = true
		r.dynamic = r.dynamic || p.Dollar // a translation
		r.within = true
		defer func() { r.within = false }()
		for i, q := range p.Parts {
			if c, ok := q.(*syntax.CmdSubst); ok && r.written(c) {
				continue
			}
			if l, ok := q.(*syntax.Lit); ok {
				r.indexed(p.Parts, i)
				r.put(unescape(l.Value, "$`\"\\\n"))
			} else {
				r.part(q, false)
			}
		}
	case *syntax.ParamExp:
		r.param(p)
	case *syntax.ProcSubst:
		r.w.list(p.Stmts, r.dirs, false)
		if p.Op == syntax.CmdIn && r.value.Len() == 0 {
			r.put("/dev/fd/63") // a pipe to read from
			return
		}
		r.unknown()
	default:
		if a, ok := p.(*syntax.ArithmExp); ok && !numbers(a.X) {
			r.w.doubt("it computes with variables, whose values can be commands")
		}
		r.unknown()
		r.w.inside(p, r.dirs)
	}
}

// written takes "$(cat <<'E' … E)" for what it says: a way to write a text of several
// lines, as agents do for a commit's message.
func (r *reader) written(c *syntax.CmdSubst) bool {
	if len(c.Stmts) != 1 || c.TempFile || c.ReplyVar || len(c.Stmts[0].Redirs) != 1 || c.Stmts[0].Negated || c.Stmts[0].Background {
		return false
	}
	call, ok := c.Stmts[0].Cmd.(*syntax.CallExpr)
	if !ok || len(call.Assigns) > 0 || len(call.Args) != 1 || call.Args[0].Lit() != "cat" {
		return false
	}
	doc := c.Stmts[0].Redirs[0]
	if doc.Op != syntax.Hdoc || !quoted(doc.Word) || doc.N != nil {
		return false
	}
	text := r.w.hereDoc(doc, r.dirs)
	if !text.Known {
		return false
	}
	r.w.list(c.Stmts, r.dirs, false)
	r.put(strings.TrimRight(text.Text, "\n"))
	return true
}

// lit reads unquoted text: escapes, patterns, the home.
func (r *reader) lit(s string, first bool) {
	if first && strings.HasPrefix(s, "~") {
		name, _, _ := strings.Cut(s[1:], "/")
		if name != "" || r.w.env.Home == "" {
			r.unknown()
			s = strings.TrimPrefix(s[1:], name)
		} else {
			r.dynamic = r.dynamic || !r.w.homeSure
			r.put(r.w.env.Home)
			s = s[1:]
		}
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s):
			i++
			r.quoted = true
			if s[i] != '\n' {
				r.put(s[i : i+1])
			}
		default:
			r.glob = r.glob || c == '*' || c == '?' || c == '['
			r.pattern.WriteByte(c)
			r.value.WriteByte(c)
			r.guess.WriteByte(c)
		}
	}
}

// param reads $name: only HOME and PWD are known, and only in a text that does
// not set them.
func (r *reader) param(p *syntax.ParamExp) {
	plain := p.Param != nil && p.Flags == nil && !p.Excl && !p.Length && !p.Width && !p.IsSet && p.NestedParam == nil &&
		p.Index == nil && p.Slice == nil && p.Repl == nil && p.Names == 0 && p.Exp == nil && len(p.Modifiers) == 0
	if plain {
		dir, one := r.dirs.Sure()
		if v, ok := r.w.bound[p.Param.Value]; ok && r.take(v) {
			return
		}
		switch {
		case p.Param.Value == "HOME" && r.w.env.Home != "":
			r.dynamic = r.dynamic || !r.w.homeSure || strings.ContainsAny(r.w.env.Home, " \t\n*?[")
			r.put(r.w.env.Home)
			return
		case p.Param.Value == "PWD" && one:
			r.dynamic = r.dynamic || !r.w.pwdSure || strings.ContainsAny(dir, " \t\n*?[")
			r.put(dir)
			return
		}
	}
	if evaluates(p) {
		r.w.doubt("it looks a variable up in a way that can run what is in it")
	}
	r.unknown()
	r.w.inside(p, r.dirs)
}

// take puts the value of a loop's variable in, if it is one word whatever it is.
func (r *reader) take(v Word) bool {
	switch {
	case v.Known && (r.within || v.Text != "" && !strings.ContainsAny(v.Text, " \t\n*?[\\~{")):
		r.put(v.Text)
	case v.Glob && r.within:
		r.glob = true
		r.pattern.WriteString(v.Text)
		r.value.WriteString(v.Text)
		r.guess.WriteString(v.Text)
	default:
		return false
	}
	return true
}

// evaluates reports whether an expansion computes with a variable's value, takes it
// for a name, or sets something: a value like a[$(rm x)] then runs.
func evaluates(p *syntax.ParamExp) bool {
	if p.Param == nil || p.Flags != nil || p.Excl || p.Width || p.IsSet || p.NestedParam != nil || p.Names != 0 || len(p.Modifiers) > 0 {
		return true
	}
	if p.Index != nil {
		if x, ok := p.Index.(*syntax.Word); !ok || x.Lit() != "@" && x.Lit() != "*" && !number(x) {
			return true
		}
	}
	if p.Slice != nil {
		for _, x := range []syntax.ArithmExpr{p.Slice.Offset, p.Slice.Length} {
			if x != nil && !numbers(x) {
				return true
			}
		}
	}
	if p.Exp == nil {
		return false
	}
	switch p.Exp.Op {
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull, syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.ErrorUnset, syntax.ErrorUnsetOrNull,
		syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix,
		syntax.UpperFirst, syntax.UpperAll, syntax.LowerFirst, syntax.LowerAll:
		return false
	default:
		return true
	}
}

// numbers reports whether an expression computes with written numbers alone.
func numbers(x syntax.ArithmExpr) bool {
	ok := true
	syntax.Walk(x, func(n syntax.Node) bool {
		switch n := n.(type) {
		case nil, *syntax.BinaryArithm, *syntax.UnaryArithm, *syntax.ParenArithm, *syntax.Lit:
		case *syntax.Word:
			ok = ok && number(n)
		default:
			ok = false
		}
		return true
	})
	return ok
}

func number(x *syntax.Word) bool {
	s := x.Lit()
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// unescape removes backslashes before the given characters.
func unescape(s, before string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte(before, s[i+1]) >= 0 {
			i++
			if s[i] == '\n' {
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
