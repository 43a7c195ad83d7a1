package vyre

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"strconv"
)

// GateID names an act at the gate.
type GateID string

// GateKind is what an act at the gate does.
type GateKind string

// The kinds of acts that the gate can do.
const (
	GateHTTP GateKind = "http"     // one HTTP request
	GatePush GateKind = "git.push" // one commit to one ref of a remote repository
)

// GateKinds lists every kind once.
var GateKinds = []GateKind{GateHTTP, GatePush}

// GateState is where an act stands. The words travel and are CHECKed in the store.
type GateState string

// The states of an act at the gate.
const (
	GateWaiting   GateState = "waiting"   // a person decides
	GateApproved  GateState = "approved"  // a person said yes; nothing has gone out
	GateSending   GateState = "sending"   // an attempt began; something may have gone out
	GateSent      GateState = "sent"      // it was done
	GateFailed    GateState = "failed"    // it was surely not done
	GateUnknown   GateState = "unknown"   // nobody here can tell whether it was done
	GateDenied    GateState = "denied"    // a person said no
	GateExpired   GateState = "expired"   // its time was over before it began
	GateCancelled GateState = "cancelled" // taken back before it began
)

// GateStates lists every state once.
var GateStates = []GateState{
	GateWaiting, GateApproved, GateSending, GateSent, GateFailed, GateUnknown, GateDenied, GateExpired, GateCancelled,
}

// Over reports whether nothing more happens by itself.
func (s GateState) Over() bool { return s != GateWaiting && s != GateApproved && s != GateSending }

// GateMove is something that happens to an act.
type GateMove string

// The moves of an act.
const (
	GateApprove GateMove = "approve" // a person's yes to exactly these bytes
	GateDeny    GateMove = "deny"    // a person's no
	GateExpire  GateMove = "expire"  // its time is over, or the machine started anew
	GateCancel  GateMove = "cancel"  // a person or who asked takes it back
	GateClaim   GateMove = "claim"   // an attempt begins; on disk before anything goes out
	GateRetry   GateMove = "retry"   // another attempt with the same key
	GateDone    GateMove = "done"    // the other side said that it did it; or a person found out
	GateFail    GateMove = "fail"    // nothing went out or it was refused; or a person found out
	GateLose    GateMove = "lose"    // an attempt ended without an answer that says
)

// GateMoves lists every move once.
var GateMoves = []GateMove{GateApprove, GateDeny, GateExpire, GateCancel, GateClaim, GateRetry, GateDone, GateFail, GateLose}

// GateTransition is one row of the table.
type GateTransition struct {
	From GateState
	Move GateMove
	To   GateState
}

// GateTable is the whole life of an act. Nothing leads from an attempt, or from an
// outcome that nobody knows, back to where an attempt begins, but a retry with the
// same key.
var GateTable = []GateTransition{
	{GateWaiting, GateApprove, GateApproved},
	{GateWaiting, GateDeny, GateDenied},
	{GateWaiting, GateExpire, GateExpired},
	{GateWaiting, GateCancel, GateCancelled},

	{GateApproved, GateClaim, GateSending},
	{GateApproved, GateExpire, GateExpired},
	{GateApproved, GateCancel, GateCancelled},
	{GateApproved, GateFail, GateFailed}, // it is not what was approved any more

	{GateSending, GateRetry, GateSending},
	{GateSending, GateDone, GateSent},
	{GateSending, GateFail, GateFailed},
	{GateSending, GateLose, GateUnknown},

	{GateUnknown, GateDone, GateSent},
	{GateUnknown, GateFail, GateFailed},
}

// GateStep applies a move. A move that the table does not have is a conflict that
// names how the act stands.
func GateStep(from GateState, m GateMove) (GateState, error) {
	for _, t := range GateTable {
		if t.From == from && t.Move == m {
			return t.To, nil
		}
	}
	return from, Errorf(CodeConflict, "this act is %s already", from).WithDetail("state", string(from))
}

// GateOptions is what an act says beside its payload. It is part of what a person
// approves.
type GateOptions struct {
	Method  string            `json:"method,omitempty"`  // http
	Headers map[string]string `json:"headers,omitempty"` // http; none that holds a credential
	Secret  *GateSecret       `json:"secret,omitempty"`  // http: a header whose value the vault has
	Private bool              `json:"private,omitempty"` // it may go to an address of this machine's network, or to this machine

	Repo     string `json:"repo,omitempty"`     // git.push: the repository's folder
	Ref      string `json:"ref,omitempty"`      // git.push: the ref at the remote, refs/heads/…
	Commit   string `json:"commit,omitempty"`   // git.push: the commit, as it was when asked
	Expected string `json:"expected,omitempty"` // git.push: what the ref is at the remote; empty: it is not there
}

// GateSecret names a value of the vault that goes into a header when the act is done.
type GateSecret struct {
	Item   string `json:"item"`             // the vault item
	Header string `json:"header"`           // which header
	Prefix string `json:"prefix,omitempty"` // before the value: "Bearer "
}

// GateAct is one act that waits for a person, or waited.
type GateAct struct {
	ID         GateID
	State      GateState
	Kind       GateKind
	Target     string // http: the URL; git.push: the remote repository
	Options    GateOptions
	Payload    []byte // exactly what goes out
	Hash       string // Sum, when it was asked for
	Idempotent bool   // the other side takes a key, and does what has the same one once
	Summary    string // words of who asked
	Caller     string
	Thread     ThreadID // the thread that asked, or empty
	Key        string   // of who asked, so that asking again is the same act; or empty
	Created    Time
	Expires    Time // for people; what counts is Boot and Deadline

	Boot      string // the machine's start that Deadline is of
	Deadline  int64  // milliseconds since then
	NotSooner int64  // approved: milliseconds since then at which the first attempt may begin

	Decided  Time // approved, denied or cancelled
	By       string
	Proof    string
	Level    string
	Note     string // a person's words with a no
	Claimed  Time   // when the first attempt began
	Attempts int
	Status   int    // of the last answer: HTTP status, exit code; 0: there was none
	Outcome  string // words about how it ended
	Answer   []byte // what the other side said, cut
	Ended    Time
}

// Sum is the hash that a person approves: every byte that goes out, where to, and how.
// Each part has its length before it, so that none runs into the next.
func (a *GateAct) Sum() string {
	options, err := json.Marshal(a.Options)
	if err != nil {
		panic("vyre: options of an act can't be encoded: " + err.Error())
	}
	h := sha256.New()
	for _, part := range [][]byte{
		[]byte("vyre-gate-1"), []byte(a.ID), []byte(a.Kind), []byte(a.Target), options, a.Payload, strconv.AppendBool(nil, a.Idempotent),
	} {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(part)))
		h.Write(n[:])
		h.Write(part)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// SendKey is the key under which an act is sent, the same at every attempt.
func (a *GateAct) SendKey() string {
	payload := sha256.Sum256(a.Payload)
	h := sha256.Sum256(append([]byte("vyre-gate-key-1\x00"+string(a.ID)+"\x00"), payload[:]...))
	return hex.EncodeToString(h[:])
}

// GateWrite puts an act, if it stands as From says (empty: it is new). An act that
// stands otherwise is a conflict and nothing of the commit happens.
type GateWrite struct {
	Act      GateAct
	From     GateState
	Attempts int // with From: how many attempts it had
}
