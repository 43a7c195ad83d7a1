// Package term is the terminal: what may be written to it, how it looks, and
// what a person types.
//
// It owns the rules by which words of an agent become safe to print (Clean,
// Line, Visible, JSON), the look (Style: colours and signs only where they work),
// the printer that keeps two streams on one screen apart (Out), and reading
// lines and single keys (Input). It must not know threads, asks or the daemon.
//
// It starts no goroutine that outlives a call. An Input belongs to one reader at
// a time; an Out to one goroutine.
//
// Guarantees: no byte below 0x20 other than newline and tab, no 0x7F, no C1
// control and no bidirectional override that an agent wrote reaches a terminal
// through Clean, Line or Visible; Visible can be read back, so two different
// texts never look the same; a key that was typed before Settle returned is
// never returned by Key.
//
// Nothing is on disk. To test against it, hand Input the reading end of an
// os.Pipe (lines) or of a pseudo terminal (keys).
package term
