package policy

import (
	"path/filepath"
	"slices"
	"strings"

	"vyre"
)

// Covers says whether a grant covers one part of a call. It is strict: words must be
// the same words, and what can't be read with certainty is not covered. In plan mode
// no grant holds, as nothing is to be changed there.
func Covers(g vyre.Grant, c Call, p Part) bool {
	if !p.Plain || c.Mode == vyre.ModePlan || g.Project == "" || g.Project != c.Project {
		return false
	}
	switch g.Kind {
	case vyre.GrantCommand:
		return p.Kind == vyre.ActCommand && inside(c, p.CWD) && len(g.Args) > 0 && slices.Equal(g.Args, p.Args)
	case vyre.GrantPrefix:
		return p.Kind == vyre.ActCommand && inside(c, p.CWD) && begins(g.Args, p.Args)
	case vyre.GrantWrite:
		return p.Kind == vyre.ActWrite && fileTool(c) && below(root(c, p.Path), g.Path, p.Path)
	case vyre.GrantTool:
		return p.Kind == vyre.ActOther && g.Tool != "" && g.Tool == c.Tool && g.Source == c.Source && strings.HasPrefix(c.Source, configured)
	}
	return false
}

// configured begins the source of a tool that a server of the person's settings has.
const configured = "config:"

// CheckGrant says what is wrong with a grant that a person wants to give, or nil.
// Errors: invalid.
func CheckGrant(s vyre.GrantSpec) error {
	words := func() error {
		for _, w := range s.Args {
			if strings.ContainsFunc(w, hidden) || len(w) > maxWord {
				return vyre.Invalid("args", "a word holds hidden characters or is too long")
			}
		}
		if len(s.Args) == 0 || s.Args[0] == "" || len(s.Args) > maxWords {
			return vyre.Invalid("args", "the words of one command, 1 to %d", maxWords)
		}
		return nil
	}
	switch s.Kind {
	case vyre.GrantCommand:
		return words()
	case vyre.GrantPrefix:
		if err := words(); err != nil {
			return err
		}
		if _, ok := prefixOf(s.Args); !ok {
			return vyre.Invalid("args", "nobody has reviewed what may follow %q", strings.Join(s.Args, " ")).
				WithHint("Grant the exact command, or one of the known beginnings: " + knownPrefixes() + ".")
		}
	case vyre.GrantWrite:
		if s.Path == "" || filepath.IsAbs(s.Path) || filepath.Clean(s.Path) != s.Path || !filepath.IsLocal(s.Path) || strings.ContainsFunc(s.Path, hidden) {
			return vyre.Invalid("path", "a folder of the project, relative to it; \".\" is all of it")
		}
	case vyre.GrantTool:
		if s.Tool == "" || !strings.HasPrefix(s.Source, configured) || strings.ContainsFunc(s.Tool+s.Source, hidden) {
			return vyre.Invalid("tool", "the tool's name, with its source config:<server>")
		}
	default:
		return vyre.Invalid("kind", "command, prefix, write or tool")
	}
	return nil
}

const (
	maxWords = 64
	maxWord  = 4096
)

// hidden are characters that a person may not see, or may take for others.
func hidden(r rune) bool { return r < ' ' || r > '~' }

// inside reports whether a command's folder is the project's or the session's.
func inside(c Call, dir string) bool {
	return dir != "" && (within(c.Project, dir) || within(c.CWD, dir))
}

// root is the folder that the paths of the project's grants are meant in: a session in
// a work tree of its own has its copy of the project elsewhere.
func root(c Call, path string) string {
	if within(c.Project, path) {
		return c.Project
	}
	return c.CWD
}

// fileTool reports whether a call writes by a file tool of the agent's own.
func fileTool(c Call) bool {
	return c.Source == "builtin" && !slices.ContainsFunc(c.Acts, func(a vyre.Act) bool { return a.Kind != vyre.ActWrite })
}

// below reports whether path lies in a folder of the project. Git's own folder and
// what begins with a dot at the project's top are not meant by "all of it".
func below(root, folder, path string) bool {
	if root == "" || path == "" || !filepath.IsAbs(path) || !within(filepath.Join(root, folder), path) {
		return false
	}
	rel, err := filepath.Rel(filepath.Join(root, folder), path)
	return err == nil && !strings.HasPrefix(rel, ".")
}

func within(folder, path string) bool {
	if folder == "" || path == "" {
		return false
	}
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
}
