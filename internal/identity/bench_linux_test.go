package identity

import (
	"net"
	"testing"
)

// BenchmarkCaller is what each request on the socket costs to tell who calls.
func BenchmarkCaller(b *testing.B) {
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: b.TempDir() + "/s", Net: "unix"})
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	out, err := net.Dial("unix", l.Addr().String())
	if err != nil {
		b.Fatal(err)
	}
	defer out.Close()
	in, err := l.AcceptUnix()
	if err != nil {
		b.Fatal(err)
	}
	defer in.Close()
	peer := NewPeers(books{{ID: "s", Thread: "t", PID: 1 << 30, Cgroup: "/nowhere", CgroupID: 1 << 60}}, []string{"vyre-test-agent"}).Accept(in)
	defer peer.Close()
	for b.Loop() {
		if _, err := peer.Caller(); err != nil {
			b.Fatal(err)
		}
	}
}
