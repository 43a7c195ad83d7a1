// Package sock serves the API on the daemon's unix socket, where the kernel says
// who is at the other end.
//
// It owns the socket file: mode 0600 in a folder that is the user's own and 0700.
//
// Sessions have a socket each, which has a folder of its own: there only what is
// inside the session is anybody, and it is the session's thread. The folder stays as
// it is while daemons come and go, so that it can be bound into a session's own view
// of the disk; the socket in it is made anew by each daemon. It is there before the
// agent runs and goes with the session; Sweep removes what a killed daemon left.
//
// It must not know any tool, nor how a process is told from another: that is
// identity's, asked when a connection is accepted and again at each request.
//
// It starts the goroutines of net/http; Run returns after they did and removes
// the file. After a kill -9 the file stays and refuses connections; the next
// daemon removes it, under the home's lock.
//
// To test against it, Listen in a folder of mode 0700 and connect.
package sock
