package cli

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"vyre"
	"vyre/internal/cli/term"
	"vyre/internal/cli/view"
)

// cmdPolicy says what would become of a command, an edit or a reading.
func (a *app) cmdPolicy() *cobra.Command {
	var cwd, write, read string
	c := a.command("policy [-- command line]", "Say whether an agent's command would be refused, asked or let pass, and why", 0, -1, func(ctx context.Context, args []string) error {
		dir, err := filepath.Abs(cwd)
		if err != nil {
			return vyre.Invalid("cwd", "this is no path")
		}
		type member map[string]string
		in := struct {
			Tool  string `json:"tool"`
			Input member `json:"input"`
			CWD   string `json:"cwd"`
		}{CWD: dir}
		switch line := strings.Join(args, " "); {
		case line != "" && write == "" && read == "":
			in.Tool, in.Input = "Bash", member{"command": line}
		case write != "" && line == "" && read == "":
			in.Tool, in.Input = "Write", member{"file_path": write, "content": ""}
		case read != "" && line == "" && write == "":
			in.Tool, in.Input = "Read", member{"file_path": read}
		default:
			return vyre.Invalid("command", "one of a command line, --write and --read")
		}
		return tool(ctx, a, "policy.try", in, func(out verdictShape) string { return a.showVerdict(out) })
	})
	c.Long = "Nothing runs. Put the command line in quotes, so that your shell leaves it as it is:\n" +
		"  vyre policy 'git log | head; npm test'"
	f := c.Flags()
	f.StringVar(&cwd, "cwd", ".", "the folder it would run in")
	f.StringVar(&write, "write", "", "a file that would be written instead")
	f.StringVar(&read, "read", "", "a file that would be read instead")
	return c
}

type verdictShape struct {
	Verdict vyre.Verdict `json:"verdict"`
	Why     string       `json:"why"`
	By      string       `json:"by"`
	Parts   []struct {
		Text    string       `json:"text"`
		Verdict vyre.Verdict `json:"verdict"`
		By      string       `json:"by"`
		Why     string       `json:"why"`
	} `json:"parts"`
}

func (a *app) showVerdict(v verdictShape) string {
	rows := make([][]string, 0, len(v.Parts))
	for _, p := range v.Parts {
		rows = append(rows, []string{string(p.Verdict), p.By, term.Line(p.Text, 100), term.Line(p.Why, 200)})
	}
	s := string(v.Verdict) + ", by " + v.By
	if v.Why != "" {
		s += ": " + term.Line(v.Why, 300)
	}
	if len(rows) == 0 {
		return s + "\n"
	}
	return s + "\n" + view.Table(a.dataStyle(), []string{"VERDICT", "BY", "PART", "WHY"}, rows)
}
