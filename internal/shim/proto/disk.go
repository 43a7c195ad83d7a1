package proto

import (
	"strconv"
	"strings"
)

// Names of what a session's folder holds. Files are 0600, folders 0700.
const (
	SpoolDir   = "spool"      // segments of the agent's output
	StderrFile = "stderr.log" // the agent's last words …
	StderrOld  = "stderr.old" // … and what came before them
	ExitFile   = "exit.json"  // how the agent exited; there as soon as that is known
	RecordFile = "shim.json"  // who the parent and the agent are
	LockFile   = "lock"       // locked (flock) as long as the parent lives: its descriptor 4
)

// StderrKeep is how many bytes of the agent's stderr are kept at least, once
// it wrote as many; the two files together never hold more than twice this.
const StderrKeep = 64 << 10

const segmentDigits = 16

// SegmentName is the name of the segment that begins at a spool offset.
func SegmentName(start int64) string {
	d := strconv.FormatInt(start, 10)
	if len(d) < segmentDigits {
		d = strings.Repeat("0", segmentDigits-len(d)) + d
	}
	return d + ".log"
}

// ParseSegmentName gives the offset back.
func ParseSegmentName(name string) (start int64, ok bool) {
	d, ok := strings.CutSuffix(name, ".log")
	if !ok || len(d) < segmentDigits {
		return 0, false
	}
	for _, c := range []byte(d) {
		if c < '0' || c > '9' {
			return 0, false
		}
	}
	start, err := strconv.ParseInt(d, 10, 64)
	return start, err == nil && SegmentName(start) == name
}

// Exit is what ExitFile holds.
type Exit struct {
	Code   int    `json:"code"`   // -1 for a signal
	Signal int    `json:"signal"` // number, or 0
	Last   uint64 `json:"last"`   // number of the last frame that was wholly written
	Empty  bool   `json:"empty"`  // no descendant is left: proven by the parent, which reaped them
}

// JSON gives the file's content. By hand, as the parent links no encoder.
func (e Exit) JSON() []byte {
	b := append([]byte(`{"code":`), strconv.Itoa(e.Code)...)
	b = append(append(b, `,"signal":`...), strconv.Itoa(e.Signal)...)
	b = append(append(b, `,"last":`...), strconv.FormatUint(e.Last, 10)...)
	b = append(append(b, `,"empty":`...), strconv.FormatBool(e.Empty)...)
	return append(b, "}\n"...)
}

// Record is what RecordFile holds. It lets a daemon that knows nothing but the
// session's folder find the parent, and the agent when the parent is gone.
type Record struct {
	BootID     string `json:"boot"`
	PID        int    `json:"pid"`
	StartTime  uint64 `json:"start"`
	Agent      int    `json:"agent"` // 0 until the agent runs
	AgentStart uint64 `json:"agent_start"`
}

// JSON gives the file's content. A boot id has only letters, digits and "-".
func (r Record) JSON() []byte {
	b := append([]byte(`{"boot":"`), r.BootID...)
	b = append(append(b, `","pid":`...), strconv.Itoa(r.PID)...)
	b = append(append(b, `,"start":`...), strconv.FormatUint(r.StartTime, 10)...)
	b = append(append(b, `,"agent":`...), strconv.Itoa(r.Agent)...)
	b = append(append(b, `,"agent_start":`...), strconv.FormatUint(r.AgentStart, 10)...)
	return append(b, "}\n"...)
}
