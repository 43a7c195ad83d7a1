package session

// offered is one tool that sessions are offered.
type offered struct {
	tool    string
	unasked bool // the agent may use it without a question to a person
	reason  string
}

// table is everything an owned session is offered. A tool that only a person may
// use is never in it: the registry would refuse it, and a test holds the list to
// that. What is unasked tells the session about itself or gives back what is its own.
var table = []offered{
	{"threads.get", true, "a session may know its own name, mode, model and what it has cost"},
	{"threads.items", true, "it may read its own timeline, also of what was compacted away"},
	{"threads.queue", true, "it may see what waits for it, so that it can finish sensibly"},
	{"threads.tasks", true, "it may see its own work in the background"},
	{"threads.rename", true, "a name that says what the thread became helps its person; it can be set back"},
	{"gate.request", true, "it is how anything leaves the machine: asking changes nothing, and a person decides"},
	{"gate.list", true, "it may see what it asked for, and how that went"},
	{"gate.get", true, "it may see one act that it asked for, and how that went"},
	{"gate.cancel", true, "it may take back what it asked for"},
	{"sessions.slots", true, "it may take a place for a teammate and must be able to give it back"},
	{"vault.request", true, "it only asks the person and learns yes or no; no value comes into the conversation"},
}
