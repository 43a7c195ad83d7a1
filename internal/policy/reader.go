package policy

import (
	"path"
	"slices"
	"strings"

	"vyre/internal/policy/shell"
)

// reader is a command that only reads, as far as its row goes: with these flags
// and operands it writes nothing, runs nothing else and sends nothing.
type reader struct {
	// flags are what it may be called with, separated by spaces: -n, -n= (takes a
	// value, attached or the next word), --name, --name= (takes one), --name? (may
	// have one attached), -name and -name= as whole words, -# (a number). A single *:
	// none of its flags does any harm.
	flags string
	// max is how many operands it may have: 0 is any, -1 none, else the number.
	max int
	// said says that it prints its words and no file's contents: what they are does
	// not matter, so they may be unknown.
	said bool
	// names says the same of files: it tells of them no more than names, sizes and counts.
	names bool
	// deep says that it reads all below a folder, and the current one without an operand.
	deep bool
	// check looks at what flags can't say; operands come without flags. It returns
	// what is wrong, or "".
	check func(flags []string, operands []string) string
	sub   map[string]reader // by the first operand, which is then taken away
}

// reads reports whether a command only reads, and if not, why nobody can tell.
func reads(words []shell.Word) (r reader, why string) {
	name := words[0].Text
	if dir := path.Dir(name); dir == "/bin" || dir == "/usr/bin" {
		name = path.Base(name)
	}
	if !words[0].Plain {
		return reader{}, "the name of its command is quoted"
	}
	r, ok := readers[name]
	if !ok {
		if versions[name] && len(words) == 2 && slices.Contains([]string{"--version", "-v", "-V", "version", "-version", "--help"}, words[1].Text) && words[1].Known {
			return reader{said: true}, ""
		}
		return reader{}, "it is not a command that is known to only read"
	}
	switch args := words[1:]; {
	case name == "printf" && len(args) > 0 && !args[0].Known:
		return r, "its format is not written out"
	case name == "git":
		var texts []string
		for _, w := range args {
			texts = append(texts, w.Guess)
		}
		if why := gitFormats(texts); why != "" {
			return r, why
		}
	}
	args := words[1:]
	for r.sub != nil {
		if args, why = globals(r, args); why != "" {
			return r, why
		}
		if len(args) == 0 || !args[0].Known {
			return r, "what it does is not written out"
		}
		sub, ok := r.sub[args[0].Text]
		if !ok {
			return r, "it is not a command that is known to only read"
		}
		r, args = sub, args[1:]
	}
	return r, r.fits(args)
}

// globals takes the flags before a subcommand away.
func globals(r reader, args []shell.Word) ([]shell.Word, string) {
	spec := parseSpec(r.flags)
	for len(args) > 0 && args[0].Known && strings.HasPrefix(args[0].Text, "-") {
		n, ok := spec.flag(args)
		if !ok || !known(args[:min(n, len(args))]) {
			return args, "it has a flag that may do more than read: " + Visible(args[0].Text)
		}
		args = args[min(n, len(args)):]
	}
	return args, ""
}

// fits looks at a command's flags and operands.
func (r reader) fits(args []shell.Word) string {
	spec := parseSpec(r.flags)
	var flags, operands []string
	ended := false
	for len(args) > 0 {
		w := args[0]
		if !w.Known && !w.Glob && !r.said {
			return "it has a word whose value is not written out"
		}
		if w.Glob && !ended && (!spec.any || r.check != nil) && leads(w.Text) {
			return "a name that its pattern stands for may be a flag"
		}
		if w.Glob && r.check != nil && len(operands) == 0 {
			return "its first word is a pattern"
		}
		text := w.Text
		switch {
		case ended || !strings.HasPrefix(text, "-") || text == "-" || spec.any:
			if !strings.HasPrefix(text, "-") || ended {
				operands = append(operands, text)
				if w.Glob && r.max != 0 {
					return "its pattern may stand for more names than it may have"
				}
			} else {
				flags = append(flags, text)
			}
			args = args[1:]
		case text == "--":
			ended = true
			args = args[1:]
		default:
			n, ok := spec.flag(args)
			if !ok || w.Glob {
				return "it has a flag that may do more than read: " + Visible(w.Raw)
			}
			for _, x := range args[:min(n, len(args))] {
				if !x.Known {
					return "it has a word whose value is not written out"
				}
				flags = append(flags, x.Text)
			}
			args = args[min(n, len(args)):]
		}
	}
	switch {
	case r.max == -1 && len(operands) > 0, r.max > 0 && len(operands) > r.max:
		return "it has more operands than it can have when it only reads"
	case r.check != nil:
		return r.check(flags, operands)
	}
	return ""
}

// known reports whether the value of each word is certain.
func known(words []shell.Word) bool {
	return !slices.ContainsFunc(words, func(w shell.Word) bool { return !w.Known })
}

// leads reports whether a pattern may stand for a name that begins with a dash.
func leads(pattern string) bool {
	return pattern == "" || strings.IndexByte(`*?[\-+@!`, pattern[0]) >= 0
}

// spec is a row's flags.
type spec struct {
	any    bool
	number bool
	long   map[string]byte // --name or -name: 0, '=' or '?'
	short  map[byte]byte
}

func parseSpec(s string) spec {
	sp := spec{any: s == "*", long: map[string]byte{}, short: map[byte]byte{}}
	for f := range strings.FieldsSeq(s) {
		kind := byte(0)
		if c := f[len(f)-1]; c == '=' || c == '?' && len(f) > 2 {
			kind, f = c, f[:len(f)-1]
		}
		switch {
		case f == "-#":
			sp.number = true
		case len(f) == 2:
			sp.short[f[1]] = kind
		default:
			sp.long[f] = kind
		}
	}
	return sp
}

// flag reports whether the first word is an allowed flag, and how many words it
// and its value are.
func (s spec) flag(args []shell.Word) (n int, ok bool) {
	text := args[0].Text
	name, _, attached := strings.Cut(text, "=")
	if kind, ok := s.long[name]; ok {
		switch {
		case attached && (kind == '=' || kind == '?') && strings.HasPrefix(name, "--"):
			return 1, true
		case attached:
			return 0, false
		case kind == '=':
			return 2, true
		}
		return 1, true
	}
	if strings.HasPrefix(text, "--") {
		return 0, false
	}
	if s.number && strings.Trim(text[1:], "0123456789") == "" {
		return 1, true
	}
	for i := 1; i < len(text); i++ {
		kind, ok := s.short[text[i]]
		switch {
		case !ok:
			return 0, false
		case kind == '=' && i == len(text)-1:
			return 2, true
		case kind == '=' || kind == '?':
			return 1, true
		}
	}
	return 1, true
}
