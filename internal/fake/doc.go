// Package fake is a model API on loopback that coding agents talk to in tests
// and in `vyre try`: the Anthropic Messages API, streaming and not, with
// count_tokens. The agent is the real one; only the model behind it is scripted.
//
// # Scripts
//
// The last message a person sent is the script. Its lines run in order; a line
// that is no directive is passed over, and a message without any gets a short
// friendly answer.
//
//	say TEXT                 words
//	think TEXT               thinking
//	words N [every D]        Words(N), one delta a word, D apart (20ms)
//	stamps N [every D]       the same, each word the nanosecond at which it is written
//	tool NAME {JSON}         a tool call; lines that follow each other are one message
//	next                     ends the message, so that the next tool is one of its own
//	wait D                   a pause
//	gate NAME                holds the answer until the test opens the gate
//	stall                    the gate named "stall"
//	error STATUS [xN]        an HTTP error (N times, then it goes on; else for ever);
//	                         after the first words, an error inside the stream
//	cut [xN]                 drops the connection
//	limit warning|rejected [xN] [in D]
//	                         the headers of a subscription's limit that resets at the
//	                         next full hour, or after D; rejected is a 429
//	usage in=N out=N cache_read=N cache_write=N
//	story                    a whole little session for `vyre try`
//
// Anywhere in TEXT and in the strings of JSON, $RESULT is the text of the last
// tool result, $ANSWER what a person answered in it, $CWD the agent's working
// folder and $FILL:N a text of N bytes.
//
// After a message with tool calls
// the agent comes back with their results, and the script goes on at the next
// line. Where it stands is counted from the request itself (tool results since
// the person's message), so a script survives the death of the agent, of the
// daemon and of this server; only the xN counts live in memory.
//
// A message that joins a running turn takes over when it has directives. The
// agents' other requests (titles, summaries, background tasks that ended) are
// answered harmlessly.
//
// # Goroutines
//
// Start serves in goroutines of its own; Close ends them all and waits. Methods
// may be called from any goroutine.
//
// # Must not know
//
// Threads, the daemon, any agent's own protocol. It imports the standard
// library only; agent/agenttest offers it to tests outside this module.
package fake
