// Package disk is what the rules may ask of this machine's disk: where a path
// leads, and which names are one file.
//
// It owns policy's port Files over the system's own calls. It must not know any
// rule. It starts no goroutine, keeps nothing, writes nothing and never fails:
// what it can't tell it says so. What it says holds for the moment; a link that is
// changed afterwards is the confinement's to hold.
//
// Test it on a folder of links.
package disk
