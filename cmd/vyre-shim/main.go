package main

import (
	"os"
	"runtime"
	"runtime/debug"

	"vyre/internal/confine"
)

// bootFD is where the daemon leaves its end of the socketpair.
const bootFD = 3

// memoryLimit only makes the collector work harder near it; frames lie outside
// the heap.
const memoryLimit = 4 << 20

func main() {
	if confine.IsStage(os.Args) {
		os.Exit(confine.Stage(os.Args))
	}
	runtime.GOMAXPROCS(1)
	debug.SetMemoryLimit(memoryLimit)
	os.Exit(run())
}

func run() int {
	if !isSocket(bootFD) {
		_, _ = os.Stderr.WriteString("vyre-shim is the parent of a session; vyre starts it.\n")
		return 2
	}
	isolate()
	s, id, ok := readSpec(bootFD)
	if !ok {
		return 0 // the daemon died before it said what to do: nothing was made
	}
	l, err := setup(s, id)
	if err != nil {
		refuseBoot(bootFD, id, err)
		return 1
	}
	return l.run()
}
