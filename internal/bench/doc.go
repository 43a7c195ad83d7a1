// Package bench measures what a person or a peer's page would hold us to: size,
// memory, time to ready, time from a token to a reader, CPU a delta, commits a
// second.
//
// It owns no product code and nothing imports it; it runs the built bin/vyre as a
// process, with the real agent on the loopback model API. The machine it runs on
// is noisy, so what counts is the comparison within one run: against a raw reader
// of the agent's output, against one caller, against an empty store. It must not
// know how any room works. It starts processes and ends each of them; its
// goroutines are callers that one measurement waits for.
//
// `make bench` prints the table; with VYRE_UPDATE=1 it also writes
// docs/reference/bench.md. To test against it there is nothing: it has no API.
package bench
