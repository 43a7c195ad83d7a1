package proto

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// page is the page of the protocol.
const page = "../../../docs/shim-protocol.md"

// frozen is the hash of version 2's page. It changes for a correction of the
// words only; a message that changes is a new version with a page of its own.
const frozen = "58c7afff4737d05123db19df9906f75a5107451992787a9652ecf7badf0a36ee"

// examples are one message of each type, as they have to look for ever.
func examples() string {
	status := Status{
		Phase: PhaseExited, Flags: FlagDrained | FlagLeft, AgentPID: 4321,
		Last: 7, End: 1000, Released: 900, Code: -1, Signal: 9,
	}
	ident := Identity{Version: Version, PID: 1234, PGID: 1234, SID: 1234, StartTime: 567890, BootID: "b00t"}
	spec := Spec{
		Token: []byte("token"), Socket: "/r/s", Dir: "/d", Path: "/a", Args: []string{"/a", "-x"}, Env: []string{"A=1"},
		CWD: "/w", OneShot: [][]byte{[]byte("secret")}, Segment: DefaultSegment, Bound: DefaultBound,
		Orphan: DefaultOrphan, Leftovers: DefaultLeftovers, TermGrace: DefaultTermGrace,
		Confine: []byte("plan"),
	}
	var b strings.Builder
	line := func(name string, m []byte) { fmt.Fprintf(&b, "    %-9s %s\n", name, hex.EncodeToString(m)) }
	line("spec", AppendMessage(nil, TypeSpec, 1, spec.Append(nil)))
	line("hello", AppendMessage(nil, TypeHello, 1, Hello{Min: MinVersion, Max: Version, Token: []byte("token")}.Append(nil)))
	line("welcome", AppendMessage(nil, TypeOK, 1, status.Append(ident.Append(nil))))
	line("go", AppendMessage(nil, TypeGo, 2, nil))
	line("pid", AppendMessage(nil, TypeOK, 2, Running{PID: 4321, Held: []string{"mount"}, Open: []string{"/t"}}.Append(nil)))
	line("frame", append(AppendFrameHeader(nil, 3, 7, 3), "hi\n"...))
	line("signal", AppendMessage(nil, TypeSignal, 4, Signal{Scope: ScopeTree, Number: 15}.Append(nil)))
	line("status", AppendMessage(nil, TypeStatus, 5, nil))
	line("release", AppendMessage(nil, TypeRelease, 6, AppendOffset(nil, 900)))
	line("end", AppendMessage(nil, TypeEnd, 7, nil))
	line("committed", AppendMessage(nil, TypeCommitted, 9, AppendOffset(nil, 950)))
	line("err", AppendMessage(nil, TypeErr, 8, Refusal{Code: CodeDenied, Text: "no"}.Append(nil)))
	line("note", AppendMessage(nil, TypeNote, 0, status.Append(nil)))
	line("bye", AppendMessage(nil, TypeBye, 0, []byte{byte(ReasonEmpty)}))
	fmt.Fprintf(&b, "    %-9s %s", "exit", Exit{Code: -1, Signal: 9, Last: 7, Empty: true}.JSON())
	fmt.Fprintf(&b, "    %-9s %s", "shim", Record{BootID: "b00t", PID: 1234, StartTime: 567890, Agent: 4321, AgentStart: 567891}.JSON())
	fmt.Fprintf(&b, "    %-9s %s\n", "segment", SegmentName(DefaultSegment))
	return b.String()
}

func TestPageIsFrozen(t *testing.T) {
	// The code makes exactly the bytes that the page shows, and the page is the one
	// that was published.
	raw, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(string(raw), examples()) {
		t.Errorf("the page's examples are not what the code makes:\n%s", examples())
	}
	sum := sha256.Sum256(raw)
	if got := hex.EncodeToString(sum[:]); got != frozen {
		t.Errorf("the page is not the frozen one: its hash is %s", got)
	}
}

func TestPageNamesTheLimits(t *testing.T) {
	// The numbers in the page's words are those of the code.
	raw, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(string(raw)), " ")
	for _, want := range []string{
		fmt.Sprintf("A body has at most %d bytes", MaxBody),
		fmt.Sprintf("neither frame nor spec at most %d", MaxSmall),
		fmt.Sprintf("(at most %d bytes)", MaxFrame),
		fmt.Sprintf("each at most %d bytes", StderrKeep),
		fmt.Sprintf("segment %d, bound %d, orphan %d, leftovers %d, grace %d", DefaultSegment, DefaultBound,
			DefaultOrphan/time.Millisecond, DefaultLeftovers/time.Millisecond, DefaultTermGrace/time.Millisecond),
		"`" + ExitFile + "`", "`" + RecordFile + "`", "`" + LockFile + "`", "`" + StderrFile + "`", "`" + StderrOld + "`",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}
