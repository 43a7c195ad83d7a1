package confine

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// errWorthless says that the namespace was made but gives no right inside it, as
// where a security module restricts user namespaces.
var errWorthless = errors.New("the namespace gives no rights")

// mounts builds what the session sees. The namespaces are there already.
func (o order) mounts(say voice) error {
	if err := o.enter(); err != nil {
		return err
	}
	p := o.plan
	back, err := keep(p.Back, false)
	if err != nil {
		return err
	}
	writable, err := keep(p.Writable, true)
	if err != nil {
		return err
	}
	for _, path := range p.ReadOnly {
		if err := readOnly(path); err != nil {
			return at(path, err)
		}
	}
	for i, path := range p.Writable {
		if writable[i] < 0 {
			continue // not there
		}
		if err := attach(writable[i], path); err != nil {
			return at(path, err)
		}
	}
	for _, path := range p.Side {
		if err := coverSide(path); err != nil {
			say.word(sayOpen, path+": "+err.Error())
		}
	}
	for _, path := range p.Cover {
		if err := cover(path, inside(path, p.Back), back, p.Back); err != nil {
			return at(path, err)
		}
	}
	if o.userns {
		for _, path := range p.Copies {
			if err := copies(path); err != nil {
				return at(path, err)
			}
		}
	}
	if o.uid == 0 && !o.userns {
		if err := hideDisks(); err != nil {
			return at("/dev", err)
		}
	}
	return o.kernelFiles()
}

// enter makes the namespaces ours: who we are inside, and that nothing we mount is
// seen outside. What is mounted outside later is still seen inside.
func (o order) enter() error {
	if o.userns {
		uid, gid := strconv.Itoa(int(o.uid)), strconv.Itoa(int(o.gid))
		if err := writeFile("/proc/self/setgroups", "deny"); err != nil && !errors.Is(err, os.ErrNotExist) {
			return worthless(err)
		}
		if err := writeFile("/proc/self/uid_map", uid+" "+uid+" 1"); err != nil {
			return worthless(err)
		}
		if err := writeFile("/proc/self/gid_map", gid+" "+gid+" 1"); err != nil {
			return worthless(err)
		}
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_SLAVE, ""); err != nil {
		return worthless(err)
	}
	return nil
}

func worthless(err error) error {
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) {
		return errWorthless
	}
	return err
}

// kernelFiles makes the kernel's own files read-only: cgroup.procs and all of
// /sys, sysctls, and the memory of processes under /proc. As root they would else
// be writable without any capability, as root owns them.
func (o order) kernelFiles() error {
	if err := setReadOnly(unix.AT_FDCWD, "/sys", unix.AT_RECURSIVE); err != nil && !errors.Is(err, unix.EINVAL) {
		return at("/sys", err)
	}
	path := "/proc"
	if o.plan.Debug {
		path = "/proc/sys"
		if err := readOnly(path); err != nil {
			return at(path, err)
		}
		return nil
	}
	if err := setReadOnly(unix.AT_FDCWD, path, unix.AT_RECURSIVE); err != nil {
		return at(path, err)
	}
	return nil
}

// keep opens copies of what the paths show now, before anything covers it. One that
// may be missing and is has -1.
func keep(paths []string, missing bool) ([]int, error) {
	trees := make([]int, len(paths))
	for i, path := range paths {
		tree, err := unix.OpenTree(unix.AT_FDCWD, path,
			unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE|unix.AT_SYMLINK_NOFOLLOW)
		if missing && err == unix.ENOENT {
			tree, err = -1, nil
		}
		if err != nil {
			return nil, at(path, err)
		}
		trees[i] = tree
	}
	return trees, nil
}

// attach mounts a tree at a path and lets go of the descriptor.
func attach(tree int, path string) error {
	defer unix.Close(tree)
	return unix.MoveMount(tree, "", unix.AT_FDCWD, path, unix.MOVE_MOUNT_F_EMPTY_PATH)
}

