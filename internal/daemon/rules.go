package daemon

import (
	"path/filepath"
	"slices"
	"strings"

	"vyre/internal/config"
	"vyre/internal/grants"
	"vyre/internal/policy"
	"vyre/internal/policy/disk"
)

// configNames are variables that say where an agent keeps its settings.
var configNames = []string{"CLAUDE_CONFIG_DIR", "CODEX_HOME"}

// rules judge calls with what is known of this machine and the grants that hold. They
// implement engine.Rules.
type rules struct {
	*grants.Book
	layout  config.Layout
	home    string
	runtime *runtime
}

// followed is where a folder really is, as far as that can be known.
func followed(path string) string {
	if real, ok := (disk.Files{}).Real(path); ok {
		return real
	}
	return path
}

func (h *house) newRules(book *grants.Book) *rules {
	return &rules{Book: book, layout: h.layout, home: h.opt.Getenv("HOME"), runtime: h.runtime}
}

// Judge says what the rules make of a call now.
func (r *rules) Judge(c policy.Call) policy.Verdict { return policy.Judge(c, r.Facts(c)) }

// Facts is what the rules may know when a call is judged.
func (r *rules) Facts(c policy.Call) policy.Facts {
	return policy.Facts{
		Home: r.home, VyreHome: r.layout.Home, Configs: r.configs(), Own: r.own(c), Files: disk.Files{}, Granted: r.granted,
		Outward: policy.Outward{Tools: r.runtime.cfg.Gate.Tools, Except: r.runtime.cfg.Gate.Except}.Judge,
	}
}

// configs are the folders of agents' settings that the person moved elsewhere.
func (r *rules) configs() []string {
	var out []string
	for _, p := range r.runtime.cfg.Providers {
		for _, name := range configNames {
			out = append(out, p.Env[name])
		}
	}
	select {
	case <-r.runtime.captured:
		for _, kv := range r.runtime.login.Env {
			if name, dir, _ := strings.Cut(kv, "="); slices.Contains(configNames, name) {
				out = append(out, dir)
			}
		}
	default: // no session runs yet
	}
	return slices.DeleteFunc(out, func(dir string) bool { return !filepath.IsAbs(dir) })
}

// own is the work tree that a session is in, if it has one: it lies in our home and is
// the agent's all the same.
func (r *rules) own(c policy.Call) []string {
	rel, err := filepath.Rel(r.layout.Worktrees(), c.CWD)
	if err != nil || rel == "." || !filepath.IsLocal(rel) {
		return nil
	}
	name, _, _ := strings.Cut(rel, string(filepath.Separator))
	return []string{filepath.Join(r.layout.Worktrees(), name)}
}

func (r *rules) granted(c policy.Call, p policy.Part) (string, bool) {
	id, ok := r.Granted(c, p)
	return string(id), ok
}
