package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// secretText draws what people keep in a vault: keys, passwords, several lines.
func secretText() *rapid.Generator[string] {
	drawn := rapid.OneOf(
		rapid.StringMatching(`sk-ant-[a-zA-Z0-9_-]{20,90}`),
		rapid.StringMatching(`[a-zA-Z0-9+/]{24,60}==`),
		rapid.StringMatching(`[ -~]{12,40}`),
		rapid.StringMatching(`[nrtbfux%\\"'/<>&é😀]{4}[a-z0-9]{8,20}`),
		rapid.StringMatching(`-----BEGIN KEY-----\n([a-zA-Z0-9+/]{40}\n){2,3}-----END KEY-----\n`),
	)
	trimmed := rapid.Map(drawn, func(s string) string { return strings.Trim(s, " +-%\\\n") })
	return trimmed.Filter(func(s string) bool { return Covers([]byte(s)) })
}

func asJSON(s string) string {
	b, _ := json.Marshal(s)
	return string(b[1 : len(b)-1])
}

func plainJSON(s string) string { // without Go's escapes for HTML
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s)
	return b.String()[1 : b.Len()-2]
}

func wrapped(s string) string { // as base64(1) writes it
	var out []string
	for len(s) > 76 {
		out, s = append(out, s[:76]), s[76:]
	}
	return strings.Join(append(out, s), "\n")
}

// disguises are the forms that a secret is found in.
var disguises = map[string]func(string) string{
	"raw":            func(s string) string { return s },
	"json":           asJSON,
	"json plain":     plainJSON,
	"json twice":     func(s string) string { return asJSON(asJSON(s)) },
	"json thrice":    func(s string) string { return plainJSON(plainJSON(asJSON(s))) },
	"unicode":        func(s string) string { return unicode(s) },
	"query":          url.QueryEscape,
	"path":           url.PathEscape,
	"query twice":    func(s string) string { return url.QueryEscape(url.QueryEscape(s)) },
	"query in json":  func(s string) string { return asJSON(url.QueryEscape(s)) },
	"all percent":    percent,
	"base64":         func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
	"base64 at 1":    func(s string) string { return base64.StdEncoding.EncodeToString([]byte("a" + s + "yz")) },
	"base64 at 2":    func(s string) string { return base64.StdEncoding.EncodeToString([]byte("ab" + s + "z")) },
	"base64 url":     func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) },
	"base64 wrapped": func(s string) string { return wrapped(base64.StdEncoding.EncodeToString([]byte(s))) },
	"base64 wrapped, json": func(s string) string {
		return asJSON(wrapped(base64.StdEncoding.EncodeToString([]byte("user:" + s))))
	},
	"hex":       func(s string) string { return hex.EncodeToString([]byte(s)) },
	"upper hex": func(s string) string { return strings.ToUpper(hex.EncodeToString([]byte(s))) },
	"indented":  func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n    ") },
}

func unicode(s string) string { return string(unicodeAll([]byte(s))) }

func percent(s string) string { return string(percentAll([]byte(s))) }

func TestEveryFormIsFound(t *testing.T) {
	// A secret is replaced in each of its forms, wherever it stands, and what is around it stays.
	for name, disguise := range disguises {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				secret := secretText().Draw(rt, "secret")
				r := New([]Secret{{"one", []byte(secret)}})
				hidden := disguise(strings.TrimSpace(secret))
				text := "before: " + hidden + " :after"
				got := r.String(text)
				if !strings.Contains(got, "[redacted:one]") {
					rt.Fatalf("%q stays", text)
				}
				if !strings.HasPrefix(got, "before: ") || !strings.HasSuffix(got, " :after") {
					rt.Fatalf("%q became %q", text, got)
				}
				if strings.Contains(name, "base64") {
					return // its first and last characters belong to what is around it too
				}
				if strings.ContainsAny(secret, `%\`) {
					return // so may characters at its end that could begin an escape
				}
				if got != "before: [redacted:one] :after" {
					rt.Fatalf("%q became %q", text, got)
				}
			})
		})
	}
}

func TestBehindAnEscape(t *testing.T) {
	// A character before a secret that would make an escape of its start does not hide it.
	for _, secret := range []string{"n0tASecret-7", "u00e9xyzw-abc", "x41bcdefgh7", "41abcdefgh7", "tabula-rasa1", "secretive1%4", "secret99%"} {
		r := New([]Secret{{"one", []byte(secret)}})
		for _, head := range []string{`\`, `\\`, `%`, `C:\`, `\n`, `"`, `\"`, ` `} {
			for _, tail := range []string{"", "41", `\n`, `"`, `\u0041`} {
				if got := r.String(head + secret + tail); !strings.Contains(got, "[redacted:one]") {
					t.Errorf("%q stays", got)
				}
			}
		}
	}
}

