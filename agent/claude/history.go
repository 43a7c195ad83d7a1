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
	if configDir(o.Env) == "" || !uuidPattern.MatchString(o.NativeID) {
		return false, false, nil
	}
	wire := string(agent.WireID(id))
	err = rows(ctx, o, func(line []byte) bool {
		delivered = delivered || holds(line, wire)
		return !delivered
	})
	return delivered, err == nil, err
}

// History implements agent.Historian. A transcript that holds no row of the
// conversation yet can neither be resumed ("No conversation found") nor begun
// again ("already in use"): the agent writes a first row before the message's
// own, and may be killed in between (measured on 2.1.332).
func (*Provider) History(ctx context.Context, o agent.Options) (agent.History, error) {
	h := agent.HistoryNone
	err := rows(ctx, o, func(line []byte) bool {
		h = agent.HistoryBroken
		var row historyRow
		if json.Unmarshal(line, &row) == nil && (row.Type == "user" || row.Type == "assistant") {
			h = agent.HistoryResumable
		}
		return h != agent.HistoryResumable
	})
	return h, err
}

var _ agent.Historian = (*Provider)(nil)

// rows gives the rows of the session's transcripts to f until it returns false.
func rows(ctx context.Context, o agent.Options, f func(line []byte) bool) error {
	config := configDir(o.Env)
	if config == "" || !uuidPattern.MatchString(o.NativeID) {
		return nil
	}
	unreadable := func(err error) error {
		return vyre.Errorf(vyre.CodeUnavailable, "the agent's history can't be read").Because(err)
	}
	root, err := os.OpenRoot(filepath.Join(config, "projects"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return unreadable(err)
	}
	defer root.Close()
	files, err := fs.Glob(root.FS(), "*/"+o.NativeID+".jsonl")
	if err != nil {
		return unreadable(err)
	}
	for _, name := range files {
		if more, err := rowsOf(ctx, root, name, f); err != nil {
			return unreadable(err)
		} else if !more {
			return nil
		}
	}
	return nil
}

// rowsOf reads one transcript; rows may be megabytes, they are the agent's own.
func rowsOf(ctx context.Context, root *os.Root, name string, f func([]byte) bool) (more bool, err error) {
	file, err := root.Open(name)
	if err != nil {
		return false, err
	}
	defer file.Close()
	r := bufio.NewReaderSize(file, 256<<10)
	for {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		line, err := r.ReadBytes('\n')
		if len(line) > 0 && !f(line) {
			return false, nil
		}
		if errors.Is(err, io.EOF) {
			return true, nil
		}
		if err != nil {
			return false, err
		}
	}
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

// holds reports whether a row is the message: one of its own, or one that joined
// a running turn.
func holds(line []byte, id string) bool {
	var row historyRow
	return bytes.Contains(line, []byte(`"`+id+`"`)) && json.Unmarshal(line, &row) == nil &&
		(row.Type == "user" && row.UUID == id || row.Type == "attachment" && row.Attachment.SourceUUID == id)
}
