// Package sqlite keeps everything that Vyre writes down in one SQLite file:
// threads and what belongs to them, and the log of events.
//
// # What it owns
//
// The file, its -wal and -shm (all 0600), the schema (migrations/), the numbers
// of events and their hash chain. It is the only importer of database/sql. It
// must not know what a row means: it keeps no state table, asks no process
// anything, decides nothing.
//
// # Goroutines
//
// Open starts none of its own. Run is the writer, which alone touches the writing
// connection, and starts three more that end before it returns: the pruner, which
// finds old events on a reading connection and hands their removal to the writer;
// the checkpointer, which copies the write-ahead log back beside the writer; and
// one that waits for Close. database/sql keeps a goroutine for each pool until
// Close.
//
// # Guarantees
//
// One Commit is atomic. Commits that wait at the same time become one SQL
// transaction, applied in the order in which they came; one that fails is undone
// alone and only its caller hears of it. If any of them is Durable the
// transaction is fsynced (synchronous=FULL), and then all of them are, and all
// before them.
//
// Events get their numbers from the writer: one after another without a gap
// within one Run, and never twice, also after a power cut. For that a mark
// ahead of the numbers in use is made durable in the same transaction that first
// goes beyond the old one; a start goes on after the mark, and a clean Close
// sets the mark to the last number used.
//
// Options.OnCommit is called by the writer after each transaction, before the
// Commit calls of that transaction return.
//
// Readers never block the writer and the writer never blocks them (WAL).
//
// # Failure points
//
//   - Killed, or power cut, before SQLite's commit: nothing of the transaction
//     is there after the next Open, and nobody was told that it is.
//   - Killed after it, before the callers were told: it is all there.
//   - Power cut after a commit that was not Durable: that commit and later ones
//     that were not Durable may be gone, as a tail; the log still verifies, and
//     the lost numbers are not given again.
//   - Full disk: the transaction is undone, every Commit in it gets no_space,
//     and reading goes on. The next Commit simply tries again; nothing needs to
//     be repaired or opened anew.
//
// # Testing against it
//
// Open a file in t.TempDir and run it; there is no fake. Options.Now is the
// clock of events and of pruning.
package sqlite
