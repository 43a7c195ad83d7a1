package shim

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// TestMain turns this binary into an agent or a daemon when a test asks for one
// by the environment, and else looks for goroutines that were left.
func TestMain(m *testing.M) {
	if mode := os.Getenv(agentMode); mode != "" {
		os.Exit(runAgent(mode))
	}
	if os.Getenv(daemonMode) != "" {
		os.Exit(runDaemon())
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) { removeBuilt(); os.Exit(code) }))
}
