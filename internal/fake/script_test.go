package fake

import (
	"encoding/json"
	"testing"
)

// FuzzScript: any message is a script or none; its rounds hold every tool call
// once, in order, and calls' inputs stay JSON whatever is put into them.
func FuzzScript(f *testing.F) {
	for _, s := range []string{
		"say a", "words 3 every 1us", "tool X {\"a\":\"$CWD $FILL:3 $RESULT\"}\nsay b\ntool Y {}\ntool Z {}\nnext\ntool W {}",
		"usage in=1", "error 500 x1", "story", "limit warning", "next\nnext", "tool", "cut x0",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		steps, ok := parse(s)
		if ok != (len(steps) > 0) {
			t.Fatal("a script without steps")
		}
		tools := 0
		for _, st := range steps {
			if st.kind == stepTool {
				tools++
				in := vars{result: `a"b\`, cwd: "/x\n"}.json(st.input)
				if !json.Valid([]byte(in)) {
					t.Fatalf("input %q became %q", st.input, in)
				}
			}
		}
		rs := rounds(steps)
		for n := 0; n < tools; {
			r, ok := at(rs, n)
			if !ok || r.tools == 0 && n > 0 {
				t.Fatalf("no round after %d of %d results", n, tools)
			}
			n += r.tools
		}
	})
}
