package agent

import (
	"crypto/sha256"
	"fmt"
	"regexp"

	"vyre"
)

var uuidPattern = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)

// WireID is the name a message goes by at the agent: its id where that is a
// UUID, else a UUID (version 8) made from it. Events name messages by this id,
// as a protocol keeps no list of what was sent; compare with WireID(message).
func WireID(id vyre.MessageID) vyre.MessageID {
	if uuidPattern.MatchString(string(id)) {
		return id
	}
	h := sha256.Sum256([]byte("vyre message\x00" + string(id)))
	h[6], h[8] = h[6]&0x0f|0x80, h[8]&0x3f|0x80
	return vyre.MessageID(fmt.Sprintf("%x-%x-%x-%x-%x", h[0:4], h[4:6], h[6:8], h[8:10], h[10:16]))
}
