// Claudepeer is a program that speaks Claude Code's stream-json protocol and does
// what a message's lines say: a light protocol peer for load, where fifty of the
// real agent would not fit the machine and would be what is measured.
//
// It owns the words of that protocol as far as a turn, an ask, an interrupt and a
// reconnect need them. It must not share code with the driver that it is the peer
// of: the standard library alone. What is true of the real agent is proved on the
// real one; this one only stands in for many of it.
//
// # Scripts
//
//	say TEXT                words, in one delta
//	words N [every D]       the words w1 … wN, one delta each, D apart
//	append FILE             asks for a tool that adds the line "x" to FILE in the
//	                        session's folder; allowed it does, denied it says so
//	hold                    waits until the turn is interrupted
//
// It keeps a transcript as the agent does (<config>/projects/peer/<session>.jsonl),
// so that a resume and the question what was delivered find one.
//
// In a folder with a file "real-agent" it becomes the program that
// $CLAUDEPEER_REAL names.
//
// # Goroutines
//
// One reads its input, one runs turns; both end when its input ends. On disk is
// what its scripts append and the transcript. Test it by what it is used for.
package main
