// Package redact replaces secrets in text before it is written anywhere.
//
// # Owns
//
// The normal form in which text and secrets are compared, the forms of a secret
// that are looked for, and how a found one is written: "[redacted:<item name>]".
//
// # What is found
//
// The exact value of an item: as it is, in base64 (both alphabets, at each of the
// three alignments, so also inside of something longer), in hex, percent-encoded
// and escaped as in JSON, each of the last two any number of times and mixed. Each
// is found whatever its case and whatever white space lies in it (base64 wraps its
// lines). Of a value of several lines each line of lineMin characters or more is
// looked for on its own.
//
// It is done by comparing normal forms in one pass: escapes are decoded, white
// space, '+', '-' and backslashes dropped, '_' read as '/', letters as small ones.
// What is found in normal form is replaced at its place in the text; characters at
// a secret's ends that the normal form drops may stay.
//
// # What is not
//
// A value whose normal form is shorter than MinLength (MinWord where it has letters
// alone) or has fewer than MinVariety different bytes: it would be found in text that
// has nothing to do with it. A value
// that was changed in another way (reversed, compressed, encrypted, cut in pieces,
// base64 of base64). So this keeps secrets out of records by default; it is no wall
// against an agent that means to write one down.
//
// # Must not know
//
// The vault, rows, events or agents: it is handed names and values.
//
// # Goroutines and guarantees
//
// It starts no goroutine. A Redactor never changes and may be used from any. A Live
// may too; a Stream belongs to one goroutine. Work is linear in the text whatever it
// holds (Aho and Corasick's automaton). A stream never gives out a byte that may be
// the start of a secret, and gives all others at once.
//
// A Redactor holds the normal forms of the values in memory.
//
// # Testing against it
//
// New with made-up secrets; FuzzNormal and the property tests say what must hold of
// any text.
package redact
