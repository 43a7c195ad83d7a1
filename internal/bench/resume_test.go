package bench

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"vyre"
	"vyre/agent"
	"vyre/agent/claude"
)

// BenchmarkResume: from a message to a thread that was stopped until a subscriber of
// the daemon has the model's first word, against the agent itself resumed by this
// process in the same run. What is left is ours: the process's parent, the books and
// the way of the message.
func BenchmarkResume(b *testing.B) {
	h := newHome(b)
	h.start()
	const rounds = 5
	var ours, raw []time.Duration
	id := h.begin("say warm")
	for range rounds {
		h.call("threads.stop", map[string]any{"thread": id}, nil)
		head, sent := h.head(), time.Now()
		h.call("threads.send", map[string]any{"thread": id, "text": "say first"}, nil)
		h.follow(head, func(e vyre.Event) bool {
			var d vyre.ThreadText
			if e.Kind != vyre.EvThreadText || json.Unmarshal(e.Data, &d) != nil || d.Kind != vyre.ItemText {
				return false
			}
			ours = append(ours, time.Since(sent))
			return true
		})
		h.follow(head, func(e vyre.Event) bool { return e.Kind == vyre.EvThreadFinished })
		h.call("threads.stop", map[string]any{"thread": id}, nil)
		raw = append(raw, rawResume(b, h, nativeOf(h, id)))
	}
	report("message to a stopped thread → first word at a subscriber, over the agent resumed by hand",
		fmt.Sprintf("p50 %s, +%s over it", ms(at(ours, .5)), ms(at(ours, .5)-at(raw, .5))), "",
		fmt.Sprintf("%d rounds; by hand p50 %s, at most %s; ours at most %s", rounds, ms(at(raw, .5)), ms(at(raw, 1)), ms(at(ours, 1))))
}

// nativeOf: a thread and its first conversation at the agent share an id.
func nativeOf(_ *home, id vyre.ThreadID) string { return string(id) }

// rawResume runs the agent itself on the same conversation until its first word.
func rawResume(b *testing.B, h *home, native string) time.Duration {
	begun := time.Now()
	s, err := agent.Open(b.Context(), claude.New(), append(h.agent.Options(), agent.WithResume(native))...)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Send("say first"); err != nil {
		b.Fatal(err)
	}
	first := time.Duration(0)
	for ev := range s.Events() {
		switch ev := ev.(type) {
		case agent.Text:
			if ev.Kind == vyre.ItemText && first == 0 {
				first = time.Since(begun)
			}
		case agent.TurnEnded:
			return first
		}
	}
	b.Fatal("the agent ended before its turn")
	return 0
}
