package sqlite

import (
	"context"
	"encoding/json"
	"strings"

	"vyre"
)

var gate = newTable("gate", "id", "id", "state", "kind", "target", "options", "payload", "hash", "idempotent", "summary",
	"caller", "thread", "key", "created", "expires", "boot", "deadline", "not_sooner", "decided", "decided_by", "proof", "level",
	"note", "claimed", "attempts", "status", "outcome", "answer", "ended")

// gateInsert adds an act and replaces none.
var gateInsert, _, _ = strings.Cut(gate.put, " ON CONFLICT")

func gateArgs(a *vyre.GateAct) ([]any, error) {
	options, err := json.Marshal(a.Options)
	return []any{
		string(a.ID), string(a.State), string(a.Kind), a.Target, options, bytesOf(a.Payload), a.Hash, a.Idempotent, a.Summary,
		a.Caller, string(a.Thread), a.Key, int64(a.Created), int64(a.Expires), a.Boot, a.Deadline, a.NotSooner, int64(a.Decided), a.By,
		a.Proof, a.Level, a.Note, int64(a.Claimed), int64(a.Attempts), int64(a.Status), a.Outcome, bytesOf(a.Answer), int64(a.Ended),
	}, err
}

// bytesOf is b, or no bytes: nil would be NULL.
func bytesOf(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

func scanGate(r scanner) (vyre.GateAct, error) {
	var a vyre.GateAct
	var options []byte
	err := r.Scan((*string)(&a.ID), (*string)(&a.State), (*string)(&a.Kind), &a.Target, &options, &a.Payload, &a.Hash, &a.Idempotent,
		&a.Summary, &a.Caller, (*string)(&a.Thread), &a.Key, (*int64)(&a.Created), (*int64)(&a.Expires), &a.Boot, &a.Deadline,
		&a.NotSooner, (*int64)(&a.Decided), &a.By, &a.Proof, &a.Level, &a.Note, (*int64)(&a.Claimed), &a.Attempts, &a.Status,
		&a.Outcome, &a.Answer, (*int64)(&a.Ended))
	if err != nil {
		return a, err
	}
	return a, fromJSON(options, &a.Options)
}

// putGate writes acts that stand as their writers saw them: of two who move one at the
// same time, the second gets a conflict, and nothing of its commit happens. What a
// person approves (payload, target, options) is written once and never again.
func (w *writer) putGate(ctx context.Context, list []vyre.GateWrite) error {
	for i := range list {
		a := &list[i].Act
		if list[i].From == "" {
			if err := put(ctx, w, gateInsert, []vyre.GateAct{*a}, gateArgs); err != nil {
				return err
			}
			continue
		}
		n, err := w.changed(ctx, "UPDATE gate SET state = ?, not_sooner = ?, decided = ?, decided_by = ?, proof = ?, level = ?, note = ?,"+
			" claimed = ?, attempts = ?, status = ?, outcome = ?, answer = ?, ended = ? WHERE id = ? AND state = ? AND attempts = ?",
			string(a.State), a.NotSooner, int64(a.Decided), a.By, a.Proof, a.Level, a.Note, int64(a.Claimed), int64(a.Attempts),
			int64(a.Status), a.Outcome, bytesOf(a.Answer), int64(a.Ended), string(a.ID), string(list[i].From), int64(list[i].Attempts))
		if err != nil {
			return err
		}
		if n == 0 {
			return vyre.Errorf(vyre.CodeConflict, "this act was decided at the same moment")
		}
	}
	return nil
}

// GateAct returns one act. Errors: not_found.
func (db *DB) GateAct(ctx context.Context, id vyre.GateID) (vyre.GateAct, error) {
	a, ok, err := one(ctx, db, scanGate, "SELECT "+gate.columns+" FROM gate WHERE id = ?", string(id))
	if err == nil && !ok {
		err = vyre.NotFound("act at the gate", string(id))
	}
	return a, err
}

// GateByKey returns the act that a caller asked for under a key.
func (db *DB) GateByKey(ctx context.Context, caller, key string) (vyre.GateAct, bool, error) {
	return one(ctx, db, scanGate, "SELECT "+gate.columns+" FROM gate WHERE caller = ? AND key = ? AND key <> ''", caller, key)
}

// GateLive returns every act that is not over, the oldest first.
func (db *DB) GateLive(ctx context.Context) ([]vyre.GateAct, error) {
	return list(ctx, db, scanGate, "SELECT "+gate.columns+" FROM gate WHERE state IN ('waiting', 'approved', 'sending') ORDER BY created, id")
}

// GateQuery narrows a list of acts.
type GateQuery struct {
	State  vyre.GateState // empty: any
	Live   bool           // only those that are not over, or whose outcome nobody knows
	Caller string         // empty: anybody's
	Before vyre.GateID    // older than this one
	Limit  int
}

// GateActs returns acts, the newest first.
func (db *DB) GateActs(ctx context.Context, q GateQuery) ([]vyre.GateAct, error) {
	var f filter
	if q.Live {
		f.add("state IN ('waiting', 'approved', 'sending', 'unknown')")
	}
	f.addText("state", string(q.State))
	f.addText("caller", q.Caller)
	if q.Before != "" {
		f.add("(created, id) < (SELECT created, id FROM gate WHERE id = ?)", string(q.Before))
	}
	return list(ctx, db, scanGate, "SELECT "+gate.columns+" FROM gate"+f.String()+" ORDER BY created DESC, id DESC LIMIT ?",
		append(f.args, int64(pageLimit(q.Limit)))...)
}
