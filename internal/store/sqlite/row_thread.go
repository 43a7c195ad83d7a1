package sqlite

import (
	"encoding/json"
	"fmt"

	"vyre"
)

var threads = newTable("threads", "id",
	"id", "provider", "driver", "model", "mode", "state", "reason", "purpose", "cwd", "project", "agent", "auth", "name",
	"source", "node", "worktree", "parent", "archived", "created", "updated", "native_id", "launch", "turns", "err", "key", "key_hash",
	"effort", "budget", "cost", "parked", "parked_until", "fallback")

func threadArgs(t *vyre.Thread) ([]any, error) {
	return []any{
		string(t.ID), t.Provider, t.Driver, t.Model, string(t.Mode), string(t.State), string(t.Reason), string(t.Purpose), t.CWD,
		t.Project, t.Agent, t.Auth, t.Name, t.Source, t.Node, t.Worktree, string(t.Parent), t.Archived,
		int64(t.Created), int64(t.Updated), t.NativeID, blob(t.Launch), int64(t.Turns), t.Err, t.Key, t.KeyHash,
		t.Effort, t.BudgetMicros, t.CostMicros, string(t.Parked), int64(t.ParkedUntil), t.Fallback,
	}, nil
}

func scanThread(r scanner) (vyre.Thread, error) {
	var t vyre.Thread
	err := r.Scan(
		(*string)(&t.ID), &t.Provider, &t.Driver, &t.Model, (*string)(&t.Mode), (*string)(&t.State), (*string)(&t.Reason),
		(*string)(&t.Purpose), &t.CWD, &t.Project, &t.Agent, &t.Auth, &t.Name, &t.Source, &t.Node, &t.Worktree, (*string)(&t.Parent),
		&t.Archived, (*int64)(&t.Created), (*int64)(&t.Updated), &t.NativeID, (*[]byte)(&t.Launch), &t.Turns, &t.Err, &t.Key, &t.KeyHash,
		&t.Effort, &t.BudgetMicros, &t.CostMicros, (*string)(&t.Parked), (*int64)(&t.ParkedUntil), &t.Fallback)
	return t, err
}

var turns = newTable("turns", "thread, n",
	"thread", "n", "status", "origin", "messages", "error", "usage", "started", "ended", "model", "rewound",
	"input", "output", "cache_read", "cache_write", "cost")

func turnArgs(t *vyre.Turn) ([]any, error) {
	n, err := turnNumber(t.Thread, t.ID)
	if err != nil {
		return nil, err
	}
	msgs, err := jsonOrNil(t.Messages, t.Messages == nil)
	if err != nil {
		return nil, err
	}
	usage, err := jsonOrNil(t.Usage, t.Usage == nil)
	if err != nil {
		return nil, err
	}
	var sums vyre.Usage // the same as numbers, that Usage adds up
	if t.Usage != nil {
		sums = *t.Usage
	}
	return []any{
		string(t.Thread), n, string(t.Status), string(t.Origin), msgs, t.Error, usage, int64(t.Started), int64(t.Ended), t.Model, t.Rewound,
		sums.InputTokens, sums.OutputTokens, sums.CacheReadTokens, sums.CacheWriteTokens, sums.CostMicros,
	}, nil
}

func scanTurn(r scanner) (vyre.Turn, error) {
	var t vyre.Turn
	var n int64
	var msgs, usage []byte
	err := r.Scan((*string)(&t.Thread), &n, (*string)(&t.Status), (*string)(&t.Origin), &msgs, &t.Error, &usage,
		(*int64)(&t.Started), (*int64)(&t.Ended), &t.Model, &t.Rewound,
		new(int64), new(int64), new(int64), new(int64), new(int64))
	if err != nil {
		return t, err
	}
	t.ID = turnID(t.Thread, n)
	if err := fromJSON(msgs, &t.Messages); err != nil {
		return t, err
	}
	return t, fromJSON(usage, &t.Usage)
}

// blob keeps nil apart from empty: nil is NULL.
func blob(b []byte) any {
	if b == nil {
		return nil
	}
	return b
}

func jsonOrNil(v any, none bool) (any, error) {
	if none {
		return nil, nil
	}
	b, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	return b, nil
}

func fromJSON(b []byte, v any) error {
	if b == nil {
		return nil
	}
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("decode: %w", err)
	}
	return nil
}
