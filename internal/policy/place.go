package policy

import (
	"path"
	"slices"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"vyre"
)

// anchor is where a place's path begins.
type anchor int

const (
	anywhere anchor = iota // in any folder
	inHome                 // the person's home
	inConfig               // a folder of an agent's settings: Facts.Configs
	inVyre                 // VYRE_HOME
	inSystem               // the root
)

// place is a set of paths with a rule of the floor. Paths are lower case; a * in a
// component is a part of a name, ** at the end all below and the folder itself.
type place struct {
	at    anchor
	paths []string
	write vyre.Verdict // deny, ask, or empty: the floor does not mind
	read  vyre.Verdict
	why   string // ends a sentence that begins with the path
}

// spot is one path of a place.
type spot struct {
	place
	order int      // in the table
	pat   []string // components
}

// index is the spots of one anchor, by their first component.
type index struct {
	named map[string][]spot
	wild  []spot // whose first component is a pattern
	first bool   // the first row that fits decides; else the strictest
}

// region is an anchor's spots on this machine.
type region struct {
	*index
	base []string // components
}

// atlas is all places of one machine.
type atlas struct {
	anywhere *index
	anchored []region
	codes    []code
}

// indexes are made at the first use and never change.
var indexes = sync.OnceValue(func() map[anchor]*index {
	out := map[anchor]*index{}
	for _, at := range []anchor{anywhere, inHome, inConfig, inVyre, inSystem} {
		out[at] = newIndex(at)
	}
	return out
})

// code is what code that touches a place would contain.
type code struct{ text, why string }

func newAtlas(f Facts) *atlas {
	bases := map[anchor][][]string{
		inHome: roots(f, f.Home), inConfig: roots(f, f.Configs...), inVyre: roots(f, f.VyreHome), inSystem: {nil},
	}
	a := &atlas{anywhere: indexes()[anywhere]}
	for _, at := range []anchor{inHome, inConfig, inVyre, inSystem} {
		for _, b := range bases[at] {
			a.anchored = append(a.anchored, region{indexes()[at], b})
		}
	}
	for _, p := range places {
		if p.write == vyre.VerdictDeny && p.at != inConfig {
			for _, s := range p.paths {
				a.code(f, p, s)
			}
		}
	}
	return a
}

func (a *atlas) code(f Facts, p place, s string) {
	s, _, _ = strings.Cut(s, "*")
	if p.at == inVyre {
		if f.VyreHome != "" {
			a.codes = append(a.codes, code{fold(path.Join(f.VyreHome, s)), p.why})
		}
		if s = "vyre/" + s; s != "vyre/private/" {
			return // there are other folders of that name
		}
	}
	if len(s) > 5 {
		a.codes = append(a.codes, code{s, p.why})
	}
}

func newIndex(at anchor) *index {
	x := &index{named: map[string][]spot{}, first: at == anywhere || at == inConfig}
	for n, p := range places {
		if p.at != at {
			continue
		}
		for _, s := range p.paths {
			sp := spot{p, n, strings.Split(s, "/")}
			if strings.Contains(sp.pat[0], "*") {
				x.wild = append(x.wild, sp)
			} else {
				x.named[sp.pat[0]] = append(x.named[sp.pat[0]], sp)
			}
		}
	}
	return x
}

