package config

import (
	"net"
	"net/netip"
	"strconv"

	"vyre"
)

// DefaultListen is where the page is when VYRE_LISTEN is not set.
const DefaultListen = "127.0.0.1:7797"

// Listen returns the address of the HTTP door: VYRE_LISTEN or the default. Only
// loopback addresses are taken (invalid otherwise); port 0 lets the system
// choose one.
func Listen(getenv func(string) string) (string, error) {
	s := getenv("VYRE_LISTEN")
	if s == "" {
		return DefaultListen, nil
	}
	host, port, err := net.SplitHostPort(s)
	if err != nil {
		return "", vyre.Invalid("VYRE_LISTEN", "must be an address and a port, like %s", DefaultListen)
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || strconv.FormatUint(n, 10) != port {
		return "", vyre.Invalid("VYRE_LISTEN", "the port must be a number from 0 to 65535")
	}
	if host == "localhost" {
		host = "127.0.0.1" // one address, whatever the hosts file says
	}
	if a, err := netip.ParseAddr(host); err != nil || !a.IsLoopback() || a.Zone() != "" {
		return "", vyre.Invalid("VYRE_LISTEN", "only a loopback address is served").
			WithHint("Listen on 127.0.0.1 and reach it from elsewhere through a tunnel: ssh -L 7797:127.0.0.1:7797 <this machine>.")
	}
	return net.JoinHostPort(host, port), nil
}
