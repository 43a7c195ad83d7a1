package fake

import (
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"time"
)

type usage struct {
	In         int64 `json:"input_tokens"`
	Out        int64 `json:"output_tokens"`
	CacheRead  int64 `json:"cache_read_input_tokens"`
	CacheWrite int64 `json:"cache_creation_input_tokens"`
}

var defaultUsage = usage{In: 10, Out: 20, CacheRead: 1000, CacheWrite: 100}

// sink is how an answer leaves: as a stream or as a whole.
type sink interface {
	begin(h http.Header, u usage)
	open(kind, id, name string) // text, thinking, tool_use
	delta(text string)          // of the open block
	shut()
	end(stop string, u usage)
	fail(status int, kind, message string) // before begin or after it
}

// reply plays one round of a script into a sink.
type reply struct {
	api    *API
	ctx    context.Context //nolint:containedctx // of the one request that this answers
	key    string          // names the script in counters
	vars   vars
	usage  usage
	header http.Header
	out    sink

	begun bool
	block string // kind of the open block
}

func (p *reply) play(rd round) {
	for _, s := range rd.steps {
		if !p.step(s) {
			return
		}
	}
	p.begin()
	p.shut()
	stop := "end_turn"
	if rd.tools > 0 {
		stop = "tool_use"
	}
	p.out.end(stop, p.usage)
}

// step plays one line; false ends the answer where it is.
func (p *reply) step(s step) bool {
	switch s.kind {
	case stepSay:
		for _, part := range pieces(p.vars.text(s.text)) {
			p.text("text", part)
		}
		return true
	case stepThink:
		for _, part := range pieces(p.vars.text(s.text)) {
			p.text("thinking", part)
		}
		return true
	case stepWords:
		return p.words(s)
	case stepTool:
		p.begin()
		p.shut()
		p.out.open("tool_use", "toolu_"+rand.Text(), s.text)
		p.out.delta(p.vars.json(s.input))
		p.out.shut()
		return true
	case stepWait:
		return p.wait(s.d)
	case stepGate:
		return p.api.Gate(s.text).pass(p.ctx) == nil
	case stepError:
		if !p.api.due(p.counter(s), s.times) {
			return true
		}
		p.out.fail(s.n, errorKind(s.n), "scripted error")
		return false
	case stepCut:
		if !p.api.due(p.counter(s), s.times) {
			return true
		}
		panic(http.ErrAbortHandler) // net/http's own word for dropping the connection
	case stepLimit:
		if s.text != "rejected" || !p.api.due(p.counter(s), s.times) {
			return true
		}
		maps.Copy(p.header, limitHeaders(s))
		if st, ok := p.out.(*stream); ok {
			st.extra = p.header
		}
		p.out.fail(http.StatusTooManyRequests, "rate_limit_error", "limit reached")
		return false
	case stepUsage, stepNext:
	}
	return true
}

func (p *reply) counter(s step) string { return fmt.Sprintf("%d %s", s.line, p.key) }

func (p *reply) words(s step) bool {
	for i := 1; i <= s.n; i++ {
		p.text("text", spoken(s, i))
		if i < s.n && !p.wait(s.d) {
			return false
		}
	}
	return true
}

func (p *reply) wait(d time.Duration) bool {
	if d <= 0 {
		return p.ctx.Err() == nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-p.ctx.Done():
		return false
	}
}

func (p *reply) text(kind, words string) {
	p.begin()
	if p.block != kind {
		p.shut()
		p.out.open(kind, "", "")
		p.block = kind
	}
	p.out.delta(words)
}

func (p *reply) begin() {
	if !p.begun {
		p.begun = true
		p.out.begin(p.header, p.usage)
	}
}

func (p *reply) shut() {
	if p.block != "" {
		p.out.shut()
		p.block = ""
	}
}

// pieces cuts a text into a few deltas at spaces.
func pieces(text string) []string {
	var out []string
	for text != "" {
		cut := len(text)
		if len(text) > 12 {
			if i := strings.IndexByte(text[12:], ' '); i >= 0 {
				cut = 12 + i + 1
			}
		}
		out = append(out, text[:cut])
		text = text[cut:]
	}
	return out
}

// spoken is the i-th word of a step, or the moment at which it is written.
func spoken(s step, i int) string {
	if s.stamp {
		return strconv.FormatInt(time.Now().UnixNano(), 10) + " "
	}
	return word(i, s.n)
}
