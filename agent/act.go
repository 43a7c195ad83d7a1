package agent

import "vyre"

// Act is one thing that a tool call would do; the words are the domain's, as
// rules speak them too.
type Act = vyre.Act
