package registry

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"vyre"
)

func decodeSample(input string) (sample, error) { return Decode[sample]([]byte(input)) }

// with adds members to an input that is good by itself.
func with(members string) string { return `{"thread":"t1","text":"x",` + members + `}` }

// Whatever is not exactly what the tool declares is refused with code invalid,
// and the message names the field by its path.
func TestDecodeRefuses(t *testing.T) {
	deepList := strings.Repeat("[", 100) + strings.Repeat("]", 100)
	manyNulls := "[" + strings.Repeat("0,", maxValues) + "0]"
	for name, c := range map[string]struct{ input, field, says, hint string }{
		"unknown field":       {with(`"mod":"ask"`), "mod", "no such field", "mode"},
		"far unknown field":   {with(`"zebra":1`), "zebra", "no such field", "thread, text, mode"},
		"wrong case":          {`{"Thread":"t1","text":"x"}`, "Thread", "no such field", "thread"},
		"unknown, nested":     {with(`"list":[{"scope":"once"},{"scope":"once","deep":[{"n":1},{"m":2}]}]`), "list[1].deep[1].m", "no such field", "n"},
		"doubled field":       {with(`"limit":1,"limit":1`), "limit", "given twice", ""},
		"doubled by escape":   {`{"text":"x","t\u0065xt":"y","thread":"t1"}`, "text", "given twice", ""},
		"doubled in raw":      {with(`"input":{"a":{"b":1,"b":2}}`), "input.a.b", "given twice", ""},
		"missing":             {`{"thread":"t1"}`, "text", "required", ""},
		"missing, nested":     {with(`"list":[{}]`), "list[0].scope", "required", ""},
		"string for number":   {with(`"limit":"1"`), "limit", "must be a whole number, not a string", ""},
		"number for string":   {`{"thread":"t1","text":1}`, "text", "must be a string, not a number", ""},
		"null for string":     {`{"thread":"t1","text":null}`, "text", "must be a string, not null", ""},
		"null list":           {with(`"list":null`), "list", "must be a list, not null", ""},
		"object for list":     {with(`"list":{}`), "list", "must be a list, not an object", ""},
		"fraction":            {with(`"limit":1.5`), "limit", "whole number", ""},
		"exponent":            {with(`"limit":1e2`), "limit", "whole number", ""},
		"out of range":        {with(`"small":128`), "small", "out of range", ""},
		"negative seq":        {with(`"since_rev":-1`), "since_rev", "negative", ""},
		"bad enum":            {with(`"mode":"aks"`), "mode", "must be one of ask, edits, plan", "ask"},
		"empty enum":          {with(`"mode":""`), "mode", "must be one of", ""},
		"module's enum":       {with(`"act":"putt"`), "act", "must be one of put, delete", "put"},
		"enum, nested":        {with(`"inner":{"scope":"always"}`), "inner.scope", "once, session, project", ""},
		"bad id":              {`{"thread":"T 1","text":"x"}`, "thread", "a-z 0-9", ""},
		"empty id":            {`{"thread":"","text":"x"}`, "thread", "a-z 0-9", ""},
		"long id":             {`{"thread":"` + strings.Repeat("a", 65) + `","text":"x"}`, "thread", "1 to 64", ""},
		"bad turn":            {with(`"turn":"t1:0"`), "turn", "turn id", ""},
		"bad time":            {with(`"at":"yesterday"`), "at", "RFC 3339", ""},
		"map of wrong values": {with(`"answers":{"Why?":1}`), "answers.Why?", "must be a string", ""},
		"past 2^53":           {with(`"limit":9007199254740993`), "limit", "2^53", ""},
		"past 2^53 in raw":    {with(`"input":[9007199254740993]`), "input[0]", "2^53", ""},
		"infinite":            {with(`"ratio":1e999`), "ratio", "2^53", ""},
		"depth":               {with(`"input":` + deepList), "input" + strings.Repeat("[0]", 64), "deeper than 64", ""},
		"values":              {with(`"input":` + manyNulls), "input[65532]", "more than 65536 values", ""},
		"lone surrogate":      {`{"thread":"t1","text":"\ud800"}`, "text", "surrogate", ""},
		"low surrogate":       {`{"thread":"t1","text":"\udc00x"}`, "text", "surrogate", ""},
		"control character":   {"{\"thread\":\"t1\",\"text\":\"a\nb\"}", "text", "control character", ""},
		"bad escape":          {`{"thread":"t1","text":"\x"}`, "text", "escape", ""},
		"leading zero":        {with(`"limit":01`), "", `"," or "}"`, ""},
		"invalid UTF-8":       {"{\"thread\":\"t1\",\"text\":\"\xff\"}", "", "UTF-8", ""},
		"byte order mark":     {"\ufeff{}", "", "not JSON", ""},
		"trailing bytes":      {`{"thread":"t1","text":"x"} {}`, "", "more after", ""},
		"trailing comma":      {`{"thread":"t1","text":"x",}`, "", "name in double quotes", ""},
		"comment":             {`/*x*/{}`, "", "not JSON", ""},
		"cut":                 {`{"thread":"t1","text":"x`, "text", "ends inside", ""},
		"list at the top":     {`[]`, "", "must be an object, not a list", ""},
		"null at the top":     {`null`, "", "must be an object, not null", ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := decodeSample(c.input)
			e := code(t, err, vyre.CodeInvalid)
			if e.Field != c.field || !strings.Contains(e.Message, c.says) || !strings.Contains(e.Hint, c.hint) {
				t.Errorf("field %q, message %q, hint %q; want field %q, saying %q, hinting %q", e.Field, e.Message, e.Hint, c.field, c.says, c.hint)
			}
			if c.field != "" && !strings.HasPrefix(e.Message, c.field+": ") {
				t.Errorf("the message does not begin with the field: %q", e.Message)
			}
		})
	}
}

