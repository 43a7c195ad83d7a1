package confine

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Offsets in the kernel's struct seccomp_data. Arguments are 64 bits each; the
// lower half is first, as all machines with a table are little-endian.
const (
	dataNr   = 0
	dataArch = 4
	dataArg0 = 16
)

// filterCalls puts this thread under the filter of closed calls.
func filterCalls(debug bool) error {
	if len(callTables) == 0 {
		return unix.ENOSYS
	}
	prog := filterProgram(callTables, debug)
	f := unix.SockFprog{Len: uint16(len(prog)), Filter: &prog[0]}
	if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&f))); errno != 0 {
		return errno
	}
	return nil
}

// canFilter reports whether this kernel takes such a filter.
func canFilter() bool {
	action := uint32(unix.SECCOMP_RET_ERRNO)
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_GET_ACTION_AVAIL, 0, uintptr(unsafe.Pointer(&action)))
	return errno == 0 && len(callTables) > 0
}

// filterProgram makes the filter of the tables. A program of any other
// architecture gets no call at all.
func filterProgram(tables []closedCalls, debug bool) []unix.SockFilter {
	var prog []unix.SockFilter
	for _, t := range tables {
		body := t.filter(debug)
		prog = append(prog, load(dataArch), jumpUnless(t.arch, len(body)))
		prog = append(prog, body...)
	}
	return append(prog, answer(unix.ENOSYS))
}

func (t closedCalls) filter(debug bool) []unix.SockFilter {
	body := []unix.SockFilter{load(dataNr)}
	if t.limit != 0 {
		body = append(body,
			unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, Jf: 1, K: t.limit},
			answer(unix.ENOSYS))
	}
	body = append(body, jumpUnless(t.clone3, 1), answer(unix.ENOSYS))
	for _, c := range t.calls {
		if debug && c.why == whyTrace {
			continue
		}
		body = append(body, jumpUnless(c.nr, 1), answer(unix.EPERM))
	}
	for _, nr := range []uint32{t.clone, t.unshare} {
		body = append(body,
			jumpUnless(nr, 4),
			load(dataArg0),
			unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, Jf: 1, K: unix.CLONE_NEWUSER},
			answer(unix.EPERM),
			unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW})
	}
	return append(body, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW})
}

func load(offset uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
}

// jumpUnless passes over the next n steps when the value is another one.
func jumpUnless(k uint32, n int) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: uint8(n), K: k}
}

func answer(errno syscall.Errno) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(errno)}
}
