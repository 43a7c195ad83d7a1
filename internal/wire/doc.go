// Package wire frames messages on byte streams: newline-delimited JSON with
// limits. It owns the framing alone and knows no vendor and no message.
//
// A frame ends at byte 0x0A and at nothing else: U+2028, U+0085 and 0x0D occur
// inside JSON strings and between frames, and readers that split there lose
// messages. A frame over the limit is cut and counted, and the next one is read
// in step: one huge line never ends a session.
//
// It starts no goroutine. A Reader belongs to one goroutine; a Writer may be
// used by many. To test against it, use a pipe or a bytes.Reader.
package wire
