package policy

import (
	"path"
	"slices"
	"strings"

	"vyre"
	"vyre/internal/policy/shell"
)

// simple is one simple command while its wrappers are taken off.
type simple struct {
	words []shell.Word
	sets  []shell.Set
	asked string // the floor asks, whatever it is
	slow  string // it can't be taken for one that only reads, and why
	fed   bool   // more words come from its input
	runs  bool   // it runs code: the whole text is searched
}

// command judges a simple command.
func (b *bench) command(st shell.Step, p Part, env shell.Env, depth int, fed bool, stdin, unreadable string) {
	c := simple{words: st.Words, sets: st.Sets}
	b.unwrap(&c)
	p.Plain = !b.odd && unreadable == ""
	for _, r := range st.Redirs {
		if r.Writes && !free[r.Target.Text] || r.Here {
			p.Plain = false
		}
	}
	for _, s := range c.sets {
		if b.work++; b.work > maxWork {
			break
		}
		if !quietVar(s) {
			p.Plain = false
			if why := varWhy(s.Name); why != "" {
				c.asked = why
			}
			c.slow = "it sets a variable for a command"
		}
	}
	if len(c.words) == 0 {
		b.bare(c, p, unreadable)
		return
	}
	if text, inner, ok := b.nested(c, st, depth, stdin); ok {
		if unreadable != "" {
			c.asked = unreadable
		}
		b.wrapped(c, p)
		b.script(text, shell.Env{CWD: inner, Home: env.Home}, depth+1)
		return
	}
	for _, w := range c.words {
		p.Args = append(p.Args, w.Text)
		p.Plain = p.Plain && w.Known
	}
	if slices.ContainsFunc(c.words, func(w shell.Word) bool { return !w.Known }) || c.fed {
		p.Args, p.Plain = nil, false
	}
	p.Plain = p.Plain && c.slow == ""
	b.verdict(c, st, p, unreadable)
}

// bare judges a wrapper with nothing in it.
func (b *bench) bare(c simple, p Part, unreadable string) {
	p.Why = "it runs nothing that is written out"
	switch {
	case c.asked != "":
		p.By, p.Why = ByFloor, c.asked
	case unreadable != "":
		p.Why = unreadable
	}
	b.add(p)
}

// wrapped adds a part for a command whose text is judged by itself, where the
// command around it matters.
func (b *bench) wrapped(c simple, p Part) {
	p.Plain = false
	switch {
	case c.asked != "":
		p.By, p.Why = ByFloor, c.asked
	case c.slow != "" || c.fed:
		p.Why = c.slow
	default:
		return
	}
	b.add(p)
}

// verdict is the floor's and the read-only class's word on a command.
func (b *bench) verdict(c simple, st shell.Step, p Part, unreadable string) {
	name := strings.TrimPrefix(path.Base(c.words[0].Guess), "/")
	reader, why := reader{}, "the name of its command is not written out"
	if c.words[0].Known {
		reader, why = reads(c.words)
	}
	only := why == ""
	if why == "" {
		why = b.closer(c, st, reader)
	}
	if why != "" && findsNames(c.words) {
		why = ""
	}
	if why == "" && c.fed && !(reader.flags == "*" && (reader.names || reader.said)) {
		why = "it reads files whose names are not written out"
	}
	if why == "" {
		why = c.slow
	}
	switch {
	case c.asked != "":
		p.By, p.Why, p.Plain = ByFloor, c.asked, false
	case unreadable != "":
		p.By, p.Why, p.Plain = ByFloor, unreadable, false
	case why == "" && !b.doubt:
		p.Verdict, p.By, p.Why = vyre.VerdictAllow, ByReadonly, "it only reads"
		b.add(p)
		return
	case why == "":
		p.Why = "it only reads, but not all around it could be read"
	default:
		p.Why = why
	}
	b.harm(c, st, name, &p)
	b.add(p)
	if c.asked != "" && len(c.sets) > 0 || c.evaluates(name) {
		b.search()
	}
	unknown := slices.ContainsFunc(c.words, func(w shell.Word) bool { return !w.Known && !w.Glob })
	_, writes := writers[name]
	if name == "git" && len(c.words) > 1 && gitSpares[c.words[1].Text] {
		writes = false
	}
	if !only && (c.runs || coders[name] || !c.words[0].Known || writes && unknown || executes(c.words)) {
		b.search()
	}
}

// evaluators are commands that run what stands in an index of an array.
var evaluators = set("test", "[", "read", "unset", "printf", "mapfile", "readarray", "let", "wait", "git")

// evaluates reports whether a word of such a command (or of git -c) holds code.
func (c simple) evaluates(name string) bool {
	return evaluators[name] && slices.ContainsFunc(c.words, func(w shell.Word) bool {
		if name == "git" {
			return w.Guess == "-c" || strings.HasPrefix(w.Guess, "-O") || strings.Contains(w.Guess, "=!")
		}
		return strings.Contains(w.Guess, "$(") || strings.Contains(w.Guess, "`")
	})
}

