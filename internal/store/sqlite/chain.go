package sqlite

import (
	"crypto/sha256"
	"encoding/binary"

	"vyre"
)

// hash is one link of the chain, or the hash of an event's data. The link before
// the first event is zero.
type hash = [sha256.Size]byte

// link makes the chain's next link. It covers the data by its hash alone, so the
// data can go and the chain still be checked. Every text in the header has its
// length before it: no two headers read the same.
func link(before hash, e *vyre.Event, data hash) hash {
	var room [320]byte
	b := append(room[:0], before[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(e.Seq))
	b = binary.BigEndian.AppendUint64(b, uint64(e.TS))
	for _, s := range [...]string{string(e.Kind), string(e.Thread), string(e.Turn)} {
		b = binary.BigEndian.AppendUint32(b, uint32(len(s)))
		b = append(b, s...)
	}
	b = append(b, data[:]...)
	return sha256.Sum256(b)
}
