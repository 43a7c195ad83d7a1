package engine_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"

	"vyre"
	"vyre/internal/engine"
	"vyre/internal/redact"
	"vyre/internal/store/sqlite"
)

const planted = "SeCrEtVaLuE-0815"

// telling is a peer whose turn the test makes line by line.
func telling(t *testing.T) (*world, vyre.ThreadID, *peerProc) {
	t.Helper()
	w := newWorld(t, func(p *peerProc, f peerFrame) {
		switch f.Say {
		case "hello":
			p.say(peerLine{Type: "ready", Attach: f.Data["attach"] == true})
		case "send":
			p.say(peerLine{Type: "turn", Messages: []vyre.MessageID{vyre.MessageID(f.Data["id"].(string))}})
		}
	})
	w.redact.Add("one", []byte(planted))
	id := w.begin("go on with " + planted + "!")
	w.until("the turn", func(e vyre.Event) bool { return e.Kind == vyre.EvThreadTurn })
	return w, id, w.peers.newest()
}

// streamed puts a thread's deltas together, holding each to its place.
func (w *world) streamed(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	for _, e := range w.events() {
		var d vyre.ThreadText
		if e.Kind != vyre.EvThreadText || json.Unmarshal(e.Data, &d) != nil {
			continue
		}
		if d.Offset != b.Len() {
			t.Errorf("a delta at %d, after %d bytes", d.Offset, b.Len())
		}
		b.WriteString(d.Text)
	}
	return b.String()
}

