package agent

// Plan is the Body of an Item of kind plan.
type Plan struct {
	Entries []PlanEntry `json:"entries"`
}

// PlanEntry is one step of a plan. Status is pending, in_progress or completed.
type PlanEntry struct {
	ID     string `json:"id,omitempty"` // the agent's, where it names its steps
	Text   string `json:"text"`
	Status string `json:"status"`
}
