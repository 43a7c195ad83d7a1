// Package attach keeps the files that go with messages, where agents may read them.
//
// # What it owns
//
// <home>/attach/<id>/file/<name> and <home>/attach/<id>/meta.json, 0700 and 0600. The
// id is a hash of name, media type and content, so the same file is kept once. It
// must not know messages, threads or doors: which ids are in use is asked of its caller.
//
// # What is on disk when
//
// A file is written under a temporary name, synced and renamed: it is there whole or
// not at all. What a death leaves half-written is removed by the next Sweep.
//
// # Guarantees
//
// A path that is attached is copied. It is opened without waiting for a FIFO and
// without a device's side effects, and only a regular file is read, up to MaxSize.
// Sweep removes no attachment that was looked up within the grace period, so a message
// that is being stored does not lose its files.
//
// It starts no goroutine.
//
// # Testing against it
//
// It needs a folder and a clock.
package attach
