package e2e

// What is refused on the daemon's socket to who is found inside a session, on a session's
// own socket to who is not of it, and on the port to who has not signed in.
var (
	asThread = []string{"person_only"}
	nobody   = []string{"unauthenticated"}
)

const call1 = `$A vyre-e2e-attack call $MAIN threads.answer "$ANSWER"`

// identitySection is section A of the cases: who calls.
var identitySection = section{"A. Who calls", []attack{
	{id: "A01", what: "a child answers on the daemon's socket, changes a mode, starts a session, reads the vault's list, makes a sign-in code", want: asThread, run: call1 + `
$A vyre-e2e-attack call $MAIN threads.mode '{"thread":"'$PREY'","mode":"edits"}'
$A vyre-e2e-attack call $MAIN threads.mode '{"thread":"'$SELF'","mode":"edits"}'
$A vyre-e2e-attack call $MAIN vault.list {}
$A vyre-e2e-attack call $MAIN sign_in.code {}`},
	{id: "A01b", what: "the same on its session's own socket, where no such tool is offered", want: asThread, run: `
$A vyre-e2e-attack call $OWN threads.answer "$ANSWER"
$A vyre-e2e-attack call $OWN threads.mode '{"thread":"'$SELF'","mode":"edits"}'
$A vyre-e2e-attack call $OWN vault.list {}`},
	{id: "A01c", what: "`vyre answer` and `vyre call`, with and without VYRE_SOCKET", want: asThread, run: `
say() { if out=$("$@" 2>&1); then echo TRIED ok; else echo "$out"; echo "$out" | grep -q '"person_only"' && echo TRIED person_only || echo TRIED kernel; fi; }
say $V answer $ASK allow --json
say $V call threads.answer "$ANSWER"
unset VYRE_SOCKET
say $V answer $ASK allow --json
say $V call threads.answer "$ANSWER"
unset VYRE_THREAD
say $V call threads.answer "$ANSWER"`},
	{id: "A01d", what: "another session's own socket", want: nobody, run: `
for s in $RUNTIME/s/*/vyre.sock; do [ $s = $OWN ] || { $A vyre-e2e-attack call $s threads.answer "$ANSWER"; $A vyre-e2e-attack call $s threads.get '{"thread":"'$PREY'"}'; }; done
[ $(ls -d $RUNTIME/s/*/vyre.sock | wc -l) -gt 1 ] || echo TRIED kernel`},
	{id: "A02", what: "a child in a session of its own (setsid)", want: asThread, run: `setsid -w ` + call1},
	{id: "A03", what: "an orphan in a session of its own (setsid, double fork)", want: asThread, run: `(setsid sh -c '` + "($A vyre-e2e-attack orphan $A vyre-e2e-attack call $MAIN threads.answer \"$ANSWER\") &" + `') | cat`},
	{id: "A04", what: "the same with an empty environment and another working folder", want: asThread, run: `(cd / && env -i $A vyre-e2e-attack orphan $A vyre-e2e-attack call $MAIN threads.answer "$ANSWER") | cat`},
	{id: "A06", what: "a child in user, pid and network namespaces of its own", want: asThread, kernel: true, run: `unshare -Urpn --fork ` + call1 + ` || echo TRIED kernel`},
	{id: "A06b", what: "an orphan in namespaces of its own", want: asThread, kernel: true, run: `(unshare -Urnm --fork $A vyre-e2e-attack orphan $A vyre-e2e-attack call $MAIN threads.answer "$ANSWER"|| echo TRIED kernel) | cat`},
	{id: "A07", what: "a child that left its control group for the top one", want: asThread, kernel: true, run: `$A vyre-e2e-attack leave $A vyre-e2e-attack call $MAIN threads.answer "$ANSWER"`},
	{id: "A08", what: "an orphan that left its control group, its group and its environment", want: asThread, kernel: true, run: `$A vyre-e2e-attack leave $A vyre-e2e-attack orphan $A vyre-e2e-attack call $MAIN threads.answer "$ANSWER" | cat`},
	{id: "A11", what: "a process that asks and is gone before anybody looks, fifty times", want: []string{"no answer"}, run: `$A vyre-e2e-attack run-away $MAIN threads.answer "$ANSWER"; $A vyre-e2e-attack run-away $OWN threads.answer "$ANSWER"`},
	{id: "A12", what: "a process that becomes another program, by another name, between connecting and asking", want: asThread, run: `$A vyre-e2e-attack exec $MAIN threads.answer "$ANSWER"`},
	{id: "A13", what: "a connection that its owner left to another process and died", want: asThread, run: `$A vyre-e2e-attack pass $MAIN threads.answer "$ANSWER" | cat`},
	{id: "A13b", what: "a connection handed on as a descriptor (SCM_RIGHTS)", want: asThread, run: `$A vyre-e2e-attack give $MAIN attack/give.sock threads.answer "$ANSWER"`},
	{id: "A21", what: "an abstract socket of the daemon", want: nobody, run: `if grep -i '@.*vyre' /proc/net/unix; then echo TRIED ok; else echo TRIED unauthenticated; fi`},
	{id: "A26", what: "the port on loopback, without signing in, with an Origin of its own and with a made-up cookie", want: nobody, run: `
$A vyre-e2e-attack call $HTTP threads.answer "$ANSWER"
try() { curl -sS "$@" | tee attack/curl; grep -q '"unauthenticated"' attack/curl && echo TRIED unauthenticated || { grep -q '"code"' attack/curl && echo TRIED refused || echo TRIED ok; }; }
try -H 'Content-Type: application/json' -H "Origin: $HTTP" -d "$ANSWER" $HTTP/v1/tools/threads.answer
try -H 'Content-Type: application/json' -H 'Cookie: vyre_session_1=x' -H 'Vyre-Proof: x' -d "$ANSWER" $HTTP/v1/tools/threads.answer
try $HTTP/v1/events`},
	{id: "A27", what: "doors for outside agents that are not there (/mcp, /agents-mcp)", want: []string{"unauthenticated"}, run: `
for p in /mcp /agents-mcp; do
  curl -sS -H 'Content-Type: application/json' -H 'Authorization: Bearer x~y' -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"threads.answer","arguments":'"$ANSWER"'}}' $HTTP$p | tee attack/mcp
  grep -q '"unauthenticated"' attack/mcp && echo TRIED unauthenticated || echo TRIED ok
done`},
	{id: "A28", what: "a second session, started to answer for the first", want: asThread, run: `$A vyre-e2e-attack call $MAIN threads.start '{"provider":"claude","cwd":"/"}'; $A vyre-e2e-attack call $OWN threads.start '{"provider":"claude","cwd":"/"}'`},
	{id: "A30", what: "a descriptor of the daemon's in the agent or its children", want: nobody, run: `
if ls -l /proc/$$/fd /proc/$PPID/fd /proc/$CLAUDE_PID/fd | grep -e "$VYRE_HOME" -e "$RUNTIME" -e 'vyre.db'; then echo TRIED ok; else echo TRIED unauthenticated; fi`},

	{id: "A10", what: "every tool of a person's at every door, from the agent's Bash and from an orphan", by: "TestEveryToolOfAPerson"},
	{id: "A05", what: "the number of a dead caller given out again to a person's process", by: "TestRecycledPidOfAPeer"},
	{id: "A19", what: "the daemon killed by the agent: the ask stays, and nobody answers it", by: "TestAgentKillsTheDaemon"},
	{id: "A20", what: "the session's parent killed by the agent, and orphans that ask meanwhile", by: "TestAgentKillsItsParent"},
	{id: "A22", what: "a thousand answers to one ask at once: one counts", by: "TestThousandAnswers"},
	{id: "A23", what: "/proc that hides processes, or is not there", by: "TestHiddenProcIsNobody"},
	{id: "A29", what: "a caller from a container, or any other namespace", by: "TestAnotherNamespaceIsNobody"},

	{id: "A09", what: "a control group that the user's own service manager delegated", not: "no service manager runs for a user where this was made; the same write is tried in A07"},
	{id: "A24", what: "a kernel before 6.5, without a handle on a peer", not: "needs such a kernel; the ladder's rung is a test of its own (`TestLadder`)"},
	{id: "A25", what: "macOS", not: "no such machine; there the level is L0 and only the page answers"},

	{id: "A08b", what: "an orphan that left its control group and then killed its session's parent, as root", open: "confinement (no signal out of the session, no write to control groups); never run agents as root"},
	{id: "A13c", what: "a connection that a person's own process gives to the agent", open: "`asks.proof = always` with a passkey"},
	{id: "A14", what: "`tmux send-keys` into a terminal of the person's", open: "`asks.proof = always` with a passkey; confinement hides tmux's socket"},
	{id: "A15", what: "ssh to this machine, at, cron, systemd-run, a container with the socket bound into it", open: "`asks.proof = always` with a passkey; confinement hides the sockets, not the network"},
	{id: "A16", what: "reading Vyre's state as the same user", open: "confinement (an empty folder over it)"},
	{id: "A17", what: "reading it through another process's /proc/N/root", open: "confinement"},
	{id: "A18", what: "the daemon's memory, as root", open: "an ordinary user: the daemon is not dumpable; or confinement"},
}}