// closer looks at what a reading command's words name.
func (b *bench) closer(c simple, st shell.Step, r reader) string {
	if r.said || len(c.words) == 1 {
		return ""
	}
	if !st.Dirs.Known {
		return "the folder that it reads in is not known"
	}
	operands := 0
	for i, w := range c.words {
		if i == 0 || w.Text == "" {
			continue
		}
		if !strings.HasPrefix(w.Text, "-") {
			operands++
		}
		b.blind = false
		for _, x := range pieces(w.Text) {
			if v, why, _ := b.floor(x, st.Dirs, w.Glob, readRule); v != "" {
				return Visible(w.Raw) + " " + why
			}
		}
		if b.blind && !strings.HasPrefix(w.Text, "/dev/") {
			return "where " + Visible(w.Raw) + " leads is not known"
		}
		if deepRead(r, c) {
			if why := b.over(w.Text, st.Dirs); why != "" {
				return why
			}
		}
	}
	if deepRead(r, c) && operands < 2 {
		if why := b.over(".", st.Dirs); why != "" {
			return why
		}
	}
	if c.words[0].Text == "git" {
		return b.bareRepository(c.words, st.Dirs)
	}
	return ""
}

// deepRead reports whether a command prints what is in all files below a folder.
func deepRead(r reader, c simple) bool {
	if r.deep {
		return true
	}
	if n := c.words[0].Text; n != "grep" && n != "egrep" && n != "fgrep" {
		return false
	}
	return slices.ContainsFunc(c.words[1:], func(w shell.Word) bool {
		return w.Text == "--recursive" || w.Text == "--dereference-recursive" || strings.HasPrefix(w.Text, "-") && !strings.HasPrefix(w.Text, "--") && strings.ContainsAny(w.Text, "rRd")
	})
}

// over refuses to read through a folder with credentials or private state below.
func (b *bench) over(word string, dirs shell.Dirs) string {
	all := []string{word}
	if !path.IsAbs(word) {
		all = nil
		for _, d := range dirs.List {
			all = append(all, path.Join(d, word))
		}
	}
	for _, p := range all {
		for _, top := range []string{b.facts.Home, b.facts.VyreHome} {
			if top != "" && within(path.Clean(p), top) {
				return "it reads through " + path.Clean(p) + ", where credentials lie"
			}
		}
	}
	return ""
}

// bareRepository refuses git where a folder without .git looks like a repository:
// its settings are then ordinary files, which an agent may have written.
func (b *bench) bareRepository(words []shell.Word, dirs shell.Dirs) string {
	if b.facts.Files == nil || !dirs.Known || len(dirs.List) == 0 {
		return "the folder whose repository it reads is not known"
	}
	starts := slices.Clone(dirs.List)
	for i := 1; i < len(words) && strings.HasPrefix(words[i].Text, "-"); i++ {
		to, ok := strings.CutPrefix(words[i].Text, "-C")
		if !ok {
			continue
		}
		if to == "" && i+1 < len(words) {
			i++
			to = words[i].Text
		}
		for n, from := range starts {
			if starts[n] = to; !path.IsAbs(to) {
				starts[n] = path.Join(from, to)
			}
		}
	}
	there := func(p string) bool { _, n := b.facts.Files.ID(p); return n > 0 }
	for _, dir := range starts {
		for n := 0; n < 64 && path.IsAbs(dir); n++ {
			if there(dir+"/objects") && there(dir+"/refs") { // HEAD may be a link to nothing
				return "its folder looks like a repository whose settings are not protected"
			}
			if there(dir+"/.git") || dir == "/" {
				break
			}
			dir = path.Dir(dir)
		}
	}
	return ""
}

// pieces are the paths that a word may hold: itself, a flag's value.
func pieces(text string) []string {
	out := []string{text}
	if _, v, ok := strings.Cut(text, "="); ok {
		out = append(out, v)
	}
	if strings.HasPrefix(text, "-") && !strings.HasPrefix(text, "--") && len(text) > 2 {
		out = append(out, text[2:])
	}
	if strings.HasPrefix(text, "@") {
		out = append(out, text[1:])
	}
	if i := strings.LastIndexByte(text, ':'); i >= 0 {
		out = append(out, text[i+1:])
	}
	return out
}

