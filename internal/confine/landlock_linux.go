package confine

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// landlockABI is the version of Landlock of this kernel, or 0.
func landlockABI() int {
	abi, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(abi)
}

// writes are the rights that opening for writing takes.
const writes = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE

// restrict puts this thread into a Landlock domain. With a domain comes, whatever
// its rules, that nobody outside it can be traced or read through /proc.
//
// Landlock only grants: "no write below /proc and /sys" is a grant for every other
// entry of /. A new entry of / can't be written below until the next start; only
// root could make one. What is made, removed and renamed is not its business here.
func restrict(parts Parts, debug bool) error {
	attr := unix.LandlockRulesetAttr{}
	if parts.Has(Files) && !debug {
		attr.Handled_access_fs = writes | unix.LANDLOCK_ACCESS_FS_REFER
	}
	if parts.Has(Scope) {
		attr.Scoped = unix.LANDLOCK_SCOPE_SIGNAL | unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET
	}
	if attr.Handled_access_fs == 0 && attr.Scoped == 0 {
		return nil
	}
	size := unsafe.Offsetof(attr.Scoped) // what ABI 4 knows, and no zeros after it for older ones
	if attr.Scoped != 0 {
		size += unsafe.Sizeof(attr.Scoped)
	} else {
		size = unsafe.Offsetof(attr.Handled_access_net)
	}
	rules, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return errno
	}
	defer unix.Close(int(rules))
	if attr.Handled_access_fs != 0 {
		// Moving between folders is refused by every ruleset that does not grant it, also
		// by one that never named it (git could not push).
		if err := grant(int(rules), unix.LANDLOCK_ACCESS_FS_REFER, "/"); err != nil {
			return err
		}
		if err := grantAllBut(int(rules), writes, "proc", "sys"); err != nil {
			return err
		}
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, rules, 0, 0); errno != 0 {
		return errno
	}
	return nil
}

func grantAllBut(rules int, access uint64, not ...string) error {
	entries, err := os.ReadDir("/")
	if err != nil {
		return err
	}
next:
	for _, e := range entries {
		for _, n := range not {
			if e.Name() == n {
				continue next
			}
		}
		if err := grant(rules, access, "/"+e.Name()); err != nil {
			return err
		}
	}
	return nil
}

func grant(rules int, access uint64, path string) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil || st.Mode&unix.S_IFMT == unix.S_IFLNK {
		return nil
	}
	attr := unix.LandlockPathBeneathAttr{Allowed_access: access, Parent_fd: int32(fd)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(rules), unix.LANDLOCK_RULE_PATH_BENEATH,
		uintptr(unsafe.Pointer(&attr)), 0, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}
