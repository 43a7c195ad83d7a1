// Package view draws threads for a terminal: the live turn, a timeline, a
// table, and an ask with what may be answered.
//
// It owns how things look and which key means what. It must not know the
// daemon, the socket or who types: it turns values of the domain into text and
// a typed line into an answer. Every word of an agent goes through package term
// on its way out.
//
// It starts no goroutine and keeps nothing but what the live picture needs to
// avoid repeating itself; a Live belongs to one goroutine. Nothing is on disk.
//
// To test against it, draw into a buffer: the golden files under testdata are
// the look (go test -update writes them again).
package view