func TestStreamIsTheWhole(t *testing.T) {
	// Cut into any pieces a text comes out as it does in one, and no piece gives a secret's start.
	rapid.Check(t, func(rt *rapid.T) {
		var secrets []Secret
		for i := range rapid.IntRange(1, 4).Draw(rt, "secrets") {
			secrets = append(secrets, Secret{fmt.Sprint("s", i), []byte(secretText().Draw(rt, "secret"))})
		}
		r := New(secrets)
		var names []string
		for n := range disguises {
			names = append(names, n)
		}
		var text []byte
		for range rapid.IntRange(0, 6).Draw(rt, "parts") {
			text = append(text, rapid.StringMatching(`[ -~\n\\%é]{0,12}`).Draw(rt, "noise")...)
			s := secrets[rapid.IntRange(0, len(secrets)-1).Draw(rt, "which")]
			hidden := disguises[rapid.SampledFrom(names).Draw(rt, "form")](string(s.Value))
			text = append(text, hidden[:rapid.IntRange(0, len(hidden)).Draw(rt, "cut")]...)
		}
		want := r.Bytes(text)
		s := r.Stream()
		var got []byte
		for rest := text; len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(rt, "piece")
			got = append(got, s.Write(rest[:n])...)
			rest = rest[n:]
			if r.Has(got) {
				rt.Fatalf("gave a secret: %q", got)
			}
		}
		if got = append(got, s.Flush()...); !bytes.Equal(got, want) {
			rt.Fatalf("in pieces %q, whole %q", got, want)
		}
	})
}

