package vyre

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Identifiers that travel. All but TurnID match [a-z0-9_-]{1,64}; the agent's
// own identifiers never leave its driver under one of these types.
type (
	// ThreadID names a conversation for ever, across processes, providers and nodes.
	ThreadID string
	// TurnID is "<thread>:<n>", n counting from 1. It is ours, so it survives a
	// resume and a change of provider.
	TurnID string
	// ItemID names one entry of a thread's timeline.
	ItemID string
	// AskID is a random capability of 9 bytes, base64url without padding, folded
	// to the id alphabet. Agents reuse their request ids; these are never reused.
	AskID string
	// MessageID is the caller's key where one was given, else random. It is the
	// message's name all the way down to the agent.
	MessageID string
	// SessionID names one live process of a thread.
	SessionID string
	// Seq is the position of an event in the log: it grows, and never names two events.
	Seq int64
)

var idPattern = regexp.MustCompile(`^[a-z0-9_-]{1,64}$`)

// ValidID reports whether s may be used as an id or a caller's key.
func ValidID(s string) bool { return idPattern.MatchString(s) }

var lower32 = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// NewID returns 130 random bits as 26 lower-case characters.
func NewID() string { return strings.ToLower(rand.Text()) }

// NewThreadID returns a random UUID (version 4): providers that take an id from
// us want one of this form, so a thread and its first native session share it.
func NewThreadID() ThreadID { return ThreadID(newUUID()) }

// NewMessageID returns a random UUID, for a message whose sender gave no key.
func NewMessageID() MessageID { return MessageID(newUUID()) }

func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // crypto/rand.Read never returns an error since Go 1.24
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[0:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// NewAskID returns a fresh ask id: 9 random bytes, 18 hexadecimal characters.
func NewAskID() AskID {
	var b [9]byte
	_, _ = rand.Read(b[:])
	return AskID(fmt.Sprintf("%x", b[:]))
}

// NewSecret returns 32 random bytes in base64url: a bearer secret or one-time code.
func NewSecret() string {
	var b [32]byte
	_, _ = rand.Read(b[:])
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// ItemIDFor derives the id of an item from the thread, the turn it first
// appeared in and the key its driver gave it. Reading the same lines of an
// agent twice therefore gives the same ids, and an agent that reuses its own
// ids in a later turn still makes new items.
func ItemIDFor(thread ThreadID, turn TurnID, key string) ItemID {
	h := sha256.Sum256([]byte(string(thread) + "\x00" + string(turn) + "\x00" + key))
	return ItemID(lower32.EncodeToString(h[:16]))
}

// MakeTurnID returns the id of a thread's n-th turn, counting from 1.
func MakeTurnID(thread ThreadID, n int) TurnID {
	return TurnID(string(thread) + ":" + strconv.Itoa(n))
}

// N returns the turn's number, or 0 for a malformed id.
func (t TurnID) N() int {
	_, n, ok := strings.Cut(string(t), ":")
	if !ok {
		return 0
	}
	v, err := strconv.Atoi(n)
	if err != nil {
		return 0
	}
	return v
}

// MarshalJSON gives null for the empty id: a message that waits has no turn yet.
func (t TurnID) MarshalJSON() ([]byte, error) {
	if t == "" {
		return []byte("null"), nil
	}
	return strconv.AppendQuote(nil, string(t)), nil
}
