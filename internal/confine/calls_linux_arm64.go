package confine

import "golang.org/x/sys/unix"

var callTables = []closedCalls{
	{
		arch:  unix.AUDIT_ARCH_AARCH64,
		clone: unix.SYS_CLONE, unshare: unix.SYS_UNSHARE, clone3: unix.SYS_CLONE3,
		calls: []closedCall{
			{unix.SYS_PTRACE, whyTrace},
			{unix.SYS_PROCESS_VM_READV, whyTrace},
			{unix.SYS_PROCESS_VM_WRITEV, whyTrace},
			{unix.SYS_PIDFD_GETFD, whyTrace},
			{unix.SYS_KCMP, whyTrace},
			{unix.SYS_PROCESS_MADVISE, whyTrace},
			{unix.SYS_MOUNT, whyMount},
			{unix.SYS_UMOUNT2, whyMount},
			{unix.SYS_PIVOT_ROOT, whyMount},
			{unix.SYS_OPEN_TREE, whyMount},
			{unix.SYS_MOVE_MOUNT, whyMount},
			{unix.SYS_FSOPEN, whyMount},
			{unix.SYS_FSMOUNT, whyMount},
			{unix.SYS_FSPICK, whyMount},
			{unix.SYS_MOUNT_SETATTR, whyMount},
			{467, whyMount}, // open_tree_attr
			{unix.SYS_SETNS, whyEnter},
		},
	},
	{ // 32-bit programs
		arch: unix.AUDIT_ARCH_ARM, clone: 120, unshare: 337, clone3: 435,
		calls: []closedCall{
			{26, whyTrace},  // ptrace
			{376, whyTrace}, // process_vm_readv
			{377, whyTrace}, // process_vm_writev
			{438, whyTrace}, // pidfd_getfd
			{378, whyTrace}, // kcmp
			{440, whyTrace}, // process_madvise
			{21, whyMount},  // mount
			{52, whyMount},  // umount2
			{218, whyMount}, // pivot_root
			{428, whyMount}, // open_tree
			{429, whyMount}, // move_mount
			{430, whyMount}, // fsopen
			{432, whyMount}, // fsmount
			{433, whyMount}, // fspick
			{442, whyMount}, // mount_setattr
			{467, whyMount}, // open_tree_attr
			{375, whyEnter}, // setns
		},
	},
}