// harm is what the floor says to a command that does more than read.
func (b *bench) harm(c simple, st shell.Step, name string, p *Part) {
	worse := func(v vyre.Verdict, why string) {
		if v != "" && (stricter(v, p.Verdict) || p.By != ByFloor) {
			p.Verdict, p.By, p.Why, p.Plain = v, ByFloor, why, false
		}
	}
	var args []string
	for _, w := range c.words[1:] {
		args = append(args, w.Guess)
	}
	if why := alwaysWhy(name, args); why != "" {
		worse(ask, "it "+why)
	}
	if name == "git" && slices.ContainsFunc(args, func(a string) bool {
		return a == "-c" || strings.HasPrefix(a, "--exec-path") || strings.HasPrefix(a, "--git-dir") || strings.HasPrefix(a, "--config-env") || strings.HasPrefix(a, "--upload-pack") || strings.HasPrefix(a, "--receive-pack")
	}) {
		worse(ask, "a flag like this can make git run programs")
	}
	w, writes := writers[name]
	if name == "find" || name == "fd" || name == "fdfind" {
		w, writes = writer{tree: slices.Contains(args, "-delete")}, changes(c.words)
	}
	spared := name == "git" && gitSpares[verbOf(args)]
	_, reads := readers[name]
	spared = spared || !writes && (reads || name == "find" || name == "fd" || name == "fdfind") // it is asked about for another reason
	for i, word := range c.words[1:] {
		if b.work > maxWork {
			return
		}
		for _, x := range pieces(word.Guess) {
			v, why, at := b.floor(x, st.Dirs, word.Glob, writeRule)
			if v == "" && writes && w.tree && at != "" && (word.Known || word.Glob) && !strings.HasPrefix(x, "-") {
				if above, ok := b.atlas.above(at); ok {
					v, why = deny, above
				}
			}
			switch {
			case v == "" || spared && (name != "git" || !strings.HasPrefix(word.Guess, "-")):
			case v == deny && writes && w.target(args, i):
				worse(deny, Visible(word.Raw)+" "+why)
			case v == deny:
				worse(ask, "it may write "+Visible(word.Raw)+", which "+why)
			case !writes || w.target(args, i):
				worse(ask, Visible(word.Raw)+" "+why)
			}
		}
		if v, why, _ := b.floor(word.Guess, st.Dirs, word.Glob, readRule); v != "" {
			worse(v, Visible(word.Raw)+" "+why)
		}
	}
}

// changes reports whether find removes, writes, or runs something that writes.
func changes(words []shell.Word) bool {
	for i, w := range words {
		switch w.Guess {
		case "-delete", "-fprint", "-fprint0", "-fprintf", "-fls":
			return true
		case "-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch":
			if i+1 < len(words) {
				if _, ok := writers[path.Base(words[i+1].Guess)]; ok || !words[i+1].Known {
					return true
				}
			}
		}
	}
	return false
}

// executes reports whether find runs code for what it finds.
func executes(words []shell.Word) bool {
	name := path.Base(words[0].Guess)
	if name != "find" && name != "fd" && name != "fdfind" {
		return false
	}
	for i, w := range words[1:] {
		if strings.HasPrefix(w.Guess, "-exec") || strings.HasPrefix(w.Guess, "-ok") || w.Guess == "-x" || w.Guess == "-X" || strings.HasPrefix(w.Guess, "--exec") {
			if i+2 < len(words) {
				next := path.Base(words[i+2].Guess)
				_, writes := writers[next]
				return writes || coders[next] || !words[i+2].Known
			}
		}
	}
	return false
}

// findsNames reports whether find runs nothing but a command that tells names and
// sizes, for what it finds.
func findsNames(words []shell.Word) bool {
	if words[0].Text != "find" || !words[0].Known {
		return false
	}
	i := slices.IndexFunc(words, func(w shell.Word) bool { return w.Text == "-exec" })
	if i < 0 {
		return false
	}
	end := slices.IndexFunc(words[i:], func(w shell.Word) bool { return w.Text == ";" || w.Text == "+" })
	if end < 2 || len(words) > i+end+1 {
		return false
	}
	inner := words[i+1 : i+end]
	r, why := reads(inner)
	_, rest := reads(words[:i])
	return why == "" && rest == "" && r.flags == "*" && r.names
}

// verbOf is a command's first operand.
func verbOf(args []string) string {
	for i := 0; i < len(args); i++ {
		if args[i] == "-C" || args[i] == "-c" {
			i++
			continue
		}
		if !strings.HasPrefix(args[i], "-") {
			return args[i]
		}
	}
	return ""
}

// target reports whether the n-th argument may be a file that the command changes.
func (w writer) target(args []string, n int) bool {
	a := args[n]
	if strings.HasPrefix(a, "-") && len(a) > 1 {
		return true // an attached value
	}
	spec := parseSpec(w.flags)
	if n > 0 {
		if kind, ok := spec.long[args[n-1]]; ok && kind == '=' {
			return true
		}
		if len(args[n-1]) > 1 && args[n-1][0] == '-' && spec.short[args[n-1][len(args[n-1])-1]] == '=' {
			return true
		}
	}
	if !w.last {
		return true
	}
	if slices.ContainsFunc(args, func(x string) bool { return x == "-l" || x == "-s" || x == "--link" || x == "--symbolic-link" }) {
		return true // a second name, by which it is written later
	}
	for _, x := range args[n+1:] {
		if !strings.HasPrefix(x, "-") {
			return false
		}
	}
	return true
}
