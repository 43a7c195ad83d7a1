//go:build !failpoints

package fail

// Enabled says whether this build honours VYRE_FAIL.
const Enabled = false

// Point marks a place; this build never dies there.
func Point(string) {}

// ForChild returns what has to be added to a child's environment so that its
// points are honoured too. Nothing, in this build.
func ForChild() []string { return nil }