// find visits the spots that a path below the base fits; of those where the first
// decides only that one.
func (x *index) find(comps []string, pattern bool, visit func(place)) {
	if len(comps) == 0 {
		for _, sp := range x.wild {
			if sp.pat[0] == "**" {
				visit(sp.place)
			}
		}
		return
	}
	var first *spot
	try := func(list []spot) {
		for i, sp := range list {
			if !match(comps, sp.pat, pattern) {
				continue
			}
			if !x.first {
				visit(sp.place)
			} else if first == nil || sp.order < first.order {
				first = &list[i]
			}
		}
	}
	try(x.wild)
	if pattern && strings.ContainsAny(comps[0], `*?[\`) {
		for _, list := range x.named {
			try(list)
		}
	} else {
		try(x.named[comps[0]])
	}
	if first != nil {
		visit(first.place)
	}
}

// roots are folders as components, as named and with links followed.
func roots(f Facts, dirs ...string) [][]string {
	var out [][]string
	add := func(dir string) {
		if c := components(dir); len(c) > 0 && !slices.ContainsFunc(out, func(x []string) bool { return slices.Equal(x, c) }) {
			out = append(out, c)
		}
	}
	for _, d := range dirs {
		if !path.IsAbs(d) {
			continue
		}
		add(path.Clean(d))
		if f.Files != nil {
			if real, ok := f.Files.Real(d); ok {
				add(real)
			}
		}
	}
	return out
}

// components folds a path and cuts it up.
func components(p string) []string {
	p = strings.Trim(fold(p), "/")
	if p == "" {
		return nil
	}
	out := strings.Split(p, "/")
	return slices.DeleteFunc(out, func(s string) bool { return s == "" || s == "." })
}

// fold makes names equal that some file system takes for the same: case,
// compatibility forms, characters without a width.
func fold(s string) string {
	if !plainText(s) {
		s = strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r) {
				return -1
			}
			return r
		}, norm.NFKC.String(s))
	}
	return strings.ToLower(s)
}

// look finds the strictest rule for a path. whole says that path is absolute; else
// nobody knows what is before it. pattern says that components are patterns.
func (a *atlas) look(p string, whole, pattern bool, verdict func(place) vyre.Verdict) (best vyre.Verdict, why string) {
	comps := components(p)
	visit := func(p place) {
		if v := verdict(p); stricter(v, best) {
			best, why = v, p.why
		}
	}
	if whole {
		for _, x := range a.anchored {
			if under(comps, x.base, pattern) {
				x.find(comps[len(x.base):], pattern, visit)
			}
		}
	}
	for i := range comps {
		a.anywhere.find(comps[i:], pattern, visit)
	}
	return best, why
}

// strictest is the strictest rule of an anchor in any folder, for each part of a path.
func (x *index) strictest(comps []string, rule func(place) vyre.Verdict) (best vyre.Verdict, why string) {
	for i := range comps {
		x.find(comps[i:], false, func(p place) {
			if v := rule(p); stricter(v, best) {
				best, why = v, p.why
			}
		})
	}
	return best, why
}

// above reports whether a path is a folder above something that the person or Vyre
// keeps and nobody may write: who moves or removes it does.
func (a *atlas) above(p string) (why string, ok bool) {
	comps := components(p)
	for _, x := range a.anchored {
		if len(x.base) == 0 {
			continue
		}
		if len(comps) <= len(x.base) {
			if slices.Equal(comps, x.base[:len(comps)]) {
				return "has files in it that nobody may write", true
			}
			continue
		}
		if !slices.Equal(comps[:len(x.base)], x.base) {
			continue
		}
		rest := comps[len(x.base):]
		for _, sp := range x.named[rest[0]] {
			if sp.write == vyre.VerdictDeny && len(rest) < len(sp.pat) && slices.Equal(rest, sp.pat[:len(rest)]) {
				return "has a file in it that " + sp.why, true
			}
		}
	}
	return "", false
}

// mentions finds a name in code whose file nobody may write.
func (a *atlas) mentions(code string) (name, why string, ok bool) {
	code = strings.NewReplacer(`"`, "", "'", "", "`", "", `\`, "").Replace(fold(code))
	for _, c := range a.codes {
		if named(code, c.text) {
			return c.text, c.why, true
		}
	}
	return "", "", false
}

// named reports whether code has a name in it as a name: user.profile is none. A
// folder counts without its slash.
func named(code, name string) bool {
	const inWord = "abcdefghijklmnopqrstuvwxyz0123456789_"
	name, folder := strings.CutSuffix(name, "/")
	for at := 0; ; {
		i := strings.Index(code[at:], name)
		if i < 0 {
			return false
		}
		from, to := at+i, at+i+len(name)
		before := from == 0 || name[0] != '.' || !strings.ContainsRune(inWord+")]", rune(code[from-1]))
		after := to == len(code) || !strings.ContainsRune(inWord+"-", rune(code[to])) && !(folder && code[to] == '.')
		if before && after {
			return true
		}
		at = from + 1
	}
}

func under(comps, base []string, pattern bool) bool {
	if len(comps) < len(base) {
		return false
	}
	for i, b := range base {
		if !component(comps[i], b, pattern) {
			return false
		}
	}
	return true
}

// match reports whether a path fits a place's pattern, whole.
func match(comps, pat []string, pattern bool) bool {
	for i, p := range pat {
		if p == "**" {
			return true
		}
		if i >= len(comps) {
			return false
		}
		if pattern && comps[i] == "**" {
			return true
		}
		if !component(comps[i], p, pattern) {
			return false
		}
	}
	return len(comps) == len(pat)
}

// component compares a name (or a pattern of the shell) with one of a place.
func component(name, pat string, pattern bool) bool {
	if name == pat {
		return true
	}
	if strings.Contains(pat, "*") {
		before, after, _ := strings.Cut(pat, "*") // no place has two in one component
		if len(name) >= len(before)+len(after) && strings.HasPrefix(name, before) && strings.HasSuffix(name, after) {
			return true
		}
		pat = strings.ReplaceAll(pat, "*", "x")
	}
	if !pattern || strings.HasPrefix(pat, ".") && !strings.HasPrefix(name, ".") && !strings.HasPrefix(name, "[") && !strings.HasPrefix(name, `\`) {
		return false // a pattern of the shell leaves out names that begin with a dot
	}
	ok, err := path.Match(name, pat)
	return ok || err != nil
}

// stricter orders verdicts.
func stricter(a, b vyre.Verdict) bool { return weight(a) > weight(b) }

func weight(v vyre.Verdict) int {
	switch v {
	case vyre.VerdictDeny:
		return 3
	case vyre.VerdictAsk:
		return 2
	case vyre.VerdictAllow:
		return 1
	}
	return 0
}
