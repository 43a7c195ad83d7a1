package confine

// Why is a reason that a system call is closed.
type why uint8

const (
	whyTrace why = iota // reads or writes another process, or takes its descriptors
	whyMount            // changes what is seen
	whyEnter            // enters another namespace
)

// closedCalls are the system calls that a session may not make, on each of the
// architectures that a kernel of the first runs programs of. Calls with tracing in
// them are open under sessions.debug.
//
// clone and unshare are looked into: a new user namespace is refused, as inside
// one every capability is held again, and with them mounts. clone3 hides its flags
// from a filter, so it does not exist here (ENOSYS): the C libraries then use clone.
type closedCalls struct {
	arch  uint32
	limit uint32 // calls with this bit set are of another interface (x32), and none of them exists; 0: no such
	calls []closedCall

	clone, unshare, clone3 uint32
}

type closedCall struct {
	nr  uint32
	why why
}
