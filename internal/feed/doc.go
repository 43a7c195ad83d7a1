// Package feed lets any number of readers follow the log, each from a cursor of
// its own.
//
// # What it owns
//
// A bounded ring of the newest events, so that readers near the head never touch
// the disk, and the wake-up of those that wait. It must not know about doors,
// about what an event means, or about how the log is stored: what the ring has
// lost it asks of a Log.
//
// # Goroutines
//
// None. Publish runs on the goroutine of the log's writer, everything else on
// the reader's. No lock is held while the Log is asked.
//
// # Guarantees
//
// A reader that passes the cursor it was given gets every event that its filter
// lets through, once, in order of Seq. A wake-up carries nothing, so nothing can
// be dropped on the way to a slow reader, and a slow reader holds nobody up.
// What Publish was given can be read as soon as it returns. A cursor that can't
// be served gets the error gap, never silence and never everything.
//
// # Catching up from the start
//
// A reader that starts at 0 knows nothing, so what was pruned is no loss to it.
// While such a reader is below the floor its cursor is negative (-n: all up to
// n was given or is gone): that tells it from a reader that had been at n and
// would miss what was pruned since. A door passes cursors on as it gets them and
// takes none below 0 from outside.
//
// # Failure points
//
// Nothing is on disk. An error of the Log reaches the reader that asked; its
// cursor still holds.
//
// # Testing against it
//
// Give New a Log over a slice, and Publish.
package feed
