// Package tailnet asks the local tailnet daemon two things over its unix socket: the
// certificate of this machine's name, and who is at the other end of a connection.
//
// It owns those two calls of the daemon's local API, by hand: GET
// /localapi/v0/cert/<name>?type=pair answers the private key and then the
// certificates as PEM, GET /localapi/v0/whois?addr=<ip:port> answers the node and its
// user as JSON, and the daemon takes no Host but local-tailscaled.sock (against pages
// that call it from a browser). The vendor's own client would bring its whole tree and
// a newer Go.
//
// It must not know what anybody may do: a node that is somebody's is only not nobody,
// and still signs in. It starts no goroutine. A Client's methods may be called from any
// goroutine; certificates are asked for again an hour before they run out, and the
// daemon keeps and renews them itself. Nothing of it is on disk.
//
// To test against it, serve the two paths on a unix socket.
package tailnet
