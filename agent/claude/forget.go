package claude

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"vyre"
	"vyre/agent"
)

// Forget implements agent.Forgetter: a conversation is a transcript of its id in the
// folder of a project, and a folder of that name with what its subagents said.
func (*Provider) Forget(_ context.Context, o agent.Options, dry bool) ([]string, error) {
	config := configDir(o.Env)
	if config == "" || !uuidPattern.MatchString(o.NativeID) {
		return nil, nil
	}
	base := filepath.Join(config, "projects")
	root, err := os.OpenRoot(base)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	failed := func(err error) error {
		return vyre.Errorf(vyre.CodeUnavailable, "the agent's own transcript can't be removed").Because(err)
	}
	if err != nil {
		return nil, failed(err)
	}
	defer root.Close()
	var paths []string
	for _, pattern := range []string{"*/" + o.NativeID + ".jsonl", "*/" + o.NativeID} {
		names, err := fs.Glob(root.FS(), pattern)
		if err != nil {
			return paths, failed(err)
		}
		for _, name := range names {
			paths = append(paths, filepath.Join(base, name))
			if dry {
				continue
			}
			if err := root.RemoveAll(name); err != nil {
				return paths, failed(err)
			}
		}
	}
	return paths, nil
}
