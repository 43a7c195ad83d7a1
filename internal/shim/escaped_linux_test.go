package shim

import (
	"testing"
	"time"
)

// escaped is an agent that leaves 22 processes, each detached from it in a session of its
// own and deaf to what is polite, and ends with its input.
const escaped = `
trap '' HUP
for i in 1 2 3 4 5 6 7 8 9 10 11; do
  (nohup setsid sh -c 'trap "" TERM HUP INT; echo $$ >> pids; exec sleep 1000' >/dev/null 2>&1 &)
  (setsid sh -c '(setsid sh -c "trap \"\" TERM HUP INT; echo \$\$ >> pids; exec sleep 1000" &)' &)
done
while [ "$(wc -l < pids 2>/dev/null || echo 0)" -lt 22 ]; do sleep 0.01; done
echo ready
exec cat >/dev/null
`

func TestTwentyTwoEscaped(t *testing.T) {
	// Of 22 processes that detached from an agent in every usual way and listen to no signal,
	// none is left after a stop. It takes less than 100 ms beside the grace that they are
	// given to leave by themselves (a database, say, would).
	levels(t, func(t *testing.T, b *bench) {
		cmd := script(t, escaped)
		s, p := b.start(cmd)
		expect(t, p, "ready")
		all := kids(t, cmd.Dir)
		begun := time.Now()
		if err := p.Stop(ctx(t)); err != nil {
			t.Fatal(err)
		}
		took := time.Since(begun) - b.cfg.TermGrace
		allGone(t, all)
		b.nothingRuns(s)
		t.Logf("%d escaped processes ended in %v beside the grace of %v", len(all), took, b.cfg.TermGrace)
		if len(all) != 22 || took > 100*time.Millisecond {
			t.Errorf("%d processes, %v", len(all), took)
		}
	})
}
