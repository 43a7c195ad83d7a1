package engine

import (
	"unicode/utf8"

	"vyre"
	"vyre/agent"
	"vyre/internal/redact"
)

// saying is an item whose words come in pieces. A secret that lies over several is
// known only when all of it is there, so an end that may be its start is held back
// until more comes or the item ends.
type saying struct {
	words *redact.LiveStream
	heard int // bytes that the agent has said of it
	told  int // bytes that the log has, or gets with this change
}

// hear takes the agent's next words of an item and returns what may be told, and its
// place in the item's text as the log has it.
func (o *owner) hear(ev agent.Text) (text string, offset int) {
	s := o.saying[ev.Key]
	if s == nil || ev.Offset < s.heard { // it begins again
		s = &saying{words: o.e.cfg.Redact.Stream(), told: ev.Offset}
		if o.saying == nil {
			o.saying = map[string]*saying{}
		}
		o.saying[ev.Key] = s
	}
	s.heard = ev.Offset + len(ev.Text)
	return s.tell(s.words.Write([]byte(ev.Text)))
}

func (s *saying) tell(b []byte) (string, int) {
	at := s.told
	s.told += len(b)
	return string(b), at
}

// said tells the words of an item that were held back: it ends.
func (o *owner) said(t *tx, it vyre.Item) {
	s := o.saying[it.Key]
	if s == nil {
		return
	}
	delete(o.saying, it.Key)
	text, offset := s.tell(s.words.Flush())
	t.words(it, text, offset)
}

// words tells words of an item in events of a bounded size.
func (t *tx) words(it vyre.Item, text string, offset int) {
	for text != "" {
		piece := head(text, maxWords)
		t.event(vyre.ThreadText{Item: it.ID, Kind: it.Kind, Offset: offset, Text: piece, Parent: it.Parent})
		offset, text = offset+len(piece), text[len(piece):]
	}
}

// maxWords bounds the words of one event in bytes: events are small.
const maxWords = 64 << 10

// head is the beginning of s of at most n bytes that does not cut a character.
func head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// listen takes words that an earlier daemon committed: nothing is told again, but
// what it held back was not, and the next words go on from there.
func (o *owner) listen(evs []agent.Event) {
	for _, ev := range evs {
		switch ev := ev.(type) {
		case agent.Text:
			o.hear(ev)
		case agent.Item:
			if ev.Status != vyre.ItemRunning {
				delete(o.saying, ev.Key)
			}
		}
	}
}
