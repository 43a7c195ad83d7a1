package threads

import (
	"context"
	"os"
	"path/filepath"
	"time"
	"unicode/utf8"

	"vyre"
	"vyre/agent"
)

// Files finds the files of a folder. internal/suggest implements it.
type Files func(ctx context.Context, dir, query string, limit int) ([]string, error)

// SuggestIn is the input of threads.suggest.
type SuggestIn struct {
	Thread vyre.ThreadID `json:"thread,omitempty" jsonschema:"the thread in whose folder to look"`
	CWD    string        `json:"cwd,omitempty" jsonschema:"instead of a thread: a folder, absolute"`
	Query  string        `json:"query" jsonschema:"what was typed behind the @, at most 256 bytes"`
	Limit  int           `json:"limit,omitempty" jsonschema:"at most 50; default 15"`
}

// SuggestOut is the output of threads.suggest: paths relative to the folder, folders
// with a slash behind, the likeliest first. From says who suggested: agent or folder.
type SuggestOut struct {
	Files []string `json:"files"`
	From  string   `json:"from"`
}

// agentFirst is how long an agent may take to suggest before the folder is looked at.
const agentFirst = time.Second

func (m *Module) suggest(ctx context.Context, _ vyre.Caller, in SuggestIn) (SuggestOut, error) {
	switch {
	case (in.Thread == "") == (in.CWD == ""):
		return SuggestOut{}, vyre.Invalid("thread", "give thread or cwd")
	case len(in.Query) > 256 || !utf8.ValidString(in.Query):
		return SuggestOut{}, vyre.Invalid("query", "at most 256 bytes")
	case in.Limit < 0 || in.Limit > 50:
		return SuggestOut{}, vyre.Invalid("limit", "1 to 50")
	case in.Limit == 0:
		in.Limit = 15
	}
	dir := in.CWD
	if in.Thread != "" {
		th, err := m.Store.Thread(ctx, in.Thread)
		if err != nil {
			return SuggestOut{}, err
		}
		dir = th.CWD
		if files := m.agentFiles(ctx, in, dir); len(files) > 0 {
			return SuggestOut{files[:min(len(files), in.Limit)], "agent"}, nil
		}
	}
	dir, err := folder(dir)
	if err != nil {
		return SuggestOut{}, err
	}
	files, err := m.Files(ctx, dir, in.Query, in.Limit)
	return SuggestOut{filled(files), "folder"}, err
}

// agentFiles asks the session; none is an answer like any other. What is not in the
// folder (any more) is left out.
func (m *Module) agentFiles(ctx context.Context, in SuggestIn, dir string) []string {
	ctx, cancel := context.WithTimeout(ctx, agentFirst)
	defer cancel()
	var said, files []string
	if m.ask(ctx, in.Thread, agent.GetFiles{Query: in.Query}, &said) != nil {
		return nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil
	}
	defer root.Close()
	for _, f := range said {
		if filepath.IsLocal(f) && utf8.ValidString(f) {
			if _, err := root.Stat(f); err == nil {
				files = append(files, f)
			}
		}
	}
	return files
}
