package vyre

// The kinds of the gate's events.
const (
	EvGateRequested Kind = "gate.requested"
	EvGateApproved  Kind = "gate.approved"
	EvGateDenied    Kind = "gate.denied"
	EvGateCancelled Kind = "gate.cancelled"
	EvGateExpired   Kind = "gate.expired"
	EvGateSending   Kind = "gate.sending"
	EvGateSent      Kind = "gate.sent"
	EvGateFailed    Kind = "gate.failed"
	EvGateUnknown   Kind = "gate.unknown"
)

// The data of the gate's events. Payloads are never in them.
type (
	// GateRequested: an act waits for a person.
	GateRequested struct {
		Act     GateID   `json:"act"`
		Kind    GateKind `json:"kind"`
		Target  string   `json:"target"` // without what may be a secret: no query
		Summary string   `json:"summary"`
		Hash    string   `json:"hash"`
		Bytes   int      `json:"bytes"`
		By      string   `json:"by"`
		Expires Time     `json:"expires"`
	}
	// GateDecided is the data of an approval: by whom, how proven, and of what.
	GateDecided struct {
		Act   GateID `json:"act"`
		Hash  string `json:"hash"`
		By    string `json:"by"`
		Proof string `json:"proof"`
		Level string `json:"level"`
	}
	// GateRefused: a person said no.
	GateRefused struct {
		Act   GateID `json:"act"`
		By    string `json:"by"`
		Proof string `json:"proof"`
		Level string `json:"level"`
	}
	// GateTakenBack: it was taken back before it began.
	GateTakenBack struct {
		Act GateID `json:"act"`
		By  string `json:"by"`
	}
	// GateTimedOut: its time was over before it began.
	GateTimedOut struct {
		Act GateID `json:"act"`
		Why string `json:"why"`
	}
	// GateBegun: an attempt begins.
	GateBegun struct {
		Act     GateID `json:"act"`
		Attempt int    `json:"attempt"`
	}
	// GateDelivered: it was done.
	GateDelivered struct {
		Act      GateID `json:"act"`
		Status   int    `json:"status"`
		Attempts int    `json:"attempts"`
		By       string `json:"by,omitempty"` // a person who found out
	}
	// GateUndone: it was surely not done.
	GateUndone struct {
		Act GateID `json:"act"`
		Why string `json:"why"`
		By  string `json:"by,omitempty"`
	}
	// GateLost: an attempt ended and nobody here can tell whether it was done.
	GateLost struct {
		Act GateID `json:"act"`
		Why string `json:"why"`
	}
)

// EventKind implements EventData.
func (GateRequested) EventKind() Kind { return EvGateRequested }
func (GateDecided) EventKind() Kind   { return EvGateApproved }
func (GateRefused) EventKind() Kind   { return EvGateDenied }
func (GateTakenBack) EventKind() Kind { return EvGateCancelled }
func (GateTimedOut) EventKind() Kind  { return EvGateExpired }
func (GateBegun) EventKind() Kind     { return EvGateSending }
func (GateDelivered) EventKind() Kind { return EvGateSent }
func (GateUndone) EventKind() Kind    { return EvGateFailed }
func (GateLost) EventKind() Kind      { return EvGateUnknown }