func TestStreamHoldsOnlyTheStart(t *testing.T) {
	// What can't be part of a secret is given at once; a start of one is held until it is decided.
	s := New([]Secret{{"one", []byte("SeCrEtVaLuE1")}}).Stream()
	for _, step := range []struct{ in, out string }{
		{"hello ", "hello "},
		{"wor", "wor"},
		{"ld se", "ld "},
		{"cret", ""},
		{"val", ""},
		{"ley.", "secretvalley."},
		{"SeCrEtVaL", ""},
		{"uE1", ""},
		{"!", "[redacted:one]!"},
		{`a\`, "a"},
		{"n", `\n`},
	} {
		if got := string(s.Write([]byte(step.in))); got != step.out {
			t.Errorf("%q gave %q, want %q", step.in, got, step.out)
		}
	}
}

func TestShortValuesAreLeft(t *testing.T) {
	// A value that would be found everywhere is not looked for, by a rule that can be asked.
	for value, want := range map[string]bool{
		"": false, "abcdefg": false, "abcdefg1": true, "completed": false, "correcthorsebattery": true, "aaaaaaaaaaaa": false, "ababababab": false, "abcabcabcabc": false,
		"a-b-c-d-e-1": false, "a b c d e f g 1": true, "        ": false,
	} {
		if got := Covers([]byte(value)); got != want {
			t.Errorf("Covers(%q) = %v", value, got)
		}
		r := New([]Secret{{"one", []byte(value)}})
		if got := r.Has([]byte("x" + value + "y and more text")); got != want {
			t.Errorf("%q found: %v", value, got)
		}
	}
}

func TestLinesOfABlock(t *testing.T) {
	// One line of a private key is a secret too; its first line, which all have, is none.
	key := "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\nBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n-----END PRIVATE KEY-----\n"
	r := New([]Secret{{"pem", []byte(key)}})
	got := r.String("1  -----BEGIN PRIVATE KEY-----\n2  MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n3  BKcw")
	if want := "1  -----BEGIN PRIVATE KEY-----\n2  [redacted:pem]\n3  BKcw"; got != want {
		t.Errorf("got %q", got)
	}
}

func TestJSONStaysJSON(t *testing.T) {
	// A redacted JSON text is one still, with the same shape, and holds the secret in no string and key.
	rapid.Check(t, func(rt *rapid.T) {
		secret := secretText().Draw(rt, "secret")
		r := New([]Secret{{"one", []byte(secret)}, {"pin", []byte("1234567890")}})
		doc := map[string]any{
			"a": "x" + secret + "y", "k" + secret: []any{secret, 12.5, nil, true}, "n": json.Number("1234567890"),
			"deep": map[string]any{"text": asJSON(secret), "b": base64.StdEncoding.EncodeToString([]byte(secret))},
		}
		in, err := json.Marshal(doc)
		if err != nil {
			rt.Fatal(err)
		}
		out := r.JSON(in)
		var got map[string]any
		if err := json.Unmarshal(out, &got); err != nil {
			rt.Fatalf("%s: %v", out, err)
		}
		if len(got) != 4 || got["n"] != "[redacted:pin]" || got["a"] != "x[redacted:one]y" || r.Has(out) {
			rt.Fatalf("%s", out)
		}
	})
}

func TestCleanTextIsNotCopied(t *testing.T) {
	// Text without a secret comes back as it is, JSON with odd spacing too.
	r := New([]Secret{{"one", []byte("SeCrEtVaLuE1")}})
	in := []byte(`{ "a" : 1.50 , "b":"SeCrEt" }`)
	if out := r.JSON(in); &out[0] != &in[0] {
		t.Errorf("copied: %s", out)
	}
	none := New(nil)
	if n := testing.AllocsPerRun(100, func() { none.Bytes(in) }); n > 0 {
		t.Errorf("%v allocations without secrets", n)
	}
}

func TestLiveTakesNewSecretsAtOnce(t *testing.T) {
	// A value that is added in the middle of a stream is found there, what the stream holds included.
	l := NewLive()
	l.Add("old", []byte("SeCrEtVaLuE1"))
	s := l.Stream()
	got := string(s.Write([]byte("a secretv")))
	l.Add("new", []byte("secretVisit1"))
	got += string(s.Write([]byte("isit1 b")))
	got += string(s.Flush())
	if got != "a [redacted:new] b" {
		t.Errorf("got %q", got)
	}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			v := fmt.Sprintf("value-number-%d", i)
			l.Add("n", []byte(v))
			if out := l.String("x " + v); out != "x [redacted:n]" {
				t.Errorf("got %q", out)
			}
		})
	}
	wg.Wait()
}

func TestLinear(t *testing.T) {
	// A thousand secrets are looked for in 1 MiB in far under 50 ms, also where every byte is almost one.
	var secrets []Secret
	for i := range 1000 {
		secrets = append(secrets, Secret{fmt.Sprint("s", i), fmt.Appendf(nil, "sk-ant-api03-%064d-%d", i*7919, i)})
	}
	secrets = append(secrets, Secret{"periodic", []byte(strings.Repeat("abcdabcd", 8<<10-1) + "e")})
	r := New(secrets)
	for name, text := range map[string][]byte{
		"periodic": bytes.Repeat([]byte("abcd"), 256<<10),
		"escapes":  bytes.Repeat([]byte(`\u00`), 256<<10),
		"percent":  bytes.Repeat([]byte(`%25%`), 256<<10),
		"code":     bytes.Repeat([]byte("for i := range n { s += sk-ant-api03-0000 }\n"), 24<<10)[:1<<20],
	} {
		start := time.Now()
		r.Bytes(text)
		took := time.Since(start)
		t.Logf("%s: %v", name, took)
		if took > 500*time.Millisecond { // ten times the promise: other tests run beside it
			t.Errorf("%s took %v", name, took)
		}
	}
}

func FuzzNormal(f *testing.F) {
	// The normal form is that of the text whatever escapes are put on it, and no text makes it panic.
	for _, s := range []string{"a\nb", `C:\new`, "%41%", `\u0041\ud83d\ude00`, "é😀", `%5Cn`, `a%`, `\`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r := New([]Secret{{"one", []byte("SeCrEtVaLuE1")}})
		st := r.Stream()
		out := append([]byte{}, st.Write([]byte(s))...)
		out = append(out, st.Flush()...)
		if want := r.String(s); string(out) != want {
			t.Fatalf("stream %q, whole %q", out, want)
		}
		s = strings.ToValidUTF8(s, "")
		if !strings.Contains(s, "%") {
			if a, b := normalise([]byte(s)), normalise([]byte(asJSON(s))); !bytes.Equal(a, b) {
				t.Fatalf("%q: %q, escaped %q", s, a, b)
			}
		}
		if !strings.Contains(s, `\`) {
			if a, b := normalise([]byte(s)), normalise([]byte(url.PathEscape(s))); !bytes.Equal(a, b) {
				t.Fatalf("%q: %q, percent-encoded %q", s, a, b)
			}
		}
	})
}

func BenchmarkMiB(b *testing.B) {
	var secrets []Secret
	for i := range 100 {
		secrets = append(secrets, Secret{fmt.Sprint("s", i), fmt.Appendf(nil, "sk-ant-api03-%064d-%d", i*7919, i)})
	}
	r := New(secrets)
	text := bytes.Repeat([]byte("func (a *app) secret(ctx context.Context, name string) (string, error) {\n"), 16<<10)[:1<<20]
	b.SetBytes(1 << 20)
	for b.Loop() {
		r.Bytes(text)
	}
}
