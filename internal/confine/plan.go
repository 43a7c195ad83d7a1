package confine

// Parts are parts of a confinement, as bits.
type Parts uint8

// The parts; the package comment says what each closes.
const (
	Mount Parts = 1 << iota
	Caps
	Files
	Scope
	Calls

	All = Mount | Caps | Files | Scope | Calls
)

var partNames = []struct {
	part Parts
	name string
}{{Mount, "mount"}, {Caps, "caps"}, {Files, "files"}, {Scope, "scope"}, {Calls, "calls"}}

// Has reports whether all of other are in p.
func (p Parts) Has(other Parts) bool { return p&other == other }

// Names lists the parts in their order.
func (p Parts) Names() []string {
	names := []string{}
	for _, n := range partNames {
		if p.Has(n.part) {
			names = append(names, n.name)
		}
	}
	return names
}

// Plan says how a session is shut in. Paths are absolute. The zero plan shuts
// nothing in.
type Plan struct {
	Parts    Parts
	Fallback bool // without Mount where the kernel grants no namespace now
	Debug    bool // the session's processes may trace each other and write each other's memory

	ReadOnly []string // can't be changed, renamed or removed; what is missing is passed over
	Writable []string // folders within ReadOnly that stay as they are; missing ones are passed over
	Cover    []string // folders that exist; seen empty
	Back     []string // folders within Cover that are seen all the same
	Side     []string // folders that are made where they are missing, and seen empty
	Copies   []string // folders whose files are seen as this user's own (user namespace only)
}

// Command is what runs inside.
type Command struct {
	Path string
	Args []string // with argv[0]
	Env  []string
	Dir  string
}

// Held is what of a plan holds for a process that was started.
type Held struct {
	Parts Parts
	Open  []string // side folders that could not be covered, with the reason
}

// StageName is argv[0] of the program as a stage.
const StageName = "vyre-confine"

// IsStage reports whether a program was started to be a stage.
func IsStage(args []string) bool { return len(args) > 0 && args[0] == StageName }

// refused begins the text of an error of the confinement itself; others are the
// agent's program's.
const refused = "it can't be shut in: "

// Error is why a process was not started.
type Error struct {
	Text     string
	Confined bool // the confinement failed, not the program
}

// Error implements error.
func (e *Error) Error() string {
	if e.Confined {
		return refused + e.Text
	}
	return e.Text
}

// IsRefusal reports whether the text of an error is about the confinement. It is
// for who got it over a wire.
func IsRefusal(text string) bool { return len(text) >= len(refused) && text[:len(refused)] == refused }
