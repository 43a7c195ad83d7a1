package main

import (
	"golang.org/x/sys/unix"
)

func isSocket(fd int) bool {
	var st unix.Stat_t
	return unix.Fstat(fd, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFSOCK
}

func ignoringEINTR(f func() (int, error)) (int, error) {
	for {
		n, err := f()
		if err != unix.EINTR {
			return n, err
		}
	}
}

func readFull(fd int, b []byte) bool {
	for len(b) > 0 {
		n, err := ignoringEINTR(func() (int, error) { return unix.Read(fd, b) })
		if err != nil || n == 0 {
			return false
		}
		b = b[n:]
	}
	return true
}

func writeFull(fd int, b []byte) error {
	for len(b) > 0 {
		n, err := ignoringEINTR(func() (int, error) { return unix.Write(fd, b) })
		if err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}

func closeFD(fd *int) {
	if *fd > 0 {
		_ = unix.Close(*fd)
	}
	*fd = 0
}

// replaceFile puts a file in place whole, or leaves what was there. With sync
// it is on disk when the call returns.
func replaceFile(dir, name string, content []byte, sync bool) error {
	tmp := dir + "/." + name + ".new"
	fd, err := unix.Open(tmp, unix.O_WRONLY|unix.O_CREAT|unix.O_TRUNC|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return err
	}
	err = writeFull(fd, content)
	if err == nil && sync {
		err = unix.Fsync(fd)
	}
	if cerr := unix.Close(fd); err == nil {
		err = cerr
	}
	if err == nil {
		err = unix.Rename(tmp, dir+"/"+name)
	}
	if err != nil {
		_ = unix.Unlink(tmp)
		return err
	}
	if sync {
		return syncDir(dir)
	}
	return nil
}

func syncDir(dir string) error {
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	err = unix.Fsync(fd)
	_ = unix.Close(fd)
	return err
}

// socketPair makes a connected pair. ours does not block; theirs does, as
// programs expect of their stdio. Both are closed on exec.
func socketPair() (ours, theirs int, err error) {
	p, err := socketpair()
	if err != nil {
		return 0, 0, err
	}
	if err := unix.SetNonblock(p[0], true); err != nil {
		_ = unix.Close(p[0])
		_ = unix.Close(p[1])
		return 0, 0, err
	}
	return p[0], p[1], nil
}

// listen makes the control socket. umask keeps it ours (0700).
func listen(path string) (int, error) {
	fd, err := unixSocket()
	if err != nil {
		return 0, err
	}
	err = unix.Bind(fd, &unix.SockaddrUnix{Name: path})
	if err == nil {
		if err = unix.Listen(fd, 8); err != nil {
			_ = unix.Unlink(path)
		}
	}
	if err == nil {
		err = unix.SetNonblock(fd, true)
	}
	if err != nil {
		_ = unix.Close(fd)
		return 0, err
	}
	return fd, nil
}
