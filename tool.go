package vyre

// Effect says what a tool does to the world, for callers that choose.
type Effect string

// The effects.
const (
	EffectRead  Effect = "read"  // changes nothing
	EffectWrite Effect = "write" // changes Vyre's own rows
	EffectSpawn Effect = "spawn" // may start or end a process, or spend money
	EffectAdmin Effect = "admin" // keys, vault, configuration
)

// Reach says which callers may use a tool, as data.
type Reach string

// The reaches.
const (
	// ReachPerson is PERSON_ONLY: refused to every caller that is not a person.
	ReachPerson Reach = "person"
	// ReachSelf lets a person use it on anything, and a thread on itself.
	ReachSelf Reach = "self"
	// ReachOwn lets a person see everything and a thread what is its own, which the
	// tool itself narrows down; it is for lists.
	ReachOwn Reach = "own"
	// ReachAny lets any authenticated caller use it.
	ReachAny Reach = "any"
)

// DefaultMaxInput is how large the input of most tools may be, in bytes.
const DefaultMaxInput int64 = 1 << 20

// Tool is one thing Vyre can do, declared once.
type Tool struct {
	Name    string // dotted: threads.start
	Summary string // one sentence, for help and references
	Effect  Effect
	Reach   Reach
	// Decides marks an act that rests on telling a person from an agent: where this
	// machine can't (level L0), only the page may do it.
	Decides bool
	// MaxInput is the largest input in bytes; 0 means DefaultMaxInput.
	MaxInput int64
	// Presence marks an act that needs a fresh touch bound to it, once a passkey is
	// enrolled.
	Presence bool
	// Admits marks what lets somebody in as the person: where a terminal's claim is in
	// doubt it needs a touch too, or the doubt would be walked around.
	Admits bool
}
