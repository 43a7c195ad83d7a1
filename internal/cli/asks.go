package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"vyre"
	"vyre/internal/cli/term"
	"vyre/internal/cli/view"
	"vyre/internal/client"
)

func (a *app) cmdAsks() *cobra.Command {
	var in asksInput
	var thread string
	c := a.command("asks", "List what waits for an answer, each with all it would do", 0, 0, func(ctx context.Context, _ []string) error {
		if thread == "" {
			return tool(ctx, a, "threads.asks", in, a.showAsks)
		}
		return a.withThread(ctx, thread, func(id vyre.ThreadID) error {
			in.Thread = id
			return tool(ctx, a, "threads.asks", in, a.showAsks)
		})
	})
	c.Flags().StringVar(&thread, "thread", "", "only of this thread")
	c.Flags().StringVar(&in.State, "state", "", "open, answering, answered or cancelled")
	c.Flags().StringVar(&in.Next, "next", "", "go on where an earlier list ended")
	return c
}

func (a *app) showAsks(out struct {
	Asks []vyre.Ask `json:"asks"`
	Next string     `json:"next"`
},
) string {
	if len(out.Asks) == 0 {
		a.note("Nothing waits for you.")
	}
	s := a.dataStyle()
	var b strings.Builder
	for i, ask := range out.Asks {
		if i > 0 {
			b.WriteByte('\n')
		}
		for _, line := range view.AskCard(s, ask).Lines {
			b.WriteString(line + "\n")
		}
		status := "answer: vyre answer " + view.Short(ask.ID) + " allow|deny"
		if ask.Kind == vyre.AskQuestion {
			status = "answer: vyre answer " + view.Short(ask.ID) + " allow --answers '1=…', or deny"
		}
		if ask.State != vyre.AskOpen && ask.State != "" {
			status = string(ask.State) + " " + string(ask.Decision)
			if ask.By != "" {
				status += " by " + ask.By
			}
		}
		fmt.Fprintf(&b, "  %s\n", s.Dim("thread "+view.Short(ask.Thread)+"; "+status))
		for _, line := range lasting(ask) {
			fmt.Fprintf(&b, "  %s\n", s.Dim(line))
		}
	}
	if out.Next != "" {
		a.note("There are more: --next %s", out.Next)
	}
	return b.String()
}

// lasting are the answers that let the like of a call pass from now on, in the exact
// words of what each allows.
func lasting(ask vyre.Ask) (lines []string) {
	if ask.State != vyre.AskOpen && ask.State != "" {
		return nil
	}
	for _, o := range ask.Options {
		if o.Scope == vyre.ScopeSession || o.Scope == vyre.ScopeProject {
			words, _ := term.Visible(o.Rule)
			lines = append(lines, fmt.Sprintf("for the %s: vyre answer %s allow --option %s lets pass: %s", o.Scope, view.Short(ask.ID), o.ID, words))
		}
	}
	return lines
}

func (a *app) cmdAnswer() *cobra.Command {
	var in view.Answer
	var answers []string
	c := a.command("answer <ask> allow|deny", "Answer an ask", 2, 2, func(ctx context.Context, args []string) error {
		in.Decision = vyre.Decision(args[1])
		if in.Decision != vyre.Allow && in.Decision != vyre.Deny {
			return vyre.Invalid("decision", "%q is neither allow nor deny", args[1])
		}
		c, err := a.client()
		if err != nil {
			return err
		}
		defer c.Close()
		if in.Ask, err = a.ask(ctx, c, args[0]); err != nil {
			return err
		}
		if in.Answers, err = a.answers(ctx, c, in.Ask, answers); err != nil {
			return err
		}
		return tool(ctx, a, "threads.answer", in, func(vyre.Ask) string { return done("%s %s", answered(in.Decision), view.Short(in.Ask)) })
	})
	f := c.Flags()
	f.StringVar(&in.Message, "message", "", "a note to the agent")
	f.StringVar((*string)(&in.Scope), "scope", "", "how far an allow reaches: once, session or project")
	f.StringVar(&in.Option, "option", "", "the id of one of the ask's options")
	f.StringArrayVar(&answers, "answers", nil, "`question=answer`, once for each question; a question may be given by its number")
	f.BoolVar(&in.Interrupt, "interrupt", false, "with deny: end the turn too")
	f.StringVar((*string)(&in.Mode), "mode", "", "the mode to go on in, with a plan's approval")
	return c
}

func answered(d vyre.Decision) string {
	if d == vyre.Allow {
		return "allowed"
	}
	return "denied"
}

// answers reads "question=answer". A question may hold the sign itself, so it is
// looked for among the questions of the ask before the first sign decides.
func (a *app) answers(ctx context.Context, c *client.Client, id vyre.AskID, pairs []string) (map[string]string, error) {
	if len(pairs) == 0 {
		return nil, nil
	}
	asks, err := openAsks(ctx, c, "")
	if err != nil {
		return nil, err
	}
	var qs []view.Question
	for _, ask := range asks {
		if ask.ID == id {
			qs = view.Questions(ask)
		}
	}
	out := map[string]string{}
	for _, p := range pairs {
		q, answer, ok := splitAnswer(qs, p)
		if !ok {
			return nil, vyre.Invalid("answers", "%q is not of the form question=answer", p)
		}
		out[q] = answer
	}
	return out, nil
}

func splitAnswer(qs []view.Question, pair string) (question, answer string, ok bool) {
	for _, q := range qs {
		if rest, found := strings.CutPrefix(pair, q.Text+"="); found {
			return q.Text, rest, true
		}
	}
	question, answer, ok = strings.Cut(pair, "=")
	if n, err := strconv.Atoi(question); err == nil && n >= 1 && n <= len(qs) {
		question = qs[n-1].Text
	}
	return question, answer, ok && question != ""
}
