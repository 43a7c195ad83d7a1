package policy

import (
	"path/filepath"
	"strings"

	"vyre"
)

// Offer is one way in which a person can let a call and its like pass from now on.
type Offer struct {
	Label  string // for people, with the exact words
	Grants []vyre.GrantSpec
}

// maxOffered is how many parts of a call one act may grant: what is read must be seen.
const maxOffered = 4

// Offers says which grants would have let a call pass that is asked about: for the
// exact call, and for its like where somebody reviewed what that can be. None where
// any part of it is always asked, or can't be read with certainty.
func Offers(c Call, v Verdict) []Offer {
	if v.Verdict != vyre.VerdictAsk || c.Project == "" || c.Mode == vyre.ModePlan || len(v.Parts) == 0 {
		return nil
	}
	var exact, wide []vyre.GrantSpec
	widened := false
	for _, p := range v.Parts {
		if p.Verdict == vyre.VerdictAllow {
			continue
		}
		s, ok := specFor(c, p)
		if !ok || p.By == ByFloor || len(exact) == maxOffered {
			return nil
		}
		exact = append(exact, s)
		w, ok := wider(s)
		if ok {
			widened = true
			s = w
		}
		wide = append(wide, s)
	}
	if len(exact) == 0 {
		return nil
	}
	out := []Offer{{"Always in this project: " + allWords(exact), exact}}
	if widened {
		out = append(out, Offer{"Always in this project: " + allWords(wide), wide})
	}
	return out
}

// specFor is the narrowest grant that covers a part.
func specFor(c Call, p Part) (vyre.GrantSpec, bool) {
	var s vyre.GrantSpec
	switch p.Kind {
	case vyre.ActCommand:
		s = vyre.GrantSpec{Kind: vyre.GrantCommand, Args: p.Args}
	case vyre.ActWrite:
		rel, err := filepath.Rel(root(c, p.Path), filepath.Dir(p.Path))
		if err != nil || !filepath.IsLocal(rel) {
			return s, false
		}
		s = vyre.GrantSpec{Kind: vyre.GrantWrite, Path: rel}
	case vyre.ActOther:
		s = vyre.GrantSpec{Kind: vyre.GrantTool, Tool: c.Tool, Source: c.Source}
	default:
		return s, false
	}
	g := vyre.Grant{Project: c.Project, GrantSpec: s}
	return s, CheckGrant(s) == nil && Covers(g, c, p)
}

// wider is the reviewed beginning of an exact command.
func wider(s vyre.GrantSpec) (vyre.GrantSpec, bool) {
	if s.Kind != vyre.GrantCommand {
		return s, false
	}
	for n := min(len(s.Args), 3); n > 0; n-- {
		w := vyre.GrantSpec{Kind: vyre.GrantPrefix, Args: s.Args[:n:n]}
		if begins(w.Args, s.Args) {
			return w, true
		}
	}
	return s, false
}

func allWords(specs []vyre.GrantSpec) string {
	out := make([]string, len(specs))
	for i, s := range specs {
		out[i] = s.Words()
	}
	return strings.Join(out, "; ")
}
