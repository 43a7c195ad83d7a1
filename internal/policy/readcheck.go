package policy

import (
	"regexp"
	"slices"
	"strings"
)

// The checks of the read-only class: what a list of flags can't say.

func noPrintfV(flags, _ []string) string {
	for _, f := range flags {
		if strings.HasPrefix(f, "-v") {
			return "it sets a variable"
		}
	}
	return ""
}

// noTestV: an index of an array in an operand of -v or -R is evaluated, by some shells
// also in what is compared as a number.
func noTestV(flags, operands []string) string {
	for _, w := range slices.Concat(flags, operands) {
		if w == "-v" || w == "-R" || strings.Contains(w, "$(") || strings.Contains(w, "`") {
			return "it looks into a variable, whose name may be a command"
		}
	}
	return ""
}

// jqInPlace: there are programs of that name that write with -i.
func jqInPlace(flags, operands []string) string {
	for _, o := range operands {
		if strings.Contains(o, "import") || strings.Contains(o, "include") {
			return "it may read a file that its words do not name"
		}
	}
	for _, f := range flags {
		if strings.HasPrefix(f, "--in") || !strings.HasPrefix(f, "--") && strings.Contains(f, "i") {
			return "with this flag it may write"
		}
	}
	return ""
}

// grepFile refuses a file of patterns that is written into its flag: what file that is
// is not looked at there.
func grepFile(flags, _ []string) string {
	for _, f := range flags {
		long, _ := strings.CutPrefix(f, "--")
		if long != f && strings.HasPrefix(long, "f") && strings.Contains(long, "=") {
			return "it reads a file that is named inside a flag"
		}
		before, file, _ := strings.Cut(f, "f")
		if long == f && file != "" && !strings.ContainsAny(before, "eABCmdD") {
			return "it reads a file that is named inside a flag"
		}
	}
	return ""
}

// plainVars lets variables be shown by name that hold no credential.
func plainVars(_, operands []string) string {
	if len(operands) == 0 || slices.ContainsFunc(operands, func(n string) bool { return !allowed(n) || strings.Contains(fold(n), "proxy") }) {
		return "it may show a credential"
	}
	return ""
}

func setOptions(flags, operands []string) string {
	allowed := set("-e", "-u", "-x", "-eu", "-ex", "-eux", "-o", "-euo", "-euxo", "pipefail", "errexit", "nounset", "xtrace", "+x", "+e")
	for _, w := range slices.Concat(flags, operands) {
		if !allowed[w] {
			return "it changes how the shell works"
		}
	}
	return ""
}

func dateFormat(_, operands []string) string {
	if len(operands) == 1 && !strings.HasPrefix(operands[0], "+") {
		return "it may set the clock"
	}
	return ""
}

func needs(marks ...string) func(flags, operands []string) string {
	return func(flags, _ []string) string {
		if slices.ContainsFunc(marks, func(m string) bool { return slices.Contains(flags, m) }) {
			return ""
		}
		return "without a flag that says so it does more than read"
	}
}

func unzipList(flags, operands []string) string {
	if len(flags) == 0 {
		return "it unpacks files"
	}
	return ""
}

func tarList(flags, operands []string) string {
	if slices.ContainsFunc(slices.Concat(flags, operands), func(w string) bool { return strings.Contains(w, ":") }) {
		return "a name with a colon is a file on another machine"
	}
	for _, f := range flags {
		if f == "--list" || strings.HasPrefix(f, "-t") {
			return ""
		}
	}
	if len(operands) > 0 && len(flags) == 0 {
		if ok, _ := regexp.MatchString(`^t[vzjJ]*f$`, operands[0]); ok {
			return ""
		}
	}
	return "it may unpack files"
}

func psWord(_, operands []string) string {
	if len(operands) == 1 && !set("aux", "auxf", "auxww", "ax", "axf", "axo", "auxw", "x", "xf")[operands[0]] {
		return "it may show other programs' environments"
	}
	return ""
}

func goEnv(_, operands []string) string {
	for _, o := range operands {
		if strings.Contains(o, "=") {
			return "it sets something"
		}
	}
	return ""
}

