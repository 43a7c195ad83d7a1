package claude_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"vyre/agent"
)

var refresh = flag.Bool("update", os.Getenv("VYRE_UPDATE") != "", "write what is decoded into testdata")

func TestGolden(t *testing.T) {
	// What the real agent said, line by line, gives these events.
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no testdata", err)
	}
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(f)
			if err != nil {
				t.Fatal(err)
			}
			p := provider.Protocol(agent.Options{NativeID: "native", Tools: []agent.ToolSpec{addTool}})
			var got bytes.Buffer
			for line := range bytes.SplitSeq(bytes.TrimSuffix(ar.Files[0].Data, []byte("\n")), []byte("\n")) {
				for _, ev := range p.Decode(line) {
					writeEvent(&got, ev)
				}
				if p.Clean() {
					got.WriteString("(clean)\n")
				}
			}
			if *refresh {
				ar.Files[1].Data = got.Bytes()
				if err := os.WriteFile(f, txtar.Format(ar), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if d := cmp.Diff(string(ar.Files[1].Data), got.String()); d != "" {
				t.Errorf("events (-want +got):\n%s", d)
			}
		})
	}
}

// writeEvent prints an event as its type and its JSON.
func writeEvent(b *bytes.Buffer, ev agent.Event) {
	var j bytes.Buffer
	enc := json.NewEncoder(&j)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(ev); err != nil {
		fmt.Fprintf(&j, "%v\n", err)
	}
	fmt.Fprintf(b, "%s %s", strings.TrimPrefix(fmt.Sprintf("%T", ev), "agent."), j.Bytes())
}
