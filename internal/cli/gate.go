package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"vyre"
	"vyre/internal/cli/term"
)

// gateShape is an act at the gate, as gate.list and gate.get give it.
type gateShape struct {
	ID       vyre.GateID      `json:"act"`
	State    vyre.GateState   `json:"state"`
	Kind     vyre.GateKind    `json:"kind"`
	Target   string           `json:"target"`
	Options  vyre.GateOptions `json:"options"`
	Payload  string           `json:"payload"`
	Encoding string           `json:"encoding"`
	Bytes    int              `json:"bytes"`
	Cut      bool             `json:"cut"`
	Hash     string           `json:"hash"`
	Summary  string           `json:"summary"`
	Warnings []string         `json:"warnings"`
	Caller   string           `json:"caller"`
	Outcome  string           `json:"outcome"`
	Answer   string           `json:"answer"`
}

type gateRef struct {
	Act vyre.GateID `json:"act"`
}

func (a *app) cmdGate() *cobra.Command {
	all := false
	c := a.command("gate", "List what waits to leave this machine, each with all that would go out", 0, 0, func(ctx context.Context, _ []string) error {
		return tool(ctx, a, "gate.list", struct {
			All bool `json:"all,omitempty"`
		}{all}, a.showGate)
	})
	c.Flags().BoolVar(&all, "all", false, "also what is decided")
	show := a.command("show <act>", "Show one act whole", 1, 1, func(ctx context.Context, args []string) error {
		return tool(ctx, a, "gate.get", gateRef{vyre.GateID(args[0])}, a.showAct)
	})
	cancel := a.command("cancel <act>", "Take an act back before it is sent", 1, 1, func(ctx context.Context, args []string) error {
		return tool(ctx, a, "gate.cancel", gateRef{vyre.GateID(args[0])}, func(gateShape) string { return done("cancelled %s", args[0]) })
	})
	c.AddCommand(show, a.cmdGateApprove(), a.cmdGateDeny(), cancel, a.cmdGateSettle())
	return c
}

// cmdGateApprove shows the act and asks, so that what was seen is what is approved; a
// program says which hash it means.
func (a *app) cmdGateApprove() *cobra.Command {
	var hash string
	c := a.command("approve <act>", "Let exactly this act happen", 1, 1, func(ctx context.Context, args []string) error {
		in := struct {
			gateRef
			Hash string `json:"hash"`
		}{gateRef{vyre.GateID(args[0])}, hash}
		if hash == "" {
			c, err := a.client()
			if err != nil {
				return err
			}
			defer c.Close()
			var act gateShape
			if err := c.Call(ctx, "gate.get", in.gateRef, &act); err != nil {
				return err
			}
			fmt.Fprint(a.Err, a.showAct(act))
			if !a.in.TTY() {
				return vyre.Errorf(vyre.CodeInvalid, "nobody can be asked here").WithHint("Give --hash with the hash of what you mean to let out.")
			}
			if err := a.confirm(ctx, "Let it go out?"); err != nil {
				return err
			}
			in.Hash = act.Hash
		}
		return tool(ctx, a, "gate.approve", in, func(act gateShape) string { return done("%s: %s", act.State, args[0]) })
	})
	c.Flags().StringVar(&hash, "hash", "", "the act's hash, as it was shown; without it you are asked")
	return c
}

func (a *app) cmdGateDeny() *cobra.Command {
	var in struct {
		gateRef
		Message string `json:"message,omitempty"`
	}
	c := a.command("deny <act>", "Say no to an act", 1, 1, func(ctx context.Context, args []string) error {
		in.Act = vyre.GateID(args[0])
		return tool(ctx, a, "gate.deny", in, func(gateShape) string { return done("denied %s", args[0]) })
	})
	c.Flags().StringVar(&in.Message, "message", "", "words for who asked")
	return c
}

func (a *app) cmdGateSettle() *cobra.Command {
	var in struct {
		gateRef
		Outcome string `json:"outcome"`
		Message string `json:"message,omitempty"`
	}
	c := a.command("settle <act> sent|failed", "Say of an unknown outcome what you found out", 2, 2, func(ctx context.Context, args []string) error {
		in.Act, in.Outcome = vyre.GateID(args[0]), args[1]
		return tool(ctx, a, "gate.settle", in, func(act gateShape) string { return done("%s: %s", act.State, args[0]) })
	})
	c.Flags().StringVar(&in.Message, "message", "", "how you know")
	return c
}

func (a *app) showGate(out struct {
	Acts []gateShape `json:"acts"`
},
) string {
	if len(out.Acts) == 0 {
		a.note("Nothing waits at the gate.")
	}
	var b strings.Builder
	for i, act := range out.Acts {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(a.showAct(act))
	}
	return b.String()
}

// showAct draws all that would go out. What an agent wrote can't steer the terminal.
func (a *app) showAct(act gateShape) string {
	s := a.dataStyle()
	var b strings.Builder
	line := func(text string) { fmt.Fprintf(&b, "      %s\n", term.Line(text, 0)) }
	fmt.Fprintf(&b, "%s  %s  %s  %s\n", act.ID, act.State, act.Kind, term.Line(strings.TrimSpace(act.Options.Method+" "+act.Target), 0))
	line("asked by " + act.Caller + ": " + act.Summary)
	o := act.Options
	for _, name := range slices.Sorted(maps.Keys(o.Headers)) {
		line(name + ": " + o.Headers[name])
	}
	if o.Secret != nil {
		line(o.Secret.Header + ": " + o.Secret.Prefix + "(the vault item " + o.Secret.Item + ")")
	}
	if o.Ref != "" {
		line(o.Commit + " of " + o.Repo + " to " + o.Ref)
	}
	for l := range strings.SplitSeq(strings.TrimSuffix(act.Payload, "\n"), "\n") {
		if act.Bytes > 0 {
			line(l)
		}
	}
	if act.Cut || act.Encoding == "base64" {
		line(fmt.Sprintf("(%d bytes, shown as %s; hash %s)", act.Bytes, act.Encoding, act.Hash))
	}
	for _, w := range act.Warnings {
		fmt.Fprintf(&b, "      %s\n", s.You(term.Line(w, 0)))
	}
	if act.Outcome != "" {
		line(act.Outcome)
	}
	if act.Answer != "" {
		line("it said: " + act.Answer)
	}
	hint := ""
	switch act.State {
	case vyre.GateWaiting:
		hint = "vyre gate approve " + string(act.ID) + " · vyre gate deny " + string(act.ID)
	case vyre.GateApproved:
		hint = "vyre gate cancel " + string(act.ID)
	case vyre.GateUnknown:
		hint = "vyre gate settle " + string(act.ID) + " sent|failed"
	default: // over, or on its way: there is nothing to say
	}
	if hint != "" {
		fmt.Fprintf(&b, "      %s\n", s.Dim(hint))
	}
	return b.String()
}
