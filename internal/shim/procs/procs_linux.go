package procs

import (
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// BootID names this boot of the machine: no pid or start time holds in another.
func BootID() (string, error) {
	b, err := readFile("/proc/sys/kernel/random/boot_id", nil)
	if err != nil {
		return "", err
	}
	for len(b) > 0 && b[len(b)-1] == '\n' {
		b = b[:len(b)-1]
	}
	return string(b), nil
}

// Stat looks at one process. ErrGone if there is none.
func Stat(pid int) (Proc, error) {
	var buf [1024]byte
	return stat(pid, buf[:])
}

func stat(pid int, buf []byte) (Proc, error) {
	b, err := readFile("/proc/"+strconv.Itoa(pid)+"/stat", buf)
	if err != nil {
		return Proc{}, err
	}
	return parseStat(b)
}

// All returns every process of this machine that /proc shows.
func All() ([]Proc, error) {
	dir, err := unix.Open("/proc", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(dir)
	var names []string
	buf := make([]byte, 8<<10)
	for {
		n, err := ignoringEINTR(func() (int, error) { return unix.ReadDirent(dir, buf) })
		if err != nil {
			return nil, err
		}
		if n <= 0 {
			break
		}
		_, _, names = unix.ParseDirent(buf[:n], -1, names)
	}
	all := make([]Proc, 0, len(names))
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if p, err := stat(pid, buf); err == nil {
			all = append(all, p)
		}
	}
	return all, nil
}

// Signal sends sig to the process pid that started at start, and to no other.
// ErrGone if that process is not there.
func Signal(pid int, start uint64, sig syscall.Signal) error {
	fd, err := Open(pid, start)
	if err == unix.ENOSYS { // before Linux 5.3: look and shoot
		if !Alive(pid, start) {
			return ErrGone
		}
		return unix.Kill(pid, sig)
	}
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if err := unix.PidfdSendSignal(fd, sig, nil, 0); err == unix.ESRCH {
		return ErrGone
	} else {
		return err
	}
}

// Open returns a pidfd of the process pid that started at start. It is readable
// once that process is dead. ErrGone if that process is not there.
func Open(pid int, start uint64) (int, error) {
	fd, err := unix.PidfdOpen(pid, 0) // close-on-exec by itself
	if err == unix.ESRCH || err == unix.EINVAL {
		return -1, ErrGone
	}
	if err != nil {
		return -1, err
	}
	if !Alive(pid, start) { // looked at after the descriptor held it
		unix.Close(fd)
		return -1, ErrGone
	}
	return fd, nil
}

func parseStat(b []byte) (Proc, error) {
	// The name in brackets may hold anything, brackets and spaces too; what
	// follows the last bracket does not.
	end := -1
	for i, c := range b {
		if c == ')' {
			end = i
		}
	}
	var p Proc
	i := 0
	for i < len(b) && b[i] >= '0' && b[i] <= '9' {
		p.PID = p.PID*10 + int(b[i]-'0')
		i++
	}
	if i == 0 || end < 0 || end+2 >= len(b) {
		return Proc{}, ErrGone
	}
	field := 3 // as proc(5) counts them
	var n uint64
	for _, c := range b[end+2:] {
		if c != ' ' {
			if field == 3 {
				p.State = c
			} else if c >= '0' && c <= '9' {
				n = n*10 + uint64(c-'0')
			}
			continue
		}
		switch field {
		case 4:
			p.PPID = int(n)
		case 5:
			p.PGID = int(n)
		case 6:
			p.SID = int(n)
		case 22:
			p.Start = n
			return p, nil
		}
		field, n = field+1, 0
	}
	return Proc{}, ErrGone
}

func readFile(path string, buf []byte) ([]byte, error) {
	if buf == nil {
		buf = make([]byte, 256)
	}
	fd, err := ignoringEINTR(func() (int, error) {
		return unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	})
	if err == unix.ENOENT {
		return nil, ErrGone
	}
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	n, err := ignoringEINTR(func() (int, error) { return unix.Read(fd, buf) })
	if err == unix.ESRCH {
		return nil, ErrGone
	}
	if err != nil {
		return nil, err
	}
	return buf[:n], nil
}

func ignoringEINTR(f func() (int, error)) (int, error) {
	for {
		n, err := f()
		if err != unix.EINTR {
			return n, err
		}
	}
}
