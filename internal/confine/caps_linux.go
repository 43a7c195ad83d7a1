package confine

import "golang.org/x/sys/unix"

// capabilities returns this thread's effective capabilities.
func capabilities() (uint64, error) {
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if err := unix.Capget(&head, &data[0]); err != nil {
		return 0, err
	}
	return uint64(data[1].Effective)<<32 | uint64(data[0].Effective), nil
}

// dropCapabilities gives up every capability of this thread, and with the bounding
// set the way to get one back by executing something as root. Where the bounding
// set can't be changed (an ordinary user without a namespace) there is nothing to
// give up, and no_new_privs, which follows, keeps it so.
func dropCapabilities() error {
	for c := uintptr(0); ; c++ {
		in, err := unix.PrctlRetInt(unix.PR_CAPBSET_READ, c, 0, 0, 0)
		if err == unix.EINVAL {
			break // past the last one that this kernel knows
		}
		if err != nil {
			return err
		}
		if in == 0 {
			continue
		}
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); err == unix.EPERM {
			break
		} else if err != nil {
			return err
		}
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil && err != unix.EINVAL {
		return err
	}
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	if err := unix.Capset(&head, &none[0]); err != nil {
		return err
	}
	left, err := capabilities()
	if err == nil && left != 0 {
		err = unix.EPERM
	}
	return err
}
