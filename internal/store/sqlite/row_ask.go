package sqlite

import "vyre"

var asks = newTable("asks", "id",
	"id", "thread", "turn", "kind", "tool", "title", "display", "input", "digest", "source", "agent_path", "blocked", "why",
	"options", "state", "decision", "scope", "message", "mode", "decided_by", "decided_at", "created", "session", "request", "call",
	"native", "answer_h", "level", "proof", "withdrew", "alike")

func askArgs(a *vyre.Ask) ([]any, error) {
	n, err := turnNumber(a.Thread, a.Turn)
	if err != nil {
		return nil, err
	}
	path, err := jsonOrNil(a.AgentPath, a.AgentPath == nil)
	if err != nil {
		return nil, err
	}
	options, err := jsonOrNil(a.Options, a.Options == nil)
	if err != nil {
		return nil, err
	}
	return []any{
		string(a.ID), string(a.Thread), n, string(a.Kind), a.Tool, a.Title, a.Display, blob(a.Input), a.Digest, a.Source, path,
		a.Blocked, a.Why, options, string(a.State), string(a.Decision), string(a.Scope), a.Message, string(a.Mode), a.By, int64(a.At),
		int64(a.Created), string(a.Session), a.Request, a.Call, blob(a.Native), a.AnswerH, a.Level, a.Proof, a.Withdrew, a.Alike,
	}, nil
}

// askRow is an ask with its place in the order of raising.
type askRow struct {
	no int64
	vyre.Ask
}

func scanAsk(r scanner) (askRow, error) {
	var a askRow
	var n int64
	var path, options []byte
	err := r.Scan(&a.no, (*string)(&a.ID), (*string)(&a.Thread), &n, (*string)(&a.Kind), &a.Tool, &a.Title, &a.Display,
		(*[]byte)(&a.Input), &a.Digest, &a.Source, &path, &a.Blocked, &a.Why, &options, (*string)(&a.State),
		(*string)(&a.Decision), (*string)(&a.Scope), &a.Message, (*string)(&a.Mode), &a.By, (*int64)(&a.At), (*int64)(&a.Created),
		(*string)(&a.Session), &a.Request, &a.Call, (*[]byte)(&a.Native), &a.AnswerH, &a.Level, &a.Proof, &a.Withdrew, &a.Alike)
	if err != nil {
		return a, err
	}
	a.Turn = turnID(a.Thread, n)
	if err := fromJSON(path, &a.AgentPath); err != nil {
		return a, err
	}
	return a, fromJSON(options, &a.Options)
}
