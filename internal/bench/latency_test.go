package bench

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"vyre"
	"vyre/agent"
	"vyre/agent/claude"
)

// since reads the stamps in a piece of text: each is the moment, in nanoseconds
// since the epoch, at which the model API wrote it.
func since(text string, now time.Time, out *[]time.Duration) {
	for w := range strings.FieldsSeq(text) {
		if n, err := strconv.ParseInt(w, 10, 64); err == nil {
			*out = append(*out, now.Sub(time.Unix(0, n)))
		}
	}
}

const stamps = 300

// BenchmarkToken: from the model API's write of a token to a subscriber of the
// daemon that has its text, against a reader of the agent's stdout in the same
// run.
func BenchmarkToken(b *testing.B) {
	h := newHome(b)
	h.start()
	script := fmt.Sprintf("stamps %d every 10ms", stamps)
	raw := rawReader(b, h, script)
	id := h.begin("say warm")
	var ours []time.Duration
	head := h.head()
	h.call("threads.send", map[string]any{"thread": id, "text": script}, nil)
	h.follow(head, func(e vyre.Event) bool {
		now := time.Now()
		if e.Kind == vyre.EvThreadText {
			var d vyre.ThreadText
			if json.Unmarshal(e.Data, &d) == nil {
				since(d.Text, now, &ours)
			}
		}
		return e.Kind == vyre.EvThreadFinished && len(ours) > 0
	})
	if len(ours) < stamps || len(raw) < stamps {
		b.Fatalf("%d and %d stamps of %d", len(raw), len(ours), stamps)
	}
	p50, p95 := at(ours, .5)-at(raw, .5), at(ours, .95)-at(raw, .95)
	report("model token → event at a subscriber, over a raw reader of the agent's stdout",
		fmt.Sprintf("p50 +%s, p95 +%s", ms(p50), ms(p95)), "p50 ≤ 2 ms, p95 ≤ 10 ms",
		fmt.Sprintf("%d tokens 10 ms apart; raw p50 %s p95 %s, ours p50 %s p95 %s",
			stamps, ms(at(raw, .5)), ms(at(raw, .95)), ms(at(ours, .5)), ms(at(ours, .95))))
}

// rawReader runs the script on an agent that this process holds itself.
func rawReader(b *testing.B, h *home, script string) []time.Duration {
	s, err := agent.Open(b.Context(), claude.New(), h.agent.Options()...)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	turn := func(text string) (out []time.Duration) {
		if _, err := s.Send(text); err != nil {
			b.Fatal(err)
		}
		for ev := range s.Events() {
			now := time.Now()
			switch ev := ev.(type) {
			case agent.Text:
				since(ev.Text, now, &out)
			case agent.TurnEnded:
				return out
			}
		}
		return out
	}
	turn("say warm")
	return turn(script)
}

// BenchmarkDelta: the daemon's and the shim's processor time for one delta.
func BenchmarkDelta(b *testing.B) {
	h := newHome(b)
	h.start()
	id := h.begin("say warm")
	const n = 3000
	for _, pace := range []string{"0s", "2ms"} {
		head, before := h.head(), cpu(b, h.cmd.Process.Pid)
		events := 0
		h.call("threads.send", map[string]any{"thread": id, "text": fmt.Sprintf("words %d every %s", n, pace)}, nil)
		h.follow(head, func(e vyre.Event) bool {
			if e.Kind == vyre.EvThreadText {
				events++
			}
			return e.Kind == vyre.EvThreadFinished && events > n/2 // not the turn before
		})
		used := cpu(b, h.cmd.Process.Pid) - before
		report(fmt.Sprintf("daemon CPU a delta, %d deltas %s apart, one subscriber", n, pace),
			ms(used/n), "≤ 0.3 ms", fmt.Sprintf("%v in all, %d events", used, events))
	}
}