// sedScript lets pass what prints, deletes and substitutes: no w, e, r, no files
// and no flags that run or write.
func sedScript(flags, operands []string) string {
	var scripts []string
	for i, f := range flags {
		switch {
		case f == "-e" && i+1 < len(flags):
			scripts = append(scripts, flags[i+1])
		case f == "--expression" && i+1 < len(flags):
			scripts = append(scripts, flags[i+1])
		case strings.HasPrefix(f, "--expression="):
			scripts = append(scripts, strings.TrimPrefix(f, "--expression="))
		case strings.HasPrefix(f, "-") && !strings.HasPrefix(f, "--") && strings.Contains(f, "e") && f != "-e":
			return "its script is not looked into"
		}
	}
	if len(scripts) == 0 {
		if len(operands) == 0 {
			return "it has no script"
		}
		scripts = operands[:1]
	}
	for _, s := range scripts {
		for len(s) > 0 {
			rest, ok := sedCommand(s)
			if !ok {
				return "its script may do more than print"
			}
			s = rest
		}
	}
	return ""
}

var sedAddress = regexp.MustCompile(`^(?:(?:[0-9]+|\$|/(?:[^/\\\n]|\\.)*/I?)(?:~[0-9]+)?(?:,[+~]?(?:[0-9]+|\$|/(?:[^/\\\n]|\\.)*/I?))?)?[ ]*!?[ ]*`)

// sedCommand takes one harmless command off a script.
func sedCommand(s string) (rest string, ok bool) {
	s = strings.TrimLeft(s, " ;\n")
	if s == "" {
		return "", true
	}
	address := sedAddress.FindString(s)
	if s = s[len(address):]; s == "" || !brackets(address) {
		return "", false
	}
	switch c := s[0]; {
	case strings.IndexByte("pdPDqQ=gGhHxnNl", c) >= 0:
		s = s[1:]
	case c == 's' || c == 'y':
		if s, ok = sedSubstitute(s[1:], c == 's'); !ok {
			return "", false
		}
	default:
		return "", false
	}
	s = strings.TrimLeft(s, " ")
	if s == "" || s[0] == ';' || s[0] == '\n' {
		return s, true
	}
	return "", false
}

// sedSubstitute takes /from/to/flags off.
func sedSubstitute(s string, flags bool) (rest string, ok bool) {
	if s == "" || s[0] == '\\' || s[0] == '\n' || s[0] >= 'a' && s[0] <= 'z' || s[0] >= '0' && s[0] <= '9' || s[0] == ' ' {
		return "", false
	}
	mark := s[0]
	s = s[1:]
	for n := range 2 {
		i := 0
		for ; i < len(s) && s[i] != mark; i++ {
			if s[i] == '\\' {
				i++
			}
			if i < len(s) && s[i] == '\n' {
				return "", false
			}
		}
		if i >= len(s) || n == 0 && !brackets(s[:i]) {
			return "", false
		}
		s = s[i+1:]
	}
	for flags && s != "" && strings.IndexByte("gpiI0123456789", s[0]) >= 0 {
		s = s[1:]
	}
	return s, true
}

// brackets reports whether every [ of an expression is closed in it: whether a mark
// between them ends the expression differs from sed to sed.
func brackets(expr string) bool {
	for {
		i := strings.IndexByte(expr, '[')
		if i < 0 {
			return true
		}
		rest := strings.TrimPrefix(expr[i+1:], "^")
		rest = strings.TrimPrefix(rest, "]")
		end := strings.IndexByte(rest, ']')
		if end < 0 || strings.ContainsAny(rest[:end], `/\`) {
			return false
		}
		expr = rest[end+1:]
	}
}

// awkScript lets a program pass that can neither write nor run nor read by itself:
// a redirection, a pipe, system, getline and the words that reach those otherwise
// are refused wherever they stand, in texts too.
func awkScript(flags, operands []string) string {
	if len(operands) == 0 {
		return "it has no program"
	}
	p := operands[0]
	if pattern, _, ok := strings.Cut(p, "{"); ok && !strings.ContainsAny(pattern, `"/`) {
		p = strings.ReplaceAll(pattern, ">", " ") + p[len(pattern):] // outside of braces it compares
	}
	for _, safe := range []string{"||", ">="} {
		p = strings.ReplaceAll(p, safe, " ")
	}
	for _, w := range []string{">", "|", "system", "getline", "@", "ARGV", "ARGC", "close", "fflush", "include", "load", "SYMTAB", "PROCINFO"} {
		if strings.Contains(p, w) {
			return "its program may do more than print"
		}
	}
	for _, o := range operands[1:] {
		if strings.Contains(o, "=") {
			return "it sets a variable of its program"
		}
	}
	return ""
}
