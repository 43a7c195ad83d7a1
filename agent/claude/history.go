package claude

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"vyre"
	"vyre/agent"
)

// Delivered implements agent.Provider. It reads the session's transcript,
// <config>/projects/*/<session>.jsonl: the project's folder is named after the
// real path of the folder in which the session began, which a resume may not
// share, so all are looked at. A session without a transcript has taken nothing.
func (*Provider) Delivered(ctx context.Context, o agent.Options, id vyre.MessageID) (delivered, known bool, err error) {
	config := configDir(o.Env)
	if config == "" || o.NativeID == "" || !uuidPattern.MatchString(o.NativeID) {
		return false, false, nil
	}
	root, err := os.OpenRoot(filepath.Join(config, "projects"))
	if errors.Is(err, fs.ErrNotExist) {
		return false, true, nil
	}
	if err != nil {
		return false, false, vyre.Errorf(vyre.CodeUnavailable, "the agent's history can't be read").Because(err)
	}
	defer root.Close()
	files, err := fs.Glob(root.FS(), "*/"+o.NativeID+".jsonl")
	if err != nil {
		return false, false, vyre.Errorf(vyre.CodeUnavailable, "the agent's history can't be read").Because(err)
	}
	for _, f := range files {
		found, err := holds(ctx, root, f, string(agent.WireID(id)))
		if err != nil {
			return false, false, vyre.Errorf(vyre.CodeUnavailable, "the agent's history can't be read").Because(err)
		}
		if found {
			return true, true, nil
		}
	}
	return false, true, nil
}

// configDir is where the agent keeps its files, by the environment it gets.
func configDir(env []string) string {
	var config, home string
	for _, kv := range env {
		switch name, v, _ := strings.Cut(kv, "="); name {
		case "CLAUDE_CONFIG_DIR":
			config = v
		case "HOME":
			home = v
		}
	}
	if config != "" {
		return config
	}
	if home == "" {
		return ""
	}
	return filepath.Join(home, ".claude")
}

// historyRow is what is read of a transcript's row.
type historyRow struct {
	Type       string `json:"type"`
	UUID       string `json:"uuid"`
	Attachment struct {
		Type       string `json:"type"`
		SourceUUID string `json:"source_uuid"`
	} `json:"attachment"`
}

// holds reports whether a transcript has the message: as a row of its own, or
// joined to a running turn.
func holds(ctx context.Context, root *os.Root, name, id string) (bool, error) {
	f, err := root.Open(name)
	if err != nil {
		return false, err
	}
	defer f.Close()
	needle := []byte(`"` + id + `"`)
	r := bufio.NewReaderSize(f, 256<<10)
	for {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		line, err := r.ReadBytes('\n') // rows may be megabytes; they are the agent's own
		if bytes.Contains(line, needle) {
			var row historyRow
			if json.Unmarshal(line, &row) == nil &&
				(row.Type == "user" && row.UUID == id || row.Type == "attachment" && row.Attachment.SourceUUID == id) {
				return true, nil
			}
		}
		if errors.Is(err, io.EOF) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
	}
}
