package threads

import (
	"context"

	"vyre"
)

// jobBudget is what a job may cost in micro-dollars where nothing is said.
const jobBudget = 1_000_000

// maxBudget bounds a budget, in micro-dollars: a million dollars is a slip.
const maxBudget = 1_000_000_000_000

// BudgetIn is the input of threads.budget.
type BudgetIn struct {
	Thread       vyre.ThreadID `json:"thread" jsonschema:"the thread"`
	BudgetMicros int64         `json:"budget_micros" jsonschema:"what the thread may cost over its whole life, in micro-dollars; 0 is no bound"`
}

func (m *Module) budget(ctx context.Context, c vyre.Caller, in BudgetIn) (vyre.Thread, error) {
	if err := checkBudget(in.BudgetMicros); err != nil {
		return vyre.Thread{}, err
	}
	if err := m.Engine.SetBudget(ctx, in.Thread, in.BudgetMicros, c.String()); err != nil {
		return vyre.Thread{}, err
	}
	return m.Store.Thread(ctx, in.Thread)
}

func checkBudget(micros int64) error {
	if micros < 0 || micros > maxBudget {
		return vyre.Invalid("budget_micros", "micro-dollars, 0 to %d", int64(maxBudget))
	}
	return nil
}

// jobs completes the start of a one-shot thread, or refuses it.
func (in *StartIn) jobs() error {
	if in.Once && in.Purpose != "" && in.Purpose != vyre.PurposeJob {
		return vyre.Invalid("once", "a thread of one turn is a job")
	}
	if err := checkBudget(in.BudgetMicros); err != nil {
		return err
	}
	if !in.Once && in.Purpose != vyre.PurposeJob {
		return nil
	}
	in.Purpose = vyre.PurposeJob
	if in.Prompt == "" {
		return vyre.Invalid("prompt", "a job is one turn, so it starts with its message")
	}
	if in.BudgetMicros == 0 {
		in.BudgetMicros = jobBudget
	}
	return nil
}
