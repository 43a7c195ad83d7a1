package threads

import (
	"context"
	"strings"
	"unicode/utf8"

	"vyre"
	"vyre/internal/engine"
)

// SendMode says how a message goes while a turn runs.
type SendMode string

// SendQueue waits for the running turn's end.
const SendQueue SendMode = "queue"

// Enum lists the values of a SendMode.
func (SendMode) Enum() []string { return []string{string(SendQueue)} }

// SendIn is the input of threads.send.
type SendIn struct {
	Thread vyre.ThreadID `json:"thread" jsonschema:"the thread"`
	Text   string        `json:"text" jsonschema:"the message"`
	Mode   SendMode      `json:"mode,omitempty" jsonschema:"queue waits for the running turn's end instead of joining it"`
	Key    Key           `json:"key,omitempty" jsonschema:"the message's id: a retry with it is safe for the thread's life"`

	Attachments []string `json:"attachments,omitempty" jsonschema:"ids that threads.attach gave"`
}

// ThreadRef tells the registry which thread a call is about.
func (in SendIn) ThreadRef() vyre.ThreadID { return in.Thread }

// SendOut is the output of threads.send. Via is what the first send with this key
// was answered; Turn is the turn that the message is in now, null while it waits.
// State is "removed" for one that was taken back since.
type SendOut struct {
	Message vyre.MessageID    `json:"message"`
	Via     vyre.Via          `json:"via"`
	Turn    vyre.TurnID       `json:"turn"`
	State   vyre.MessageState `json:"state,omitempty"`
}

func (m *Module) send(ctx context.Context, c vyre.Caller, in SendIn) (SendOut, error) {
	if strings.TrimSpace(in.Text) == "" && len(in.Attachments) == 0 {
		return SendOut{}, vyre.Invalid("text", "a message has words")
	}
	if err := checkKey(in.Key); err != nil {
		return SendOut{}, err
	}
	attached, err := m.attached(ctx, c, in.Attachments)
	if err != nil {
		return SendOut{}, err
	}
	waker, err := m.waker(ctx, c)
	if err != nil {
		return SendOut{}, err
	}
	s, err := m.Engine.Send(ctx, in.Thread, engine.SendInput{
		Text: in.Text, Key: vyre.MessageID(in.Key), Queue: in.Mode == SendQueue, By: c.String(),
		Attachments: attached, Waker: waker,
	})
	return SendOut{s.Message, s.Via, s.Turn, s.State}, err
}

// waker is the mode of the agent that calls, or empty for a person. One whose mode
// is not known counts as the strictest.
func (m *Module) waker(ctx context.Context, c vyre.Caller) (vyre.Mode, error) {
	switch {
	case c.IsPerson():
		return "", nil
	case c.Thread() == "":
		return vyre.ModePlan, nil
	}
	th, err := m.Store.Thread(ctx, c.Thread())
	return th.Mode, err
}

// InterruptOut is the output of threads.interrupt. Turn is null and Status empty
// if no turn ran.
type InterruptOut struct {
	Thread vyre.ThreadID   `json:"thread"`
	Turn   vyre.TurnID     `json:"turn"`
	Status vyre.TurnStatus `json:"status,omitempty"`
}

func (m *Module) interrupt(ctx context.Context, _ vyre.Caller, in Ref) (InterruptOut, error) {
	turn, err := m.Engine.Interrupt(ctx, in.Thread)
	if err != nil || turn == "" {
		return InterruptOut{Thread: in.Thread}, err
	}
	u, _, err := m.Store.Turn(ctx, turn)
	return InterruptOut{in.Thread, turn, u.Status}, err
}

func (m *Module) stop(ctx context.Context, c vyre.Caller, in Ref) (vyre.Thread, error) {
	if err := m.Engine.Stop(ctx, in.Thread, c.String()); err != nil {
		return vyre.Thread{}, err
	}
	return m.Store.Thread(ctx, in.Thread)
}

// ResumeIn is the input of threads.resume.
type ResumeIn struct {
	Thread vyre.ThreadID `json:"thread" jsonschema:"the thread"`
	CWD    string        `json:"cwd,omitempty" jsonschema:"where its folder is now, if it moved: absolute, and it exists"`
}

func (m *Module) resume(ctx context.Context, c vyre.Caller, in ResumeIn) (vyre.Thread, error) {
	if in.CWD != "" {
		cwd, err := folder(in.CWD)
		if err != nil {
			return vyre.Thread{}, err
		}
		if err := m.Engine.MoveFolder(ctx, in.Thread, cwd, projectOf(cwd), c.String()); err != nil {
			return vyre.Thread{}, err
		}
	}
	if err := m.Engine.Resume(ctx, in.Thread); err != nil {
		return vyre.Thread{}, err
	}
	return m.Store.Thread(ctx, in.Thread)
}

// ArchiveIn is the input of threads.archive.
type ArchiveIn struct {
	Thread   vyre.ThreadID `json:"thread" jsonschema:"the thread"`
	Archived *bool         `json:"archived,omitempty" jsonschema:"false takes it out again; default true"`
}

func (m *Module) archive(ctx context.Context, c vyre.Caller, in ArchiveIn) (vyre.Thread, error) {
	to := in.Archived == nil || *in.Archived
	if err := m.Engine.Archive(ctx, in.Thread, to, c.String()); err != nil {
		return vyre.Thread{}, err
	}
	return m.Store.Thread(ctx, in.Thread)
}

// RenameIn is the input of threads.rename.
type RenameIn struct {
	Thread vyre.ThreadID `json:"thread" jsonschema:"the thread"`
	Name   string        `json:"name" jsonschema:"the new name, at most 200 characters"`
}

// ThreadRef tells the registry which thread a call is about.
func (in RenameIn) ThreadRef() vyre.ThreadID { return in.Thread }

func (m *Module) rename(ctx context.Context, c vyre.Caller, in RenameIn) (vyre.Thread, error) {
	if utf8.RuneCountInString(in.Name) > maxName {
		return vyre.Thread{}, vyre.Invalid("name", "at most %d characters", maxName)
	}
	if err := m.Engine.Rename(ctx, in.Thread, in.Name, c.String()); err != nil {
		return vyre.Thread{}, err
	}
	return m.Store.Thread(ctx, in.Thread)
}

// ModeIn is the input of threads.mode.
type ModeIn struct {
	Thread vyre.ThreadID `json:"thread" jsonschema:"the thread"`
	Mode   vyre.Mode     `json:"mode" jsonschema:"ask, edits or plan"`
}

func (m *Module) mode(ctx context.Context, c vyre.Caller, in ModeIn) (vyre.Thread, error) {
	if err := m.Engine.SetMode(ctx, in.Thread, in.Mode, c.String()); err != nil {
		return vyre.Thread{}, err
	}
	return m.Store.Thread(ctx, in.Thread)
}

// ModelIn is the input of threads.model.
type ModelIn struct {
	Thread vyre.ThreadID `json:"thread" jsonschema:"the thread"`
	Model  string        `json:"model" jsonschema:"large, small or the provider's model id; empty lets the settings choose again, from the next process on"`
}

func (m *Module) model(ctx context.Context, c vyre.Caller, in ModelIn) (vyre.Thread, error) {
	if len(in.Model) > maxName {
		return vyre.Thread{}, vyre.Invalid("model", "at most %d bytes", maxName)
	}
	if err := m.Engine.SetModel(ctx, in.Thread, in.Model, c.String()); err != nil {
		return vyre.Thread{}, err
	}
	return m.Store.Thread(ctx, in.Thread)
}
