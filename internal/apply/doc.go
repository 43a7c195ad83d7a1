// Package apply makes one edit of a file by a person's hand: an edit that an agent
// wanted, may not make itself, and that the person wants all the same.
//
// # Owns
//
// What edits make of a file, and writing just that. It must not know agents, asks or
// who calls: which edit it is and who may have it made is decided elsewhere.
//
// # Guarantees
//
// Plan changes nothing. Write makes the file what the plan shows, or leaves it as it
// was: the new content is written beside it and put in its place at once. A file that
// is another one since the plan was made (its content, or a link anywhere on its way)
// is not written: the folder is opened without following any link. What is written
// already is no error. It starts no goroutine and keeps no state.
//
// # What is on disk when
//
// When Write returns, the file and its folder are on disk. A death in between leaves at
// most a file named .vyre-* beside it.
//
// # Testing against it
//
// Call it on a folder of the test's.
package apply
