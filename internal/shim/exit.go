package shim

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"vyre/agent"
	"vyre/internal/shim/proto"
)

// Words for Exited.Signal where no signal is known.
const (
	exitUnknown = "unknown" // the parent was killed before it could say
	exitRestart = "restart" // the machine was restarted
)

func exitOf(code, signal int) agent.Exited {
	if signal != 0 {
		return agent.Exited{Code: -1, Signal: syscall.Signal(signal).String()}
	}
	return agent.Exited{Code: code}
}

// maxRecord bounds what is read of the small files in a session's folder.
const maxRecord = 4 << 10

func readExit(dir string) (e proto.Exit, ok bool) {
	return e, readRecordFile(filepath.Join(dir, proto.ExitFile), &e)
}

func readRecord(dir string) (r proto.Record, ok bool) {
	return r, readRecordFile(filepath.Join(dir, proto.RecordFile), &r)
}

func readRecordFile(path string, v any) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var buf [maxRecord]byte
	n, _ := f.Read(buf[:])
	return json.Unmarshal(buf[:n], v) == nil
}

// shownStderr is how much of the last words an Exited carries, in bytes.
const shownStderr = 8 << 10

// lastWords returns the end of what the agent wrote to stderr, as valid UTF-8.
func lastWords(dir string) string {
	b := tail(filepath.Join(dir, proto.StderrFile))
	if len(b) < shownStderr {
		b = append(tail(filepath.Join(dir, proto.StderrOld)), b...)
	}
	if len(b) > shownStderr {
		b = b[len(b)-shownStderr:]
	}
	return strings.ToValidUTF8(string(b), "\uFFFD")
}

func tail(path string) []byte {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return nil
	}
	n := min(fi.Size(), shownStderr)
	b := make([]byte, n)
	m, _ := f.ReadAt(b, fi.Size()-n)
	return b[:m]
}

func signalNumber(name string) (syscall.Signal, bool) {
	name = strings.ToUpper(name)
	if !strings.HasPrefix(name, "SIG") {
		name = "SIG" + name
	}
	n := unix.SignalNum(name)
	return n, n != 0
}
