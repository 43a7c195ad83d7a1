package identity

import (
	"net"
	"strings"

	"golang.org/x/sys/unix"

	"vyre"
	"vyre/internal/shim/procs"
)

// darwin has no handle on a peer and no subreaper: what it finds inside a
// session is inside, but an orphan may have got out. Its level is L0.
type darwin struct{}

func newSystem() system { return darwin{} }

// facts: nothing that the ladder could rest on.
func (darwin) facts() Facts { return Facts{} }

// elsewhere: there are no namespaces.
func (darwin) elsewhere(int) ([]string, error) { return nil, nil }

func (darwin) boot() string {
	id, err := procs.BootID()
	if err != nil {
		return ""
	}
	return id
}

func (darwin) stat(pid int) (procs.Proc, error) { return procs.Stat(pid) }

// cgroup: there are none.
func (darwin) cgroup(int) ([]string, error) { return nil, nil }

// program has the command alone, which is cut to 16 bytes.
func (darwin) program(pid int) program {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return program{}
	}
	comm := make([]byte, 0, len(k.Proc.P_comm))
	for _, c := range k.Proc.P_comm {
		if c == 0 {
			break
		}
		comm = append(comm, byte(c))
	}
	return program{command: strings.TrimSpace(string(comm))}
}

// held is a peer by pid and start time.
type held struct {
	pid   int
	start uint64
}

func (h *held) close() {}

func (h *held) alive() bool { return procs.Alive(h.pid, h.start) }

func (h *held) cgroupID() (uint64, bool) { return 0, false }

func (darwin) hold(conn *net.UnixConn, uid int) (*held, error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return nil, nobody("the connection is closed")
	}
	var cred *unix.Xucred
	var pid int
	var errCred, errPID error
	err = raw.Control(func(s uintptr) {
		cred, errCred = unix.GetsockoptXucred(int(s), unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
		pid, errPID = unix.GetsockoptInt(int(s), unix.SOL_LOCAL, unix.LOCAL_PEERPID)
	})
	if err != nil || errCred != nil || errPID != nil {
		return nil, nobody("the connection is closed")
	}
	if int(cred.Uid) != uid {
		return nil, vyre.Errorf(vyre.CodeUnauthenticated, "this socket belongs to another user")
	}
	p, err := procs.Stat(pid)
	if err != nil {
		return nil, nobody("the process that called is gone")
	}
	return &held{pid: pid, start: p.Start}, nil
}
