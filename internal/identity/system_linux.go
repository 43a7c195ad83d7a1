package identity

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"vyre"
	"vyre/internal/shim/procs"
)

// linux reads /proc and holds peers by pidfd.
type linux struct {
	mounts  func() []mount // of the unified cgroup hierarchy
	bootID  func() string
	cgroups func() bool // PIDFD_GET_INFO tells cgroups
	spaces  func() spaces
}

// mount is one place where the unified hierarchy is seen: the folder at point
// shows the group root.
type mount struct{ root, point string }

func newSystem() system {
	return &linux{
		mounts: sync.OnceValue(unifiedMounts),
		bootID: sync.OnceValue(func() string {
			id, err := procs.BootID()
			if err != nil {
				return ""
			}
			return id
		}),
		cgroups: sync.OnceValue(tellsCgroups),
		spaces:  sync.OnceValue(ownSpaces),
	}
}

func (l *linux) boot() string { return l.bootID() }

// facts: every Linux has subreapers; handles that tell cgroups came later.
func (l *linux) facts() Facts { return Facts{Subreaper: true, Handles: l.cgroups()} }

func (l *linux) stat(pid int) (procs.Proc, error) { return procs.Stat(pid) }

// held is a peer. Pidfd is -1 only on a kernel without pidfds.
type held struct {
	pid   int
	pidfd int
}

func (h *held) close() {
	if h.pidfd >= 0 {
		unix.Close(h.pidfd)
		h.pidfd = -1
	}
}

// hold gets the peer's user and pid as they were when it connected, and a handle
// on that very process. Before Linux 6.5 the kernel has no such handle: then one
// is opened by pid, and believed only if the process is older than this moment.
func (l *linux) hold(conn *net.UnixConn, uid int) (*held, error) {
	now := time.Now()
	raw, err := conn.SyscallConn()
	if err != nil {
		return nil, nobody("the connection is closed")
	}
	var cred *unix.Ucred
	var errCred, errFD error
	fd := -1
	err = raw.Control(func(s uintptr) {
		if cred, errCred = unix.GetsockoptUcred(int(s), unix.SOL_SOCKET, unix.SO_PEERCRED); errCred == nil {
			fd, errFD = unix.GetsockoptInt(int(s), unix.SOL_SOCKET, unix.SO_PEERPIDFD)
		}
	})
	if err != nil || errCred != nil {
		return nil, nobody("the connection is closed")
	}
	if errFD == nil {
		unix.CloseOnExec(fd)
		h := &held{pid: int(cred.Pid), pidfd: fd}
		return h, h.refuse(cred, uid)
	}
	if !errors.Is(errFD, unix.ENOPROTOOPT) { // ESRCH, EINVAL, ENODATA: it is gone already
		return nil, nobody("the process that called is gone")
	}
	if fd, err = unix.PidfdOpen(int(cred.Pid), 0); err != nil {
		return nil, nobody("the process that called is gone")
	}
	h := &held{pid: int(cred.Pid), pidfd: fd}
	if err := h.refuse(cred, uid); err != nil {
		return h, err
	}
	if p, err := procs.Stat(h.pid); err != nil || startedAfter(p.Start, now) {
		return h, nobody("the process that called is gone")
	}
	return h, nil
}

// refuse turns away another user's process and one that this pid namespace
// can't name.
func (h *held) refuse(cred *unix.Ucred, uid int) error {
	if int(cred.Uid) != uid {
		return vyre.Errorf(vyre.CodeUnauthenticated, "this socket belongs to another user")
	}
	if cred.Pid <= 0 {
		return nobody("the process that called is outside of this container")
	}
	return nil
}

// startedAfter reports whether a process that started at so many ticks after the
// boot is younger than now.
func startedAfter(ticks uint64, now time.Time) bool {
	var ts unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &ts) != nil {
		return true
	}
	const perSecond = 100 // USER_HZ, the same on every Linux
	uptime := time.Duration(ts.Nano()) - time.Since(now)
	return time.Duration(ticks)*time.Second/perSecond > uptime
}

// alive polls the handle: it is readable once the process is dead.
func (h *held) alive() bool {
	if h.pidfd < 0 {
		return false
	}
	for {
		fds := []unix.PollFd{{Fd: int32(h.pidfd), Events: unix.POLLIN}}
		n, err := unix.Poll(fds, 0)
		if !errors.Is(err, unix.EINTR) {
			return err == nil && n == 0
		}
	}
}

// cgroupID asks the kernel in which cgroup the process is, or was when it died
// (Linux 6.13; of a dead one 6.15).
func (h *held) cgroupID() (uint64, bool) {
	if h.pidfd < 0 {
		return 0, false
	}
	info := unix.PidfdInfo{Mask: unix.PIDFD_INFO_CGROUPID | unix.PIDFD_INFO_EXIT}
	if unix.IoctlPidfdInfo(h.pidfd, &info) != nil {
		return 0, false
	}
	return info.Cgroupid, info.Mask&unix.PIDFD_INFO_CGROUPID != 0 && info.Cgroupid != 0
}

// tellsCgroups tries it on ourselves, and whether sockets give handles.
func tellsCgroups() bool {
	fd, err := unix.PidfdOpen(os.Getpid(), 0)
	if err != nil {
		return false
	}
	h := &held{pid: os.Getpid(), pidfd: fd}
	defer h.close()
	_, ok := h.cgroupID()
	return ok && socketsGiveHandles()
}

func socketsGiveHandles() bool {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer unix.Close(pair[0])
	defer unix.Close(pair[1])
	fd, err := unix.GetsockoptInt(pair[0], unix.SOL_SOCKET, unix.SO_PEERPIDFD)
	if err != nil {
		return false
	}
	unix.Close(fd)
	return true
}

// cgroup reads the process's group in the unified hierarchy and says in which
// folders it is seen.
func (l *linux) cgroup(pid int) ([]string, error) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cgroup")
	if err != nil {
		return nil, err
	}
	var out []string
	for line := range strings.Lines(string(b)) {
		group, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "0::")
		if !ok {
			continue
		}
		group = strings.TrimSuffix(group, " (deleted)")
		for _, m := range l.mounts() {
			if rel, err := filepath.Rel(m.root, group); err == nil && !strings.HasPrefix(rel, "..") {
				out = append(out, filepath.Join(m.point, rel))
			}
		}
	}
	return out, nil
}

// unifiedMounts reads where the unified hierarchy is mounted
// (proc_pid_mountinfo(5)).
func unifiedMounts() []mount {
	b, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil
	}
	unescape := strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)
	var out []mount
	for line := range strings.Lines(string(b)) {
		before, after, ok := strings.Cut(line, " - ")
		f := strings.Fields(before)
		if ok && strings.HasPrefix(after, "cgroup2 ") && len(f) >= 5 {
			out = append(out, mount{root: unescape.Replace(f[3]), point: unescape.Replace(f[4])})
		}
	}
	return out
}
