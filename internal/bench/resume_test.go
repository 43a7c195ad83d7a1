package bench

import (
	"fmt"
	"testing"
	"time"

	"vyre"
)

// BenchmarkResume: from a send to a stopped thread until a subscriber has the first
// words of the answer. Most of it is the agent's own start.
func BenchmarkResume(b *testing.B) {
	h := newHome(b)
	h.start()
	id := h.begin("say warm")
	var took []time.Duration
	for turn := range 9 {
		head := h.head()
		if turn > 0 {
			h.call("threads.stop", map[string]any{"thread": id}, nil)
		}
		begun, first := time.Now(), time.Duration(0)
		h.call("threads.send", map[string]any{"thread": id, "text": "say again"}, nil)
		h.follow(head, func(e vyre.Event) bool {
			if e.Kind == vyre.EvThreadText && first == 0 {
				first = time.Since(begun)
			}
			return e.Kind == vyre.EvThreadFinished && first > 0
		})
		if turn > 0 {
			took = append(took, first)
		}
	}
	report("resume to first token", fmt.Sprintf("p50 %s, max %s", ms(at(took, .5)), ms(at(took, 1))), "",
		fmt.Sprintf("send to a stopped thread → its first thread.text, %d resumes", len(took)))
}
