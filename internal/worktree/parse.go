package worktree

import (
	"path"
	"strconv"
	"strings"
)

// parseStatus reads `git status --porcelain -z --no-renames`: two letters, a space,
// a path, NUL. What it can't read counts as a change, so that nothing is overlooked.
func parseStatus(out string) (changed, untracked, ignored []string) {
	for entry := range strings.SplitSeq(out, "\x00") {
		switch {
		case entry == "":
		case strings.HasPrefix(entry, "?? "):
			untracked = append(untracked, entry[3:])
		case strings.HasPrefix(entry, "!! "):
			ignored = append(ignored, entry[3:])
		case len(entry) > 3 && entry[2] == ' ':
			changed = append(changed, entry[3:])
		default:
			changed = append(changed, entry)
		}
	}
	return changed, untracked, ignored
}

// parseFlagged reads `git ls-files -v -z` and returns the files that git was told
// not to look at: their changes are in no status.
func parseFlagged(out string) []string {
	var list []string
	for entry := range strings.SplitSeq(out, "\x00") {
		if len(entry) > 2 && entry[1] == ' ' && (entry[0] == 'S' || entry[0] >= 'a' && entry[0] <= 'z') {
			list = append(list, entry[2:])
		}
	}
	return list
}

// parseLinks reads `git ls-files --stage -z` and returns the places of submodules.
func parseLinks(out string) []string {
	var list []string
	for entry := range strings.SplitSeq(out, "\x00") {
		if meta, p, ok := strings.Cut(entry, "\t"); ok && strings.HasPrefix(meta, "160000 ") {
			list = append(list, p)
		}
	}
	return list
}

// parseStat reads `git diff --numstat -z --no-renames`: added, tab, deleted, tab,
// path, NUL; "-" counts for a binary file.
func parseStat(out string) []FileStat {
	list := []FileStat{}
	for entry := range strings.SplitSeq(out, "\x00") {
		f := strings.SplitN(entry, "\t", 3)
		if len(f) != 3 || f[2] == "" {
			continue
		}
		s := FileStat{Path: f[2], Binary: f[0] == "-"}
		if !s.Binary {
			var err1, err2 error
			s.Added, err1 = strconv.Atoi(f[0])
			s.Deleted, err2 = strconv.Atoi(f[1])
			if err1 != nil || err2 != nil {
				continue
			}
		}
		list = append(list, s)
	}
	return list
}

// products are folders and files that a build or an installation makes again.
var products = map[string]bool{
	"node_modules": true, "target": true, "build": true, "dist": true, "out": true, "bin": true, "obj": true, "vendor": true,
	".venv": true, "venv": true, "__pycache__": true, ".cache": true, ".mypy_cache": true, ".pytest_cache": true, ".ruff_cache": true,
	".tox": true, ".gradle": true, ".next": true, ".nuxt": true, ".turbo": true, ".parcel-cache": true, "coverage": true,
	".DS_Store": true, ".eslintcache": true, ".terraform": true, "_build": true, ".dart_tool": true, "Pods": true, "DerivedData": true,
}

var productEnds = map[string]bool{".o": true, ".a": true, ".so": true, ".pyc": true, ".class": true, ".tsbuildinfo": true}

// product reports whether an ignored path can be made again.
func product(p string) bool {
	for part := range strings.SplitSeq(strings.TrimSuffix(p, "/"), "/") {
		if products[part] {
			return true
		}
	}
	return productEnds[path.Ext(p)]
}
