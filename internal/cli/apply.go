package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"vyre"
	"vyre/internal/cli/term"
	"vyre/internal/client"
)

// cmdApply has the person make an edit that an agent wanted and may not make.
func (a *app) cmdApply() *cobra.Command {
	var item, digest string
	c := a.command("apply <ask | thread>", "Make an edit yourself that an agent wanted and may not make", 1, 1, func(ctx context.Context, args []string) error {
		c, err := a.client()
		if err != nil {
			return err
		}
		defer c.Close()
		in := applyInput{Item: vyre.ItemID(item)}
		if item == "" {
			in.Ask, err = a.ask(ctx, c, args[0])
		} else {
			in.Thread, err = a.thread(ctx, c, args[0])
		}
		if err != nil {
			return err
		}
		if digest == "" {
			if digest, err = a.agreed(ctx, c, in); err != nil {
				return err
			}
		}
		in.Digest = digest
		return tool(ctx, a, "threads.apply", in, func(out struct {
			Path string `json:"path"`
		},
		) string {
			return done("wrote %s", term.Line(out.Path, 400))
		})
	})
	c.Long = "Shows the file as it would be and asks. With --item it is the call of a thread that was refused."
	c.Flags().StringVar(&item, "item", "", "the item of the refused call")
	c.Flags().StringVar(&digest, "digest", "", "of the preview that you read; without it you are asked")
	return c
}

type applyInput struct {
	Ask    vyre.AskID    `json:"ask,omitempty"`
	Thread vyre.ThreadID `json:"thread,omitempty"`
	Item   vyre.ItemID   `json:"item,omitempty"`
	Digest string        `json:"digest,omitempty"`
}

// agreed shows what would be written and returns its digest once a person said yes.
func (a *app) agreed(ctx context.Context, c *client.Client, in applyInput) (string, error) {
	var plan vyre.FilePlan
	if err := c.Call(ctx, "threads.apply_preview", in, &plan); err != nil {
		return "", err
	}
	fmt.Fprint(a.Err, showPlan(plan))
	if !a.in.TTY() {
		return "", vyre.Errorf(vyre.CodeInvalid, "nobody can be asked here").
			WithHint("Give --digest with that of the preview that you read.").WithDetail("digest", plan.Digest)
	}
	return plan.Digest, a.confirm(ctx, "Write it as you?")
}

// showPlan is the whole of what would be written, with what can't be seen spelled out.
func showPlan(p vyre.FilePlan) string {
	var b strings.Builder
	verb := "would be made"
	if p.Exists {
		verb = "would become"
	}
	fmt.Fprintf(&b, "%s %s:\n", term.Line(p.Path, 400), verb)
	text, _ := term.Visible(p.After)
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		fmt.Fprintf(&b, "  %s\n", line)
	}
	return b.String()
}
