package threads

import (
	"context"

	"vyre"
	"vyre/internal/engine"
	"vyre/internal/store/sqlite"
)

// Engine is what acts on threads. internal/engine implements it.
type Engine interface {
	session
	applier
	Unspent(ctx context.Context, key string) error
	Start(ctx context.Context, in engine.StartInput) (vyre.ThreadID, vyre.TurnID, error)
	Send(ctx context.Context, thread vyre.ThreadID, in engine.SendInput) (engine.Sent, error)
	EditQueued(ctx context.Context, thread vyre.ThreadID, id vyre.MessageID, text string, by vyre.Caller) (vyre.Message, error)
	Unqueue(ctx context.Context, thread vyre.ThreadID, id vyre.MessageID, by vyre.Caller) (vyre.Message, error)
	MoveQueued(ctx context.Context, thread vyre.ThreadID, id, before vyre.MessageID, by vyre.Caller) (vyre.Message, error)
	SendNow(ctx context.Context, thread vyre.ThreadID, id vyre.MessageID, by vyre.Caller) (engine.Sent, error)
	StopTask(ctx context.Context, thread vyre.ThreadID, task string) error
	Interrupt(ctx context.Context, thread vyre.ThreadID) (vyre.TurnID, error)
	Stop(ctx context.Context, thread vyre.ThreadID, by string) error
	Resume(ctx context.Context, thread vyre.ThreadID) error
	MoveFolder(ctx context.Context, thread vyre.ThreadID, cwd, project, by string) error
	Fork(ctx context.Context, thread vyre.ThreadID, in engine.ForkInput) (vyre.ThreadID, error)
	Rewind(ctx context.Context, thread vyre.ThreadID, in engine.RewindInput) (engine.Rewound, error)
	Compact(ctx context.Context, thread vyre.ThreadID, instructions string, in engine.SendInput) (engine.Sent, error)
	Archive(ctx context.Context, thread vyre.ThreadID, archived bool, by string) error
	Rename(ctx context.Context, thread vyre.ThreadID, name, by string) error
	SetMode(ctx context.Context, thread vyre.ThreadID, mode vyre.Mode, by string) error
	SetModel(ctx context.Context, thread vyre.ThreadID, model, by string) error
	SetBudget(ctx context.Context, thread vyre.ThreadID, micros int64, by string) error
	WaitsForSpace(thread vyre.ThreadID) bool
	Tree(ctx context.Context, thread vyre.ThreadID) ([]engine.Member, string, error)
}

// Store is what is read. internal/store/sqlite implements it.
type Store interface {
	Thread(ctx context.Context, id vyre.ThreadID) (vyre.Thread, error)
	Threads(ctx context.Context, q sqlite.ThreadQuery) ([]vyre.Thread, string, error)
	Items(ctx context.Context, q sqlite.ItemQuery) ([]vyre.Item, string, error)
	Item(ctx context.Context, thread vyre.ThreadID, id vyre.ItemID) (vyre.Item, error)
	Turn(ctx context.Context, id vyre.TurnID) (vyre.Turn, bool, error)
	Output(ctx context.Context, thread vyre.ThreadID, item vyre.ItemID, offset int64, limit int) (sqlite.OutputPart, error)
	Queue(ctx context.Context, thread vyre.ThreadID) ([]vyre.Message, error)
	Unfinished(ctx context.Context, thread vyre.ThreadID) ([]vyre.Message, error)
	Tasks(ctx context.Context, thread vyre.ThreadID) ([]vyre.Task, error)
	Holdings(ctx context.Context, thread vyre.ThreadID) (sqlite.Holdings, error)
}
