package httpout

import (
	"net/url"

	"vyre"
)

// Label implements gate.Sender: the address without its query, which may be a secret.
func (s *Sender) Label(a vyre.GateAct) string {
	u, err := url.Parse(a.Target)
	if err != nil {
		return "?"
	}
	label := u.Scheme + "://" + u.Host + u.EscapedPath()
	if len(label) > 200 {
		label = label[:200] + "…"
	}
	return label
}

// Warn implements gate.Sender.
func (s *Sender) Warn(a vyre.GateAct) []string {
	var out []string
	u, err := url.Parse(a.Target)
	if err != nil {
		return []string{"its address can't be read"}
	}
	switch here, near := place(u.Hostname()); {
	case here:
		out = append(out, "It goes to this machine itself.")
	case near:
		out = append(out, "It goes to a machine of your own network.")
	case a.Options.Private:
		out = append(out, "Its name may lead to this machine or to your own network, and the act says that it may go there.")
	}
	if s := a.Options.Secret; s != nil {
		out = append(out, "The value of the vault item "+s.Item+" goes with it, in the header "+s.Header+". Whoever receives it has that value.")
	}
	if !a.Idempotent {
		out = append(out, "It is attempted once. If no clear answer comes, nobody here can tell whether it was done.")
	}
	return out
}
