package broker

import (
	"bytes"
	"io"
	"log"
	"log/slog"
	"net/http"
	"strings"

	"vyre"
)

// maxPart bounds what is kept of an answer to count it. A longer part is not counted.
const maxPart = 1 << 20

// count has an answer's usage counted as it passes.
func (p *place) count(r *http.Response) error {
	r.Header.Del("Set-Cookie")
	if r.StatusCode == http.StatusOK && !strings.HasSuffix(r.Request.URL.Path, "/count_tokens") {
		r.Body = &counting{ReadCloser: r.Body, p: p, lines: strings.HasPrefix(r.Header.Get("Content-Type"), "text/event-stream")}
	}
	return nil
}

// counting is an answer on its way.
type counting struct {
	io.ReadCloser
	p     *place
	lines bool // a stream of events; else one document
	part  []byte
	over  bool // the part is too long to be counted
}

func (c *counting) Read(b []byte) (int, error) {
	n, err := c.ReadCloser.Read(b)
	c.take(b[:n])
	if err != nil {
		c.end()
	}
	return n, err
}

func (c *counting) take(b []byte) {
	for len(b) > 0 {
		i := -1
		if c.lines {
			i = bytes.IndexByte(b, '\n')
		}
		if i < 0 {
			if len(c.part)+len(b) > maxPart {
				c.over = true
			} else {
				c.part = append(c.part, b...)
			}
			return
		}
		if len(c.part)+i <= maxPart {
			c.part = append(c.part, b[:i]...)
		} else {
			c.over = true
		}
		c.end()
		b = b[i+1:]
	}
}

// end counts the part that is there.
func (c *counting) end() {
	part, over := c.part, c.over
	c.part, c.over = c.part[:0], false
	if c.lines {
		var ok bool
		if part, ok = bytes.CutPrefix(part, []byte("data:")); !ok {
			return
		}
	}
	if over || len(part) == 0 {
		return
	}
	var u vyre.Usage
	c.p.s.Rules.Count(bytes.TrimSpace(part), &u)
	c.p.mu.Lock()
	defer c.p.mu.Unlock()
	c.p.use.InputTokens += u.InputTokens
	c.p.use.OutputTokens += u.OutputTokens
	c.p.use.CacheReadTokens += u.CacheReadTokens
	c.p.use.CacheWriteTokens += u.CacheWriteTokens
}

func quiet(l *slog.Logger) *log.Logger { return slog.NewLogLogger(l.Handler(), slog.LevelDebug) }
