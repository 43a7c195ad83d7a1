package vyre

// VaultWrite puts (Sealed not nil) or deletes an item of the vault. Sealed is
// ciphertext: the store never sees a value. What the item had stays beside it,
// sealed, as an earlier version.
type VaultWrite struct {
	Name    string
	Version int // of what is put, from 1
	Sealed  []byte
	At      Time
}

// VaultItem is what may be known of an item of the vault.
type VaultItem struct {
	Name    string
	Version int
	Created Time
	Updated Time
	Used    Time // when its value was last handed out; zero: never
}

// HolderKind says to what sort of thing an item is granted.
type HolderKind string

// The kinds of holders.
const (
	HolderThread  HolderKind = "thread"
	HolderProject HolderKind = "project" // every thread of a project, by its folder
	HolderAgent   HolderKind = "agent"   // every thread of an agent, by its name
	HolderModule  HolderKind = "module"
)

// HolderKinds lists every kind once.
var HolderKinds = []HolderKind{HolderThread, HolderProject, HolderAgent, HolderModule}

// VaultGrant lets a holder have an item's value, until it is taken back.
type VaultGrant struct {
	Name    string     `json:"name"`
	Kind    HolderKind `json:"kind"`
	Holder  string     `json:"holder"`
	By      string     `json:"by"`
	Proof   string     `json:"proof"`
	Level   string     `json:"level"`
	Created Time       `json:"created"`
}

// VaultUse notes that an item's value was handed out.
type VaultUse struct {
	Name string
	At   Time
}

// VaultRequestState is how an agent's request for an item stands.
type VaultRequestState string

// The states of a request.
const (
	VaultAsked    VaultRequestState = "open"
	VaultGranted  VaultRequestState = "granted"
	VaultDeclined VaultRequestState = "declined"
)

// VaultRequestStates lists every state once.
var VaultRequestStates = []VaultRequestState{VaultAsked, VaultGranted, VaultDeclined}

// VaultRequest is an agent's question for an item of the vault. Only a person decides it.
type VaultRequest struct {
	ID      string            `json:"request"`
	Thread  ThreadID          `json:"thread"`
	Name    string            `json:"name"`
	Why     string            `json:"why"` // the agent's words
	State   VaultRequestState `json:"state"`
	Created Time              `json:"created"`
	By      string            `json:"by"` // who decided, or empty
	At      Time              `json:"at"` // of the decision
}

// The kinds of the vault's events.
const (
	EvVaultChanged   Kind = "vault.changed"
	EvVaultGranted   Kind = "vault.granted"
	EvVaultRevoked   Kind = "vault.revoked"
	EvVaultUsed      Kind = "vault.used"
	EvVaultRequested Kind = "vault.requested"
	EvVaultDecided   Kind = "vault.decided"
)

// The data of the vault's events. None holds a value.
type (
	// VaultChanged: an item was put, rotated or deleted.
	VaultChanged struct {
		Name    string `json:"name"`
		Act     string `json:"act"` // put | rotate | delete
		Version int    `json:"version,omitempty"`
		By      string `json:"by"`
	}
	// VaultGrantedData: a holder may have an item's value.
	VaultGrantedData struct {
		Name   string     `json:"name"`
		Kind   HolderKind `json:"kind"`
		Holder string     `json:"holder"`
		By     string     `json:"by"`
		Proof  string     `json:"proof"`
		Level  string     `json:"level"`
	}
	// VaultRevokedData: a holder may not have it any more. What it has, it has.
	VaultRevokedData struct {
		Name   string     `json:"name"`
		Kind   HolderKind `json:"kind"`
		Holder string     `json:"holder"`
		By     string     `json:"by"`
	}
	// VaultUsedData: an item's value was handed to a command of a session.
	VaultUsedData struct {
		Name    string `json:"name"`
		Version int    `json:"version"`
		By      string `json:"by"` // to whom
	}
	// VaultRequested: an agent asks for an item.
	VaultRequested struct {
		Request string `json:"request"`
		Name    string `json:"name"`
		Why     string `json:"why"`
	}
	// VaultDecided: a request was decided.
	VaultDecided struct {
		Request string            `json:"request"`
		Name    string            `json:"name"`
		State   VaultRequestState `json:"state"` // granted | declined
		By      string            `json:"by"`
	}
)

// EventKind implements EventData.
func (VaultChanged) EventKind() Kind     { return EvVaultChanged }
func (VaultGrantedData) EventKind() Kind { return EvVaultGranted }
func (VaultRevokedData) EventKind() Kind { return EvVaultRevoked }
func (VaultUsedData) EventKind() Kind    { return EvVaultUsed }
func (VaultRequested) EventKind() Kind   { return EvVaultRequested }
func (VaultDecided) EventKind() Kind     { return EvVaultDecided }
