package confine

import (
	"errors"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Examine looks at what this machine can. self is the path of a program that calls
// Stage: a mount namespace is tried with it, as every rule that could forbid one
// can't be known. group is the folder in which sessions get their control groups,
// or empty. It takes some milliseconds and leaves nothing.
func Examine(self, group string) Report {
	f := facts{
		system: runtime.GOOS, root: os.Geteuid() == 0, userns: !canMount(),
		landlock: landlockABI(), seccomp: canFilter(), cgroup: group,
		apparmor: number("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", 0) == 1,
		cloneOff: number("/proc/sys/kernel/unprivileged_userns_clone", 1) == 0,
		maxUsers: number("/proc/sys/user/max_user_namespaces", -1),
		yama:     number("/proc/sys/kernel/yama/ptrace_scope", -1),
	}
	f.mount = try(self)
	if group != "" {
		f.pids, f.memory = bounded(group, "pids"), bounded(group, "memory")
		_, err := os.Stat("/sys/fs/cgroup/pids/cgroup.procs")
		f.hybrid = err == nil
	}
	return judge(f)
}

// try starts a stage that mounts as a session's would, and ends in the empty
// program: this one again, which as a stage without arguments does nothing.
func try(self string) error {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	n := null.Fd()
	p := Plan{Parts: Mount | Caps, ReadOnly: []string{"/proc/sys"}}
	pid, _, err := Start(self, p, Command{Path: self, Args: []string{StageName}, Dir: "/"}, []uintptr{n, n, n})
	if err != nil {
		if e, ok := errors.AsType[*Error](err); ok {
			return errors.New(e.Text)
		}
		return err
	}
	for {
		if _, err := syscall.Wait4(pid, nil, 0, nil); !errors.Is(err, unix.EINTR) {
			return nil
		}
	}
}

// bounded reports whether a controller can bound a group's children: it is on for
// them, or can be turned on, which the kernel allows only where the group itself is
// the root or has no process.
func bounded(group, controller string) bool {
	if holds(group+"/cgroup.subtree_control", controller) {
		return true
	}
	if !holds(group+"/cgroup.controllers", controller) {
		return false
	}
	_, err := os.Stat(group + "/cgroup.type")
	members, _ := os.ReadFile(group + "/cgroup.procs")
	return os.IsNotExist(err) || len(members) == 0
}

func holds(path, word string) bool {
	b, _ := os.ReadFile(path)
	return slices.Contains(strings.Fields(string(b)), word)
}

// number reads a file that holds one, or gives what stands for its absence.
func number(path string, none int) int {
	b, err := os.ReadFile(path)
	if err != nil {
		return none
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		return none
	}
	return n
}
