// Package agenttest runs the real agent in tests: a home of its own for each
// test, the scripted model API in front of it, and the pinned program.
//
//	api := agenttest.API(t)
//	home := agenttest.Claude(t, api)
//	for ev, err := range agent.Query(t.Context(), claude.New(), "say hello", home.Options()...) { … }
//
// The script language is that of ModelAPI (see Start's package): lines such as
// "say TEXT", "words N every D", "tool NAME {JSON}", "gate NAME", "error 529 x2".
// Nothing leaves the machine: the agent gets the API's address, a dummy key and
// an environment that names nothing of the person's.
//
// The program is the one that VYRE_TEST_CLAUDE names, else the pinned one that
// `make agents` puts into agents/ of the repository. Where there is none the
// test fails and says so: it never passes by not running.
//
// It starts no goroutine but the API's, which ends with the test.
package agenttest
