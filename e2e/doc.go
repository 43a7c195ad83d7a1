// Package e2e holds the tests of the whole: the built vyre, as a process, with
// its shims and the pinned real Claude Code on the loopback model API.
//
// It owns no product code. Each test has a home of its own, a hermetic HOME for
// the agent, and a free port; daemons are ended with SIGKILL as often as
// politely. At the end of a test nothing that it started may be left: the
// harness ends the threads it made and checks their control groups and pids.
//
// Run it with `make test`, or `go test ./e2e` once `make build agents` has run.
package e2e
