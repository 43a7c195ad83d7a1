package agent

import "vyre"

// Brokered is what a Provider implements whose agent can be told another address of
// its vendor. A broker there adds the credential, so that the agent never has it.
type Brokered interface {
	Brokering() Brokering
}

// Brokering says how an agent's requests pass a broker.
type Brokering struct {
	Env  string // the variable of the vendor's address
	Base string // the vendor's address where the person names none
	// Asks are what may be asked there, as "METHOD /path", without a query.
	Asks []string
	// Keys say how each kind of credential is shown.
	Keys map[CredentialKind]BrokerKey
	// Count adds what a part of an answer says of usage: a line of a stream (without
	// its "data: ") or a whole answer. It passes over what it does not know.
	Count func(part []byte, u *vyre.Usage)
}

// BrokerKey is how a credential is shown in a request.
type BrokerKey struct {
	Header string
	Prefix string // before the credential: "Bearer "
	Like   string // how a key of this kind begins, for one that the agent takes
}
