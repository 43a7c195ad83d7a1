// Package trust reads what a folder brings that an agent would act on, and says by a
// digest which it was.
//
// # Owns
//
// Finding the files at the places that a driver names, reading them within bounds, the
// digest over names and bytes, and the words that a person is shown. It must not know
// threads, asks, decisions or the store: who decided what is the engine's.
//
// # What counts
//
// A folder goes by its real path, that of this tree alone: no link and no file of git is
// followed to another one whose decision would count. Names are told from the folder
// (../ for one above it), so the same files in another place have the same digest; whose
// decision counts is for the caller, who gives the paths.
//
// Files that do something are in the digest with their bytes. Words for the agent that
// bring nothing else (a command, a skill, a subagent without rights of its own) are
// listed and not in it: they may change like a CLAUDE.md. What can't be read or shown
// whole is never trusted: then Brought.Unread says why.
//
// # Guarantees
//
// Reading is bounded: so many files, so many bytes, nothing that is no regular file is
// opened for long (a FIFO would hold it). It starts no goroutine and writes nothing.
// Its answer is of one moment; whoever launches an agent looks once more afterwards.
//
// # Testing against it
//
// Make folders and call Look.
package trust
