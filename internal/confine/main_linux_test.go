package confine

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// TestMain turns this binary into a stage, or into a process that tries something
// from inside a confinement, when it was started as one.
func TestMain(m *testing.M) {
	if IsStage(os.Args) {
		os.Exit(Stage(os.Args))
	}
	if act := os.Getenv(actEnv); act != "" {
		os.Exit(perform(act))
	}
	goleak.VerifyTestMain(m)
}
