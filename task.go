package vyre

// Task is work of a session in the background: it outlives the turn that began it,
// and ends with its process at the latest.
type Task struct {
	ID      string   `json:"task"` // the agent's own id
	Thread  ThreadID `json:"thread"`
	Title   string   `json:"title"`
	State   string   `json:"state"` // running, or the agent's word
	Item    ItemID   `json:"item"`  // the call that began it, or empty
	Started Time     `json:"started"`

	Key  string `json:"-"` // the driver's key of that call
	Done bool   `json:"-"` // it has ended: its row goes
}
