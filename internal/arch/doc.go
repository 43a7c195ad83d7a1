// Package arch holds the walls of the house as tests: who may import whom and
// why, sizes, package docs, the dependency list, and words that may stand
// nowhere. It has no other code.
//
// It owns the tables in its test files; each row carries the reason that the
// failing test prints. It must not know what any room does: it reads source
// text only, and imports the standard library alone. It starts no goroutine
// and writes nothing.
//
// A wall that is in the way is moved by changing its row, with the reason, in
// the same change (and an ADR where the arrows change).
//
// To test a wall, break it: `go test ./internal/arch` takes a few seconds.
package arch
