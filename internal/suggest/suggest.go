package suggest

import (
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"vyre"
	"vyre/internal/git"
)

// Bounds of a call.
const (
	maxLook  = 50_000          // files and folders that are looked at
	maxBytes = 8 << 20         // of git's list
	maxTime  = 2 * time.Second // after which what was found is ranked
)

// skipped are folders that builds, tools and package managers fill.
var skipped = map[string]bool{
	".git": true, ".hg": true, ".svn": true, ".jj": true, "node_modules": true, "target": true, "__pycache__": true,
	".venv": true, "venv": true, ".cache": true, ".tox": true, ".gradle": true, ".next": true, ".terraform": true, "dist": true,
}

// Files returns up to limit paths below dir, relative to it, folders with a slash
// behind, the likeliest first. Errors: invalid (cwd) for a folder that can't be opened.
func Files(ctx context.Context, g *git.Git, dir, query string, limit int) ([]string, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, vyre.Invalid("cwd", "this folder can't be opened")
	}
	defer root.Close()
	ctx, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	all, ok := tracked(ctx, g, dir)
	if !ok {
		all = walk(ctx, root)
	}
	return Rank(withFolders(all), query, limit), nil
}

// tracked asks git; false where the folder is in no work tree or git took too long.
func tracked(ctx context.Context, g *git.Git, dir string) ([]string, bool) {
	o, err := g.Run(ctx, git.Call{
		Dir: dir, Max: maxBytes, Env: []string{"GIT_OPTIONAL_LOCKS=0"},
		Args: []string{"ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate", "--", "."},
	})
	if err != nil {
		return nil, false
	}
	var out []string
	for p := range strings.SplitSeq(string(o.Out), "\x00") {
		if len(out) == maxLook {
			break
		}
		if p != "" && filepath.IsLocal(p) && utf8.ValidString(p) {
			out = append(out, p)
		}
	}
	if o.Cut && len(out) > 0 {
		out = out[:len(out)-1] // the last one may be half a path
	}
	return out, true
}

func walk(ctx context.Context, root *os.Root) []string {
	var out []string
	looked := 0
	_ = fs.WalkDir(root.FS(), ".", func(p string, d fs.DirEntry, err error) error {
		if looked++; looked > maxLook || ctx.Err() != nil {
			return fs.SkipAll
		}
		switch {
		case err != nil: // not ours to read
			if d != nil && d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir():
			if p != "." && skipped[d.Name()] {
				return fs.SkipDir
			}
		case d.Type().IsRegular() && utf8.ValidString(p):
			out = append(out, p)
		}
		return nil
	})
	return out
}

// withFolders adds the folders that the files are in.
func withFolders(files []string) []string {
	seen := map[string]bool{}
	out := files
	for _, f := range files {
		for d := path.Dir(f); d != "." && d != "/" && !seen[d]; d = path.Dir(d) {
			seen[d] = true
			out = append(out, d+"/")
		}
	}
	return out
}