// readOnly mounts what is at a path over itself, read-only: it can't be written,
// renamed or removed. What is missing is passed over. A link is followed: what it
// leads to is held, the link itself can't be.
func readOnly(path string) error {
	path, err := filepath.EvalSymlinks(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	tree, err := unix.OpenTree(unix.AT_FDCWD, path, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
	if err != nil {
		return err
	}
	if err := setReadOnly(tree, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE); err != nil {
		_ = unix.Close(tree)
		return err
	}
	return attach(tree, path)
}

func setReadOnly(dir int, path string, flags uint) error {
	return unix.MountSetattr(dir, path, flags, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY})
}

// cover mounts an empty folder over a folder that exists and is no link, with what
// is in back seen inside it.
func cover(path string, in []int, trees []int, back []string) error {
	empty, err := emptyTree()
	if err != nil {
		return err
	}
	defer unix.Close(empty)
	if err := over(empty, path); err != nil {
		return err
	}
	for _, i := range in {
		if err := os.MkdirAll(back[i], 0o700); err != nil {
			return err
		}
		if err := attach(trees[i], back[i]); err != nil {
			return err
		}
	}
	return setReadOnly(empty, "", unix.AT_EMPTY_PATH)
}

// coverSide covers a folder that anybody could have made, or makes it first, so
// that nobody makes it later.
func coverSide(path string) error {
	switch err := unix.Mkdir(path, 0o700); err {
	case nil, unix.EEXIST:
		return cover(path, nil, nil, nil)
	case unix.ENOENT: // the folder that it would be in is not there: nothing uses it
		return nil
	default:
		return err
	}
}

// emptyTree is a folder of its own, mode 0700, ours.
func emptyTree() (int, error) {
	fs, err := unix.Fsopen("tmpfs", unix.FSOPEN_CLOEXEC)
	if err != nil {
		return 0, err
	}
	defer unix.Close(fs)
	for _, o := range [][2]string{{"mode", "0700"}, {"size", "1m"}, {"nr_inodes", "256"}} {
		if err := unix.FsconfigSetString(fs, o[0], o[1]); err != nil {
			return 0, err
		}
	}
	if err := unix.FsconfigCreate(fs); err != nil {
		return 0, err
	}
	return unix.Fsmount(fs, unix.FSMOUNT_CLOEXEC, unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV|unix.MOUNT_ATTR_NOEXEC)
}

// over mounts a tree over a folder. A link in its place is refused: it could lead
// the cover away from what it is for.
func over(tree int, path string) error {
	target, err := unix.Open(path, unix.O_PATH|unix.O_NOFOLLOW|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(target)
	return unix.MoveMount(tree, "", target, "", unix.MOVE_MOUNT_F_EMPTY_PATH|unix.MOVE_MOUNT_T_EMPTY_PATH)
}

// maxCopy and maxCopies bound what copies takes from one folder.
const (
	maxCopy   = 64 << 10
	maxCopies = 64
)

// copies covers a folder with copies of its files that are this user's own. In a
// user namespace root's files belong to nobody, and some programs refuse those.
func copies(path string) error {
	entries, err := os.ReadDir(path)
	if err != nil || len(entries) == 0 || len(entries) > maxCopies {
		return nil
	}
	tree, err := emptyTree()
	if err != nil {
		return err
	}
	defer unix.Close(tree)
	place := "/proc/self/fd/" + strconv.Itoa(tree) + "/"
	for _, e := range entries {
		from := filepath.Join(path, e.Name())
		fi, err := os.Stat(from)
		if err != nil || !fi.Mode().IsRegular() || fi.Size() > maxCopy {
			continue
		}
		if b, err := os.ReadFile(from); err == nil {
			if err := os.WriteFile(place+e.Name(), b, 0o600); err != nil {
				return err
			}
		}
	}
	if err := setReadOnly(tree, "", unix.AT_EMPTY_PATH); err != nil {
		return err
	}
	target, err := unix.Open(path, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(target)
	return unix.MoveMount(tree, "", target, "", unix.MOVE_MOUNT_F_EMPTY_PATH|unix.MOVE_MOUNT_T_EMPTY_PATH)
}

// inside lists which of the paths lie in a folder.
func inside(dir string, paths []string) []int {
	var in []int
	for i, p := range paths {
		if strings.HasPrefix(p, dir+"/") {
			in = append(in, i)
		}
	}
	return in
}

func at(path string, err error) error {
	if errors.Is(err, errWorthless) {
		return err
	}
	return &os.PathError{Op: "mount", Path: path, Err: err}
}

// hideDisks covers the nodes of disks with one that is empty: root could else read
// private state from the raw disk without any capability, as it owns the nodes.
func hideDisks() error {
	entries, err := os.ReadDir("/dev")
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Type()&(os.ModeDevice|os.ModeCharDevice) != os.ModeDevice {
			continue
		}
		if err := unix.Mount("/dev/null", "/dev/"+e.Name(), "", unix.MS_BIND, ""); err != nil && err != unix.ENOENT {
			return err
		}
	}
	return nil
}
