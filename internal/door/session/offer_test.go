package session

import "testing"

// Everything that is offered has a reason, and a name that agents take, the server's
// before it, once.
func TestListIsReasoned(t *testing.T) {
	const server, longest = "mcp__vyre__", 64
	seen := map[string]bool{}
	for _, x := range table {
		name := wireName(x.tool)
		if len(x.reason) < len("a reason") {
			t.Errorf("%s is offered for no reason", x.tool)
		}
		if seen[name] || len(server+name) > longest {
			t.Errorf("%q can't be its name", name)
		}
		seen[name] = true
	}
}
