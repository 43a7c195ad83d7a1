package threads

import (
	"context"
	"strings"
	"unicode/utf8"

	"vyre"
	"vyre/internal/engine"
	"vyre/internal/registry"
)

// registerBranch declares the tools that take a conversation another way. What was
// said is the person's, so only a person forks, goes back and shortens.
func (m *Module) registerBranch(r *registry.Registry) {
	registry.Define(r, vyre.Tool{
		Name: "threads.fork", Effect: vyre.EffectWrite, Reach: vyre.ReachPerson,
		Summary: "Make a new thread whose conversation is a copy of another's, whole or up to before a message. The source stays as it is.",
	}, m.fork)
	registry.Define(r, vyre.Tool{
		Name: "threads.rewind", Effect: vyre.EffectSpawn, Reach: vyre.ReachPerson, Decides: true, MaxInput: maxText,
		Summary: "Take a conversation back to before a message, and files with it; with text, send that instead. A dry run says what would go.",
	}, m.rewind)
	registry.Define(r, vyre.Tool{
		Name: "threads.compact", Effect: vyre.EffectSpawn, Reach: vyre.ReachPerson,
		Summary: "Have the agent sum up the conversation, so that it takes less of its context window. A turn of its own.",
	}, m.compact)
}

// ForkIn is the input of threads.fork.
type ForkIn struct {
	Thread  vyre.ThreadID  `json:"thread" jsonschema:"the thread to copy"`
	Message vyre.MessageID `json:"message,omitempty" jsonschema:"the copy ends before this message; by default it is whole"`
	Name    string         `json:"name,omitempty" jsonschema:"a name for people; by default the source's"`
	Key     Key            `json:"key,omitempty" jsonschema:"makes a retry safe: the same key with the same input returns the first outcome"`
}

func (m *Module) fork(ctx context.Context, c vyre.Caller, in ForkIn) (vyre.Thread, error) {
	if err := checkKey(in.Key); err != nil {
		return vyre.Thread{}, err
	}
	if utf8.RuneCountInString(in.Name) > maxName {
		return vyre.Thread{}, vyre.Invalid("name", "at most %d characters", maxName)
	}
	id, err := m.Engine.Fork(ctx, in.Thread, engine.ForkInput{Message: in.Message, Name: in.Name, Key: string(in.Key), By: c.String()})
	if err != nil {
		return vyre.Thread{}, err
	}
	return m.Store.Thread(ctx, id)
}

// RewindIn is the input of threads.rewind.
type RewindIn struct {
	Thread  vyre.ThreadID  `json:"thread" jsonschema:"the thread"`
	Message vyre.MessageID `json:"message" jsonschema:"the message to go back before: one that began a turn"`
	Files   bool           `json:"files,omitempty" jsonschema:"put files that the agent's tools changed back as well"`
	DryRun  bool           `json:"dry_run,omitempty" jsonschema:"change nothing, say what would go"`
	Text    string         `json:"text,omitempty" jsonschema:"send this instead of the message: that edits it"`
	Key     Key            `json:"key,omitempty" jsonschema:"the new message's id: a retry with it is safe"`
}

// RewindOut is the output of threads.rewind.
type RewindOut struct {
	Thread vyre.ThreadID `json:"thread"`
	Turn   vyre.TurnID   `json:"turn"`  // the first turn that is not part of the conversation any more
	Turns  int64         `json:"turns"` // how many go
	Items  int64         `json:"items"` // of them
	DryRun bool          `json:"dry_run"`
	Files  *RewindFiles  `json:"files"` // null where no files were asked for
	Sent   *SendOut      `json:"sent"`  // what became of the text, or null
}

// RewindFiles is what goes back on the disk.
type RewindFiles struct {
	Files      []string `json:"files"`
	Insertions int      `json:"insertions"`
	Deletions  int      `json:"deletions"`
}

func (m *Module) rewind(ctx context.Context, c vyre.Caller, in RewindIn) (RewindOut, error) {
	if err := checkKey(in.Key); err != nil {
		return RewindOut{}, err
	}
	switch {
	case in.Text != "" && strings.TrimSpace(in.Text) == "":
		return RewindOut{}, vyre.Invalid("text", "a message has words")
	case in.Text != "" && in.DryRun:
		return RewindOut{}, vyre.Invalid("text", "a dry run sends nothing")
	case in.Key != "" && in.Text == "":
		return RewindOut{}, vyre.Invalid("key", "a key goes with a text")
	}
	got, err := m.Engine.Rewind(ctx, in.Thread, engine.RewindInput{
		Message: in.Message, Files: in.Files, DryRun: in.DryRun, Text: in.Text, Key: vyre.MessageID(in.Key), By: c.String(),
	})
	if err != nil {
		return RewindOut{}, err
	}
	out := RewindOut{Thread: in.Thread, Turn: got.Turn, Turns: got.Turns, Items: got.Items, DryRun: in.DryRun}
	if got.Files != nil {
		out.Files = &RewindFiles{Files: got.Files.Files, Insertions: got.Files.Insertions, Deletions: got.Files.Deletions}
		if out.Files.Files == nil {
			out.Files.Files = []string{}
		}
	}
	if got.Sent != nil {
		out.Sent = &SendOut{Message: got.Sent.Message, Via: got.Sent.Via, Turn: got.Sent.Turn}
	}
	return out, nil
}

// CompactIn is the input of threads.compact.
type CompactIn struct {
	Thread       vyre.ThreadID `json:"thread" jsonschema:"the thread"`
	Instructions string        `json:"instructions,omitempty" jsonschema:"what the summary should keep"`
	Key          Key           `json:"key,omitempty" jsonschema:"makes a retry safe"`
}

func (m *Module) compact(ctx context.Context, c vyre.Caller, in CompactIn) (SendOut, error) {
	if err := checkKey(in.Key); err != nil {
		return SendOut{}, err
	}
	s, err := m.Engine.Compact(ctx, in.Thread, in.Instructions, engine.SendInput{Key: vyre.MessageID(in.Key), By: c.String()})
	return SendOut{Message: s.Message, Via: s.Via, Turn: s.Turn}, err
}