// A field's name that comes from outside is repeated only in part.
func TestDecodeCutsForeignNames(t *testing.T) {
	_, err := decodeSample(`{"` + strings.Repeat("é", 5000) + `":1}`)
	if e := code(t, err, vyre.CodeInvalid); len(e.Message) > 400 {
		t.Errorf("a message of %d bytes", len(e.Message))
	}
}

// What is good arrives as it was sent, raw JSON byte for byte.
func TestDecodeTakes(t *testing.T) {
	got, err := decodeSample(with(`"mode":"plan","limit":9007199254740992,"small":-128,"since_rev":0,"turn":"t1:3",` +
		`"at":"2026-01-02T03:04:05.006Z","input": {"a" : [1, "<&>"]} ,"answers":{"Why?":"so"},` +
		`"inner":{"scope":"once"},"list":[{"scope":"session","deep":[{"n":7}]}],"yes":true,"ratio":1.5,"act":"put","extra":"\ud83d\ude00"`))
	if err != nil {
		t.Fatal(err)
	}
	at := vyre.Time(1767323045006)
	want := sample{
		Thread: "t1", Text: "x", Mode: vyre.ModePlan, Limit: 1 << 53, Small: -128, Since: new(vyre.Seq(0)), Turn: "t1:3",
		At: at, Raw: json.RawMessage(`{"a" : [1, "<&>"]}`), Answers: map[string]string{"Why?": "so"},
		Inner: inner{Scope: vyre.ScopeOnce}, List: []inner{{Scope: vyre.ScopeSession, Deep: []deep{{7}}}},
		Yes: true, Ratio: 1.5, Act: "put", embedded: embedded{Extra: "😀"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	for _, input := range []string{"", " \n", "{}"} {
		if _, err := Decode[none]([]byte(input)); err != nil {
			t.Errorf("%q: %v", input, err)
		}
	}
	if _, err := decodeSample(with(`"turn":null,"since_rev":null,"at":null,"input":null`)); err != nil {
		t.Error(err)
	}
}

// The decoder never panics, takes only what the published schema takes, and
// refuses nothing that the schema takes but for the bounds that a schema can't
// say.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{
		``, `{}`, `null`, `[1,2]`, with(`"limit":1`), with(`"list":[{"scope":"once","deep":[{"n":1}]}]`), with(`"turn":null`),
		with(`"input":{"a":[null,true,"\u00e9\ud83d\ude00",-0.5e-3]}`), `{"thread":"t1","text":"\ud800"}`, with(`"answers":{"":""}`),
		with(`"at":"2026-01-02T03:04:05Z"`), with(`"since_rev":-0`), "\xff", `{"a":1,"a":2}`, with(`"act":"put","mode":"ask"`),
	} {
		f.Add([]byte(s))
	}
	in, err := inputSchema(reflect.TypeFor[sample]())
	if err != nil {
		f.Fatal(err)
	}
	schema, err := in.Resolve(&jsonschema.ResolveOptions{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		_, err := decodeSample(string(input))
		if err != nil {
			code(t, err, vyre.CodeInvalid)
		}
		var v any
		if json.Unmarshal(input, &v) != nil {
			if err == nil && len(strings.TrimSpace(string(input))) > 0 {
				t.Fatalf("took what is not JSON: %q", input)
			}
			return
		}
		bad := schema.Validate(v)
		if err == nil && bad != nil {
			t.Fatalf("took what the schema refuses: %q: %v", input, bad)
		}
		if err != nil && bad == nil && !beyondSchema(err) {
			t.Fatalf("refused what the schema takes: %q: %v", input, err)
		}
	})
}

// beyondSchema names the refusals that a JSON Schema can't express.
func beyondSchema(err error) bool {
	for _, s := range []string{"given twice", "2^53", "deeper", "more than", "surrogate", "UTF-8", "whole number", "out of range", "RFC 3339"} {
		if strings.Contains(vyre.AsError(err).Message, s) {
			return true
		}
	}
	return false
}
