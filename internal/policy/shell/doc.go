// Package shell takes a command line apart: which commands it runs, with which
// words, where, and what it redirects.
//
// # Owns
//
// The reading of Bash text (with mvdan.cc/sh's parser, which nothing else here
// imports), what a word's value is where it is certain, and in which folders a
// command may run. A kind of node that it does not know, a word whose value
// depends on anything but the text, and text that it can't read are said to be
// so, never guessed.
//
// # Must not know
//
// Which commands are harmless, which files are protected, what is decided: that
// is package policy's. It does no IO.
//
// # Goroutines and guarantees
//
// It starts no goroutine and keeps no state. It never panics. The parser goes
// down one level of its stack for each nested construct, so text with too many
// of them is refused before it is parsed: a megabyte of "(" would end the
// program otherwise (tried).
//
// # Testing against it
//
// Call Parse; there is nothing to fake.
package shell
