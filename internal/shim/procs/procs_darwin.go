package procs

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// BootID names this boot of the machine: no pid or start time holds in another.
func BootID() (string, error) { return unix.Sysctl("kern.bootsessionuuid") }

// Stat looks at one process. ErrGone if there is none.
func Stat(pid int) (Proc, error) {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return Proc{}, ErrGone
	}
	return fromKinfo(k), nil
}

// All returns every process of this machine.
func All() ([]Proc, error) {
	ks, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil, err
	}
	all := make([]Proc, 0, len(ks))
	for i := range ks {
		all = append(all, fromKinfo(&ks[i]))
	}
	return all, nil
}

// Signal sends sig to the process pid that started at start. This system has no
// handle on a process, so a look just before has to do.
func Signal(pid int, start uint64, sig syscall.Signal) error {
	if !Alive(pid, start) {
		return ErrGone
	}
	return unix.Kill(pid, sig)
}

func fromKinfo(k *unix.KinfoProc) Proc {
	p := Proc{
		PID: int(k.Proc.P_pid), PPID: int(k.Eproc.Ppid), PGID: int(k.Eproc.Pgid),
		Start: uint64(k.Proc.P_starttime.Sec)*1e6 + uint64(k.Proc.P_starttime.Usec),
		State: 'R',
	}
	if k.Proc.P_stat == 5 { // SZOMB in sys/proc.h
		p.State = 'Z'
	}
	if sid, err := unix.Getsid(p.PID); err == nil {
		p.SID = sid
	}
	return p
}
