package vyre

// FolderTrust is what became of the settings that a thread's folder brings, at the
// start of its process.
type FolderTrust string

// What may become of them. Empty: the folder brings none.
const (
	FolderUsed    FolderTrust = "used"    // a person allowed just these
	FolderWaiting FolderTrust = "waiting" // nobody has decided: an ask of kind trust is open
	FolderRefused FolderTrust = "refused" // a person refused just these
	FolderUnread  FolderTrust = "unread"  // they can't be shown whole, so nobody can allow them
)

// FolderTrusts lists every value once.
var FolderTrusts = []FolderTrust{FolderUsed, FolderWaiting, FolderRefused, FolderUnread}

// Brought is what a folder brings that its agent would act on: hooks, servers, addresses,
// rules. It is of one moment; the digest says of which.
type Brought struct {
	Path     string   // the folder's real path
	Also     []string // real paths of other folders whose decision counts here too: what our own work tree was made from
	Provider string
	Digest   string // hex SHA-256 over names and bytes; empty when it brings nothing
	Files    []BroughtFile
	Things   []BroughtThing
	Unread   string // why it can't be shown whole, or empty
}

// BroughtFile is one file that the digest covers.
type BroughtFile struct {
	Name   string `json:"name"` // from the folder, with slashes; ../ for one above it
	Size   int    `json:"size"` // bytes
	SHA256 string `json:"sha256"`
}

// BroughtThing is one thing that a file would have the agent do, in the file's own words.
type BroughtThing struct {
	Kind  ThingKind `json:"kind"`
	File  string    `json:"file"`
	Words string    `json:"words"`
}

// ThingKind says what a thing is.
type ThingKind string

// The kinds of things, the weightiest first.
const (
	ThingHook       ThingKind = "hook"        // a command that runs by itself
	ThingProgram    ThingKind = "program"     // another program that is run: a helper, a status line
	ThingServer     ThingKind = "server"      // an MCP server that is started or called
	ThingAddress    ThingKind = "address"     // where requests go
	ThingVariable   ThingKind = "variable"    // a variable of the agent's environment
	ThingPermission ThingKind = "permission"  // what it may do unasked
	ThingSetting    ThingKind = "setting"     // anything else
	ThingText       ThingKind = "instruction" // words for the agent: a command, a skill, a subagent
)

// ThingKinds lists every kind once, in the order in which they are shown.
var ThingKinds = []ThingKind{
	ThingHook, ThingProgram, ThingServer, ThingAddress, ThingVariable, ThingPermission, ThingSetting, ThingText,
}

// TrustDecision is a person's word on what a folder brought.
type TrustDecision struct {
	Path     string   `json:"path"` // the folder's real path
	Provider string   `json:"provider"`
	Digest   string   `json:"digest"`
	Decision Decision `json:"decision"`
	By       string   `json:"by"`
	Level    string   `json:"level"`
	At       Time     `json:"at"`
}

// EvTrustChanged is told when a decision on a folder was made or taken back.
const EvTrustChanged Kind = "trust.changed"

// TrustChanged: what a folder brings was allowed, refused, or the decision taken back.
type TrustChanged struct {
	Path     string `json:"path"`
	Provider string `json:"provider"`
	Digest   string `json:"digest"`
	Decision string `json:"decision"` // allow | deny | revoked
	By       string `json:"by"`
}

// EventKind implements EventData.
func (TrustChanged) EventKind() Kind { return EvTrustChanged }
