// Package claude speaks Claude Code's stream-json and control protocol, the one
// its official Agent SDK speaks, from Go and without Node. It is a provider for
// package agent and works without the daemon:
//
//	for ev, err := range agent.Query(ctx, claude.New(), "prompt", agent.WithCWD(dir)) { … }
//
// It owns: the command line and environment, the credential's descriptor, what
// each line means, how each command is written, and where the agent keeps its
// history. It must not know threads, stores, doors or policy.
//
// # Facts it rests on
//
// Measured on Claude Code 2.1.332 (versions.go), against a scripted model:
//
//   - A message's uuid may be any string. It names the message in
//     command_lifecycle (queued, started, completed, cancelled) and in
//     user_message_uuids; a result is bound to messages by that list, never by
//     counting. Turns that nobody sent come without it.
//   - A repeated uuid is not run again: the same process only echoes it; a new
//     process that resumed the session says "completed" at once, which is told
//     as an empty turn. But a message that was the last row of the history when
//     the agent was killed runs again if it is sent again: ask Delivered first.
//   - The history has a user row (uuid) for a message whose turn began, and an
//     attachment (source_uuid) for one that joined a running turn. Rows reach the
//     disk some 100 ms late, so what was decoded (TurnStarted, MessageTaken)
//     counts before what Delivered says. A message that only waited in the
//     agent's memory leaves a row without an id and is gone after a resume:
//     Delivered says false, and it may be sent again.
//   - A session that was never spoken to has no transcript and can't be resumed,
//     only begun; one whose transcript holds no message yet can be neither. See
//     History.
//   - A subagent in the background may ask after its turn's result. A turn is not
//     told to have ended while a question of it is open; a question outside of
//     any turn begins one that nobody sent, which ends with it.
//   - With --replay-user-messages the agent echoes the answers we gave to its
//     questions, before what follows from them. The echo of a plan's yes tells a
//     mode that follows from our answer from one that nobody asked for.
//   - initialize.systemPrompt replaces the agent's own prompt even when empty;
//     only appendSystemPrompt is ever sent.
//   - Both descriptors take a one-shot pipe: CLAUDE_CODE_API_KEY_FILE_DESCRIPTOR
//     and CLAUDE_CODE_OAUTH_TOKEN_FILE_DESCRIPTOR. Neither the environment of a
//     command the agent runs nor /proc shows the credential then.
//
// Facts of hooks, tools and going back:
//
//   - A repeated initialize that names hooks refuses the calls whose hooks are open.
//     One that names none keeps hooks, our server and everything open; its reply
//     lists only open questions. So a re-attach names neither, and the protocol
//     tells from its own memory what else is open.
//   - An interrupt withdraws an open hook by its request, and a running call of our
//     tools by MCP's notifications/cancelled, not by its request. Both happen before
//     the turn's result. An answer that comes later is neither used nor echoed.
//   - A hook that says "allow" skips the question to the person. It is never said.
//   - A hook that nobody answers within its timeout refuses its call; at Stop the
//     turn ends with a notice. The driver's own Stop hook waits for a minute.
//   - Without sdkMcpServerManifests the MCP handshake runs over the control channel,
//     before initialize is answered. Tools are behind a search for the model unless
//     they say anthropic/alwaysLoad.
//   - cancel_async_message: the lifecycle "cancelled" comes before the reply, which
//     says false for a message that was taken or never there.
//   - stop_task: task_notification (stopped) and background_tasks_changed come before
//     the reply, which says nothing of a task that is not there. The model is told
//     with the next turn; none begins for it. background_tasks_changed also comes
//     after every repeated initialize.
//   - Scheduled wakes (CronCreate, ScheduleWakeup) are told only to a Stop hook, as a
//     whole list. They die with the process unless they were asked to be durable.
//   - file_suggestions are empty for the first second: the first question begins the
//     look. get_context_usage in full has each tool counted by the model's service.
//   - apply_flag_settings takes any effortLevel; null is the agent's default. It
//     counts from the next request on.
//   - rewind_files needs CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING, works for
//     messages of earlier processes and in forks, deletes what was made since, and
//     names files and counts only in a dry run.
//   - --resume-session-at counts from the first new message on. Until then nothing is
//     written: a later resume is at the old end, a fork has no history and is forked
//     again. It ends with a result on an unknown row. See Before.
//   - A message that the history of a fork was copied with is not run again under
//     its id, as in the conversation that it came from.
//   - A subscription's rejected window is not retried, and rate_limit_event says when
//     it resets before the result. With an API key a 429 is retried, ten times unless
//     CLAUDE_CODE_MAX_RETRIES bounds it.
//   - --tools= leaves the model none; --max-budget-usd ends the turn that crossed it
//     as failed (error_max_budget_usd) and every later one before it asks the model.
//
// What a folder brings (carries.go) is taken only with Options.FolderSettings. Without:
// --setting-sources=user, and CLAUDE.md of the folder by way of --add-dir.
//
// # Guarantees
//
// A Protocol is a fold without IO: the same lines give the same events, any
// bytes give events and no panic, and Clean says when its memory is empty.
// Requests are named "vyre-<id>-<what>", so a reply says what it replies to.
// There is no way to start or switch a session into a mode that skips asks.
//
// # Goroutines
//
// None outlive a call; Detect runs one short process.
//
// # Testing against it
//
// agent/agenttest starts the real agent on a scripted model. The tests here do,
// and testdata holds what that agent said, cut by hand.
package claude