func TestSecretOverTwoDeltas(t *testing.T) {
	// A secret that comes in pieces is in no event, also where the daemon is another one between two of them.
	w, id, proc := telling(t)
	say := func(offset int, text string) {
		proc.say(peerLine{Type: "text", Key: "t1", Offset: offset, Text: text})
	}
	say(0, "It is SeCrEt")
	w.until("the first words", func(e vyre.Event) bool { return e.Kind == vyre.EvThreadText })
	w.restart()
	say(12, "VaLuE-08")
	say(20, "15. And SeCr")
	w.until("the mark", func(e vyre.Event) bool {
		return e.Kind == vyre.EvThreadText && strings.Contains(string(e.Data), "[redacted:one]")
	})
	proc.say(peerLine{Type: "end", Status: "completed"})
	w.untilKind(vyre.EvThreadFinished, 1)
	want := "It is [redacted:one]. And SeCr"
	if got := w.streamed(t); got != want {
		t.Errorf("streamed %q", got)
	}
	items, _, err := w.db.Items(t.Context(), sqlite.ItemQuery{Thread: id, Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	if last := items[len(items)-1]; last.Text != want {
		t.Errorf("the item that was never told whole: %q", last.Text)
	}
	for _, e := range w.events() {
		if strings.Contains(string(e.Data), planted) {
			t.Errorf("%s %s", e.Kind, e.Data)
		}
	}
}

func TestSecretGoesToNoAgent(t *testing.T) {
	// What a person sends goes to the agent, and into rows, with the item's name in the place of its value.
	w, id, proc := telling(t)
	if f := proc.sent(1); f.Data["text"] != "go on with [redacted:one]!" {
		t.Errorf("sent %q", f.Data["text"])
	}
	items, _, err := w.db.Items(t.Context(), sqlite.ItemQuery{Thread: id, Limit: 10})
	if err != nil || items[0].Text != "go on with [redacted:one]!" {
		t.Errorf("%v %+v", err, items)
	}
}

func TestAskIsShownWithoutSecrets(t *testing.T) {
	// A question about a call with a secret shows its name; an answer may not put back what it could not see.
	w, id, proc := telling(t)
	proc.say(peerLine{Type: "ask", Request: "r1", Text: "curl -H " + planted})
	w.untilKind(vyre.EvAskRaised, 1)
	a := w.asks(id)[0]
	if a.Title != "curl -H [redacted:one]" || a.Digest != vyre.DigestOf(a) {
		t.Errorf("%q, digest of what is shown: %v", a.Title, a.Digest == vyre.DigestOf(a))
	}
	for _, input := range []string{`{"command":"curl -H [redacted:one]"}`, `{"command":"` + planted + `"}`} {
		_, err := w.eng.Answer(t.Context(), engine.AnswerInput{
			Ask: a.ID, Decision: vyre.Allow, Input: json.RawMessage(input), By: vyre.Person(vyre.Owner, "test"),
		})
		if e := vyre.AsError(err); e == nil || e.Field != "input" {
			t.Errorf("%s: %v", input, err)
		}
	}
	if _, err := w.eng.Answer(t.Context(), engine.AnswerInput{
		Ask: a.ID, Decision: vyre.Deny, Message: "not with " + planted, By: vyre.Person(vyre.Owner, "test"),
	}); err != nil {
		t.Fatal(err)
	}
	if a := w.asks(id); len(a) > 0 && strings.Contains(a[0].Message, planted) {
		t.Errorf("the note: %q", a[0].Message)
	}
	w.until("no event with it", func(e vyre.Event) bool {
		if strings.Contains(string(e.Data), planted) {
			t.Errorf("%s %s", e.Kind, e.Data)
		}
		return e.Kind == vyre.EvAskAnswered
	})
}

func TestPlantedSecrets(t *testing.T) {
	// Of a thousand secrets that an agent says in pieces, prints, asks with and makes noise with, in every form, no byte is
	// in the database, its log file or an event.
	w, _, proc := telling(t)
	const count = 1000
	var forms []string
	var all []redact.Secret
	for i := range count {
		s := fmt.Sprintf("pl4nted/%s+%d", vyre.NewSecret()[:22], i)
		all = append(all, redact.Secret{Name: fmt.Sprint("s", i), Value: []byte(s)})
		b64 := base64.StdEncoding.EncodeToString([]byte(s))
		forms = append(forms, s, b64[:24], url.QueryEscape(s), hex.EncodeToString([]byte(s)), base64.StdEncoding.EncodeToString([]byte("ab" + s))[4:24])
	}
	w.redact.AddAll(all)
	offset := 0
	for i, s := range all {
		text := []string{
			string(s.Value), base64.StdEncoding.EncodeToString(s.Value), base64.URLEncoding.EncodeToString(append([]byte("ab"), s.Value...)),
			url.QueryEscape(string(s.Value)), hex.EncodeToString(s.Value),
		}[i%5] + "\n"
		cut := 1 + i%(len(text)-1)
		proc.say(peerLine{Type: "text", Key: "t1", Offset: offset, Text: text[:cut]}, peerLine{Type: "text", Key: "t1", Offset: offset + cut, Text: text[cut:]})
		offset += len(text)
		switch i % 4 {
		case 0:
			proc.say(peerLine{Type: "tool", Key: fmt.Sprint("c", i)}, peerLine{Type: "result", Key: fmt.Sprint("c", i), Text: strings.Repeat(text, 1+i%3*900)})
		case 1:
			proc.say(peerLine{Type: "ask", Request: fmt.Sprint("r", i), Text: text})
		case 2:
			proc.say(peerLine{Type: "said", Key: fmt.Sprint("w", i), Text: text}, peerLine{Type: text})
		case 3:
			proc.say(peerLine{Type: "task", Key: fmt.Sprint("k", i), Text: text, Status: "completed"})
		}
	}
	proc.say(peerLine{Type: "end", Status: "completed"})
	w.untilKind(vyre.EvThreadFinished, 1)
	if n := strings.Count(w.streamed(t), "[redacted:s"); n != count {
		t.Errorf("%d of %d were told as redacted", n, count)
	}
	w.stop()
	looked := 0
	for _, path := range []string{w.dbPath, w.dbPath + "-wal"} {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		looked += len(b)
		for _, f := range forms {
			if bytes.Contains(b, []byte(f)) {
				t.Fatalf("%q is in %s", f, path)
			}
		}
	}
	if looked < 1<<20 {
		t.Errorf("only %d bytes were looked at", looked)
	}
	for _, e := range w.events() {
		for _, f := range forms[:50] {
			if bytes.Contains(e.Data, []byte(f)) {
				t.Fatalf("%q in %s", f, e.Data)
			}
		}
	}
}
