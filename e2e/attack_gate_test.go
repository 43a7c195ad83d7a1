package e2e

// gateTry calls a tool of the gate as the session, and says what it was refused with.
const gateTry = `
try() { $V call "$1" "$2" > out.gate 2>&1 && echo TRIED ok || sed -n 's/.*"code":"\([a-z_]*\)".*/TRIED \1/p' out.gate; }
$V call gate.request '{"kind":"http","target":"https://example.invalid/x","payload":"p","summary":"an attack"}' > mine.gate
A=$(sed -n 's/.*"act":"\([a-z0-9]*\)".*/\1/p' mine.gate) H=$(sed -n 's/.*"hash":"\([0-9a-f]*\)".*/\1/p' mine.gate)
`

// gateSection is the cases of letter G.
var gateSection = section{title: "G. Acts that leave the machine", attacks: []attack{
	{
		id: "G00a", what: "an agent approves its own act, with the right hash", want: []string{"person_only"},
		run: gateTry + `try gate.approve "{\"act\":\"$A\",\"hash\":\"$H\"}"`,
	},
	{
		id: "G00b", what: "an agent denies, and says how an unknown act went", want: []string{"person_only"},
		run: gateTry + `try gate.deny "{\"act\":\"$A\"}"; try gate.settle "{\"act\":\"$A\",\"outcome\":\"sent\"}"`,
	},
	{
		id: "G00c", what: "an act that goes to a cloud's metadata, to this machine unsaid, or with a credential in it", want: []string{"invalid"},
		run: gateTry + `try gate.request '{"kind":"http","target":"https://169.254.169.254/latest","summary":"s"}'
try gate.request '{"kind":"http","target":"http://127.0.0.1:80/","summary":"s"}'
try gate.request '{"kind":"http","target":"https://example.com/","summary":"s","options":{"headers":{"Authorization":"Bearer x"}}}'`,
	},
	{
		id: "G00d", what: "a push of a repository that is not the thread's, and one to a folder whose hooks would run here", want: []string{"invalid"},
		run: gateTry + `try gate.request '{"kind":"git.push","target":"https://example.invalid/x","summary":"s","options":{"repo":"/etc","ref":"refs/heads/x","commit":"HEAD"}}'
try gate.request "{\"kind\":\"git.push\",\"target\":\"$PWD\",\"summary\":\"s\",\"options\":{\"repo\":\"$PWD\",\"ref\":\"refs/heads/x\",\"commit\":\"HEAD\"}}"`,
	},
	{id: "G01", what: "the daemon dies after the yes and before the attempt", by: "TestDieAtEachStepOfAnAct"},
	{id: "G02", what: "the daemon dies after the attempt and before its outcome is written", by: "TestDieAtEachStepOfAnAct"},
	{id: "G03", what: "one request comes twice", by: "TestRequestTwice"},
	{id: "G05", what: "a yes after the act's time, a no, or the session's end", by: "TestLateYes"},
	{id: "G06", what: "a yes to other bytes", by: "TestLateYes"},
	{id: "G07", what: "the other side says 500 and did it", by: "TestUnknownOutcome"},
	{id: "G08", what: "1,000 yeses at once", by: "TestOneEffect"},
	{id: "G09", what: "the gate does not run", by: "TestGateIsDown"},
	{id: "G10", what: "the agent sends by another way (curl)", open: "nothing here closes the network to a session; such a command is asked about, and the card says so"},
	{id: "G11", what: "the clock jumps while an act waits, and the machine starts anew", by: "TestClockJump, TestLateYes"},
	{id: "G12", what: "an act is taken back at the last moment", by: "TestCancelAtTheLastMoment"},
}}
