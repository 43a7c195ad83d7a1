package git

import (
	"context"
	"slices"
	"strconv"
	"strings"
)

// filters returns the settings that take the place of every filter which the
// repository's own configuration names: the person's of the same name (git-lfs,
// say), or none.
func (g *Git) filters(ctx context.Context, dir string) ([]string, error) {
	o, err := g.Run(ctx, Call{Dir: dir, Args: []string{"config", "--show-scope", "-z", "--get-regexp", `^(filter|merge|diff)\.`}})
	if Code(err) == 1 { // there are none
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return overrides(string(o.Out)), nil
}

// overrides reads `git config --show-scope -z` (scope, NUL, key, newline, value,
// NUL) and gives the environment that sets each key of the repository anew. As
// arguments they would not do: a key may hold an equals sign.
func overrides(list string) []string {
	persons, repo := map[string]string{}, map[string]bool{}
	fields := strings.Split(list, "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		scope, entry := fields[i], fields[i+1]
		key, value, _ := strings.Cut(entry, "\n")
		switch scope {
		case "system", "global":
			persons[key] = value
		case "command":
		default:
			repo[key] = true
		}
	}
	keys := make([]string, 0, len(repo))
	for k := range repo {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	out := []string{"GIT_CONFIG_COUNT=" + strconv.Itoa(len(keys))}
	for i, key := range keys {
		n := strconv.Itoa(i)
		out = append(out, "GIT_CONFIG_KEY_"+n+"="+key, "GIT_CONFIG_VALUE_"+n+"="+persons[key])
	}
	return out
}
