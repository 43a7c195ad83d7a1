package confine

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// actEnv names what this binary shall try from inside a confinement: an act and
// its arguments, one a line. With childEnv it is tried by a child, against this
// process: a command of the agent against its agent.
const (
	actEnv   = "VYRE_TEST_ACT"
	childEnv = "VYRE_TEST_CHILD"
)

// perform tries an act and says how it went: "done", or "refused" and why.
func perform(text string) int {
	if text == "victim" { // lives until its input ends
		fmt.Println("ready")
		_, _ = os.Stdin.Read(make([]byte, 1))
		return 0
	}
	if os.Getenv(childEnv) != "" {
		return performAsChild(text)
	}
	f := strings.Split(text, "\n")
	arg := func(i int) string {
		if i < len(f) {
			return strings.ReplaceAll(f[i], "$AGENT", os.Getenv("AGENT"))
		}
		return ""
	}
	act, ok := acts[f[0]]
	if !ok {
		fmt.Println("no such act")
		return 2
	}
	if err := act(arg); err != nil {
		fmt.Println("refused", reasonOf(err))
		return 0
	}
	fmt.Println("done")
	return 0
}

func performAsChild(text string) int {
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = []string{actEnv + "=" + text, "AGENT=" + strconv.Itoa(os.Getpid())}
	out, err := cmd.CombinedOutput()
	fmt.Printf("%s", out)
	if err != nil {
		fmt.Println("the child failed:", err)
	}
	return 0
}

func reasonOf(err error) string {
	for _, e := range []syscall.Errno{unix.EPERM, unix.EACCES, unix.EROFS, unix.ENOENT, unix.EBUSY, unix.EINVAL, unix.ENOSYS, unix.ENXIO, unix.ESRCH, unix.ECONNREFUSED} {
		if errors.Is(err, e) || strings.HasSuffix(err.Error(), e.Error()) {
			return unix.ErrnoName(e)
		}
	}
	return err.Error()
}

type args func(int) string

func (a args) pid(i int) int { n, _ := strconv.Atoi(a(i)); return n }

func raw(nr uintptr, a ...uintptr) error {
	for len(a) < 6 {
		a = append(a, 0)
	}
	if _, _, errno := unix.Syscall6(nr, a[0], a[1], a[2], a[3], a[4], a[5]); errno != 0 {
		return errno
	}
	return nil
}

