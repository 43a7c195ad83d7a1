package gate

import (
	"context"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"vyre"
	"vyre/internal/policy"
	"vyre/internal/registry"
)

// cutAt is how much of a payload lists and answers hold, in bytes.
const cutAt = 16 << 10

// Act is an act at the gate, as it is shown.
type Act struct {
	ID         vyre.GateID      `json:"act"`
	State      vyre.GateState   `json:"state"`
	Kind       vyre.GateKind    `json:"kind"`
	Target     string           `json:"target"`
	Options    vyre.GateOptions `json:"options"`
	Payload    string           `json:"payload"`
	Encoding   string           `json:"encoding"` // of payload: text, or base64 where it is no text
	Bytes      int              `json:"bytes"`    // of the whole payload
	Cut        bool             `json:"cut"`      // payload is only the beginning: gate.get has all
	Hash       string           `json:"hash"`     // of what goes out and where: what an approval names
	Idempotent bool             `json:"idempotent"`
	Summary    string           `json:"summary"`  // words of who asked
	Warnings   []string         `json:"warnings"` // what a person should know before a yes
	Caller     string           `json:"caller"`
	Thread     vyre.ThreadID    `json:"thread"`
	Created    vyre.Time        `json:"created"`
	Expires    vyre.Time        `json:"expires"`
	Decided    vyre.Time        `json:"decided"`
	By         string           `json:"by"`
	Proof      string           `json:"proof"`
	Level      string           `json:"level"`
	Message    string           `json:"message"` // a person's words
	Attempts   int              `json:"attempts"`
	Status     int              `json:"status"`  // HTTP status or exit code of the last attempt; 0: none
	Outcome    string           `json:"outcome"` // how it ended, in words
	Answer     string           `json:"answer"`  // what the other side said, cut; not for an agent when a vault value went out
	Ended      vyre.Time        `json:"ended"`
}

func (m *Module) shown(c vyre.Caller, a vyre.GateAct, most int) Act {
	if a.ID == "" {
		return Act{}
	}
	out := Act{
		ID: a.ID, State: a.State, Kind: a.Kind, Target: a.Target, Options: a.Options, Bytes: len(a.Payload), Hash: a.Hash,
		Idempotent: a.Idempotent, Summary: a.Summary, Warnings: m.Gate.Warnings(a), Caller: a.Caller, Thread: a.Thread, Created: a.Created,
		Expires: a.Expires, Decided: a.Decided, By: a.By, Proof: a.Proof, Level: a.Level, Message: a.Note, Attempts: a.Attempts,
		Status: a.Status, Outcome: a.Outcome, Ended: a.Ended,
	}
	out.Payload, out.Encoding, out.Cut = payload(a.Payload, most)
	if c.IsPerson() || a.Options.Secret == nil { // an echo would give the value back
		out.Answer = strings.ToValidUTF8(string(a.Answer), "\uFFFD")
	}
	return out
}

// payload gives a payload as text if it is text, and not more of it than most.
func payload(b []byte, most int) (text, encoding string, cut bool) {
	isText := utf8.Valid(b)
	if cut = len(b) > most; cut {
		b = b[:most]
		for isText && len(b) > 0 && !utf8.Valid(b) { // the cut went through a character
			b = b[:len(b)-1]
		}
	}
	if isText {
		return string(b), "text", cut
	}
	return base64.StdEncoding.EncodeToString(b), "base64", cut
}

// describe is what a person reads before a touch: all that goes out, where to, and how,
// with every hidden character visible.
func (m *Module) describe(ctx context.Context, in ApproveIn) (registry.Shown, error) {
	a, err := m.Store.GateAct(ctx, in.Act)
	if err != nil {
		return registry.Shown{}, err
	}
	var b strings.Builder
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%s: %s\n", name, policy.Visible(value))
		}
	}
	o := a.Options
	line("kind", string(a.Kind))
	line("target", a.Target)
	line("method", o.Method)
	for _, name := range slices.Sorted(maps.Keys(o.Headers)) {
		line("header "+name, o.Headers[name])
	}
	if o.Secret != nil {
		line("header "+o.Secret.Header, o.Secret.Prefix+"(the vault item "+o.Secret.Item+")")
	}
	line("repository", o.Repo)
	line("ref", o.Ref)
	line("commit", o.Commit)
	line("replaces", o.Expected)
	for _, w := range m.Gate.Warnings(a) {
		line("note", w)
	}
	line("asked by", a.Caller)
	line("their words", a.Summary)
	text, encoding, cut := payload(a.Payload, cutAt)
	more := ""
	if cut {
		more = ", the beginning"
	}
	fmt.Fprintf(&b, "payload (%d bytes, %s%s, hash %s):\n", len(a.Payload), encoding, more, a.Hash)
	for l := range strings.SplitSeq(text, "\n") {
		b.WriteString(policy.Visible(l) + "\n")
	}
	return registry.Shown{Title: "Let " + string(a.Kind) + " to " + policy.Visible(a.Target), Text: b.String(), Digest: a.Hash}, nil
}
