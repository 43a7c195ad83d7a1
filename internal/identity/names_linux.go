package identity

import (
	"bytes"
	"os"
	"path"
	"strconv"
	"strings"
)

// program reads what a process runs. A non-dumpable process hides its executable from
// us, but not its arguments.
func (l *linux) program(pid int) program {
	dir := "/proc/" + strconv.Itoa(pid)
	var p program
	if exe, err := os.Readlink(dir + "/exe"); err == nil {
		p.path = strings.TrimSuffix(exe, " (deleted)")
	}
	if args, err := os.ReadFile(dir + "/cmdline"); err == nil {
		for a := range bytes.SplitSeq(bytes.TrimSuffix(args, []byte{0}), []byte{0}) {
			if p.args = append(p.args, string(a)); len(p.args) == maxArgs {
				break
			}
		}
	}
	if comm, err := os.ReadFile(dir + "/comm"); err == nil {
		p.command = strings.TrimSuffix(string(comm), "\n")
	}
	return p
}

// space is the inode names of a process's namespaces, as the kernel writes them.
type spaces struct{ pid, user, mnt, net string }

func spacesOf(pid string) (spaces, error) {
	var s spaces
	for name, into := range map[string]*string{"pid": &s.pid, "user": &s.user, "mnt": &s.mnt, "net": &s.net} {
		v, err := os.Readlink(path.Join("/proc", pid, "ns", name))
		if err != nil {
			return s, err
		}
		*into = v
	}
	return s, nil
}

// ownSpaces are this process's. Without /proc they are empty, and nobody's are like them.
func ownSpaces() spaces {
	s, err := spacesOf("self")
	if err != nil {
		return spaces{}
	}
	return s
}

// elsewhere names the namespaces in which a process differs from us, and that can't be
// explained. A mount or network namespace is, where it is that of the first process: then
// it is this daemon that a service manager put apart, not the caller. Who may not look at
// the first process can't tell so.
func (l *linux) elsewhere(pid int) ([]string, error) {
	theirs, err := spacesOf(strconv.Itoa(pid))
	if err != nil {
		return nil, err
	}
	ours := l.spaces()
	var first spaces
	if theirs.mnt != ours.mnt || theirs.net != ours.net {
		first, _ = spacesOf("1") // what can't be read explains nothing
	}
	var out []string
	for _, x := range []struct{ name, theirs, ours, first string }{
		{"pid", theirs.pid, ours.pid, ""},
		{"user", theirs.user, ours.user, ""},
		{"mount", theirs.mnt, ours.mnt, first.mnt},
		{"network", theirs.net, ours.net, first.net},
	} {
		if x.theirs != x.ours && (x.first == "" || x.theirs != x.first) || x.ours == "" {
			out = append(out, x.name)
		}
	}
	return out, nil
}
