// Package suggest finds the files of a folder that a person who types a few letters
// may mean.
//
// It owns nothing on disk and starts no goroutine. It must not know threads or
// agents. In a git work tree git says which files there are (those it knows and those
// it would not ignore), else the folder is walked within bounds, without the folders
// that builds and tools fill. Everything is read through os.Root: a link that leads
// out of the folder is not followed. A call is bounded in time and in what it looks
// at; what it can't reach by then is not suggested.
//
// Test it on a folder; Rank is pure.
package suggest
