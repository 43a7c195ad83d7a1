package policy

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Where a variable came from.
const (
	FromLogin    = "login"    // the login shell's environment
	FromProvider = "provider" // [providers.<name>.env]
)

// Refused is one variable that did not reach the agent. It holds no value.
type Refused struct {
	Name   string `json:"name"`
	From   string `json:"from"`   // login | provider
	Reason string `json:"reason"` // for the person, ends a sentence that begins with the name
}

// maxVar is what Linux gives one "K=V" string, its end included.
const maxVar = 128<<10 - 1

// Environment makes the environment of a session: what the allowlist takes of
// the login shell's, over it what the settings give (as written, the refused
// classes left out), over that our own. Where one source names a variable
// twice the last one holds. env is sorted and names nothing twice; refused is
// sorted by source and name.
func Environment(login []string, provider map[string]string, own []string) (env []string, refused []Refused) {
	vars := map[string]string{}
	refuse := func(name, from, why string) {
		refused = append(refused, Refused{Name: name, From: from, Reason: why})
	}
	for _, kv := range login {
		name, value, ok := strings.Cut(kv, "=")
		if why := malformed(name, value, ok); why != "" {
			refuse(name, FromLogin, why)
		} else if allowed(name) {
			vars[name] = value
		} else {
			refuse(name, FromLogin, loginReason(name))
		}
	}
	for name, value := range provider {
		if why := malformed(name, value, true); why != "" {
			refuse(name, FromProvider, why)
		} else if why := refusedReason(name); why != "" && !allowed(name) {
			refuse(name, FromProvider, why)
		} else {
			vars[name] = value
		}
	}
	for _, kv := range own {
		if name, value, ok := strings.Cut(kv, "="); ok {
			vars[name] = value
		}
	}
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		env = append(env, name+"="+vars[name])
	}
	slices.SortFunc(refused, func(a, b Refused) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Reason, b.Reason))
	})
	return env, slices.Compact(refused)
}

// Lacks returns the name that an environment can't do without and has not, or "".
// A session without HOME would take another folder for the person's: its settings,
// its keys, its history.
func Lacks(env []string) string {
	for _, name := range needed {
		if !slices.ContainsFunc(env, func(kv string) bool {
			value, ok := strings.CutPrefix(kv, name+"=")
			return ok && value != ""
		}) {
			return name
		}
	}
	return ""
}

var needed = []string{"HOME", "PATH"}

// Exposed returns the names of a provider's settings that look like
// credentials, sorted: they reach the agent as written, and every command it
// runs can read them, so doctor says so.
func Exposed(provider map[string]string) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(provider)) {
		if looksSecret(name) {
			names = append(names, name)
		}
	}
	return names
}

func malformed(name, value string, ok bool) string {
	if !ok || name == "" || strings.ContainsAny(name, "=\x00\n \t") || strings.Contains(value, "\x00") {
		return whyName
	}
	if len(name)+1+len(value) >= maxVar {
		return whyLong
	}
	return ""
}