// acts are all that is tried.
var acts = map[string]func(args) error{
	"read": func(a args) error {
		b, err := os.ReadFile(a(1))
		if err == nil && len(b) == 0 {
			return unix.ENOENT
		}
		if err == nil {
			fmt.Printf("%.60s\n", b)
		}
		return err
	},
	"read-some": func(a args) error {
		f, err := os.Open(a(1))
		if err != nil {
			return err
		}
		defer f.Close()
		n, err := f.Read(make([]byte, 4096))
		if n == 0 {
			return unix.ENOENT
		}
		return err
	},
	"write": func(a args) error {
		f, err := os.OpenFile(a(1), os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = f.WriteString(a(2))
		return err
	},
	"open-write": func(a args) error { // opening for writing is enough
		fd, err := unix.Open(a(1), unix.O_RDWR, 0)
		if err == nil {
			_ = unix.Close(fd)
		}
		return err
	},
	"create": func(a args) error { return os.WriteFile(a(1), []byte("x"), 0o600) },
	"mkdir":  func(a args) error { return os.Mkdir(a(1), 0o700) },
	"rename": func(a args) error { return os.Rename(a(1), a(2)) },
	"remove": func(a args) error { return os.Remove(a(1)) },
	"link":   func(a args) error { return os.Link(a(1), a(2)) },
	"chmod":  func(a args) error { return os.Chmod(a(1), 0o777) },
	"utime":  func(a args) error { return unix.Utimes(a(1), make([]unix.Timeval, 2)) },
	"connect": func(a args) error {
		c, err := net.Dial("unix", a(1))
		if err == nil {
			_ = c.Close()
		}
		return err
	},
	"kill": func(a args) error { return unix.Kill(a.pid(1), unix.SIGKILL) },
	"pidfd kill": func(a args) error {
		fd, err := unix.PidfdOpen(a.pid(1), 0)
		if err != nil {
			return err
		}
		return unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0)
	},
	"getfd": func(a args) error {
		fd, err := unix.PidfdOpen(a.pid(1), 0)
		if err != nil {
			return err
		}
		got, err := unix.PidfdGetfd(fd, a.pid(2), 0)
		if err == nil {
			_, err = unix.Write(got, []byte("forged\n"))
		}
		return err
	},
	"ptrace": func(a args) error {
		runtime.LockOSThread()
		return unix.PtraceAttach(a.pid(1))
	},
	"ptrace seize": func(a args) error {
		runtime.LockOSThread()
		return unix.PtraceSeize(a.pid(1))
	},
	"traced by its parent": func(args) error { return raw(unix.SYS_PTRACE, unix.PTRACE_TRACEME) },
	"vm read":              func(a args) error { return vm(unix.SYS_PROCESS_VM_READV, a.pid(1)) },
	"vm write":             func(a args) error { return vm(unix.SYS_PROCESS_VM_WRITEV, a.pid(1)) },
	"kcmp":                 func(a args) error { return raw(unix.SYS_KCMP, uintptr(os.Getpid()), uintptr(a.pid(1)), 0) },
	"umount":               func(a args) error { return unix.Unmount(a(1), 0) },
	"umount detach":        func(a args) error { return unix.Unmount(a(1), unix.MNT_DETACH) },
	"bind":                 func(a args) error { return unix.Mount(a(1), a(2), "", unix.MS_BIND, "") },
	"tmpfs":                func(a args) error { return unix.Mount("tmpfs", a(1), "tmpfs", 0, "") },
	"remount":              func(a args) error { return unix.Mount("", a(1), "", unix.MS_REMOUNT|unix.MS_BIND, "") },
	"move mount": func(a args) error {
		return unix.Mount(a(1), a(2), "", unix.MS_MOVE, "")
	},
	"open tree": func(a args) error {
		_, err := unix.OpenTree(unix.AT_FDCWD, a(1), unix.OPEN_TREE_CLONE)
		return err
	},
	"mount setattr": func(a args) error {
		return unix.MountSetattr(unix.AT_FDCWD, a(1), 0, &unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY})
	},
	"fsopen":        func(args) error { _, err := unix.Fsopen("tmpfs", 0); return err },
	"pivot root":    func(a args) error { return unix.PivotRoot(a(1), a(1)) },
	"chroot":        func(a args) error { return unix.Chroot(a(1)) },
	"unshare mount": func(args) error { return unix.Unshare(unix.CLONE_NEWNS) },
	"unshare user": func(args) error {
		// One thread alone may try: a child of fork would do it.
		return cloned(&syscall.SysProcAttr{Unshareflags: unix.CLONE_NEWUSER})
	},
	"clone user":  func(args) error { return cloned(&syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWUSER}) },
	"clone pid":   func(args) error { return cloned(&syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWPID}) },
	"clone3 user": func(args) error { return clone3(unix.CLONE_NEWUSER) },
	"setns": func(a args) error {
		fd, err := unix.Open(a(1), unix.O_RDONLY, 0)
		if err != nil {
			return err
		}
		return unix.Setns(fd, 0)
	},
	"setns pidfd": func(a args) error {
		fd, err := unix.PidfdOpen(a.pid(1), 0)
		if err != nil {
			return err
		}
		return unix.Setns(fd, unix.CLONE_NEWNS)
	},
	"setuid 0":  func(args) error { return syscall.Setuid(0) },
	"mknod":     func(a args) error { return unix.Mknod(a(1), unix.S_IFBLK|0o600, int(unix.Mkdev(254, 0))) },
	"set time":  func(args) error { return unix.Settimeofday(&unix.Timeval{Sec: 1}) },
	"dumpable":  func(args) error { return raw(unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 0) },
	"raise cap": func(args) error { return raiseCap() },
	"x32 call":  func(args) error { return raw(0x40000000 | 39) },
	"descriptors": func(args) error {
		entries, err := os.ReadDir("/proc/self/fd")
		var names []string
		for _, e := range entries {
			if t, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil && !strings.HasPrefix(t, "anon_inode:[event") && !strings.HasPrefix(t, "/proc/") && !strings.HasPrefix(t, "/sys/") {
				names = append(names, e.Name())
			}
		}
		slices.Sort(names)
		fmt.Println(strings.Join(names, " "))
		return err
	},
}

func vm(nr uintptr, pid int) error {
	var word [8]byte
	local := unix.Iovec{Base: &word[0], Len: 8}
	there := unix.RemoteIovec{Base: uintptr(unsafe.Pointer(&word[0])), Len: 8}
	return raw(nr, uintptr(pid), uintptr(unsafe.Pointer(&local)), 1, uintptr(unsafe.Pointer(&there)), 1)
}

func cloned(attr *syscall.SysProcAttr) error {
	cmd := exec.Command("/bin/true")
	cmd.SysProcAttr = attr
	return cmd.Run()
}

func clone3(flags uint64) error {
	a := [11]uint64{0: flags, 4: uint64(unix.SIGCHLD)}
	return raw(unix.SYS_CLONE3, uintptr(unsafe.Pointer(&a)), unsafe.Sizeof(a))
}

func raiseCap() error {
	runtime.LockOSThread()
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	all := [2]unix.CapUserData{{Effective: ^uint32(0), Permitted: ^uint32(0)}, {Effective: 0x1ff, Permitted: 0x1ff}}
	return unix.Capset(&head, &all[0])
}
