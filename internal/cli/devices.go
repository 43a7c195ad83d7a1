package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"vyre"
	"vyre/internal/cli/term"
	"vyre/internal/cli/view"
	"vyre/internal/client"
)

type (
	deviceRow struct {
		Device  string    `json:"device"`
		Name    string    `json:"name"`
		Site    string    `json:"site"`
		Created vyre.Time `json:"created"`
		Used    vyre.Time `json:"used"`
	}
	deviceList struct {
		Devices []deviceRow `json:"devices"`
	}
	sessionList struct {
		Sessions []struct {
			Session string    `json:"session"`
			Name    string    `json:"name"`
			Site    string    `json:"site"`
			How     string    `json:"how"`
			Seen    vyre.Time `json:"seen"`
		} `json:"sessions"`
	}
)

func (a *app) cmdDevices() *cobra.Command {
	c := a.command("devices", "List the passkeys and the browsers that are signed in", 0, 0, func(ctx context.Context, _ []string) error {
		if err := tool(ctx, a, "devices.list", anything{}, a.showDevices); err != nil || a.json {
			return err
		}
		return tool(ctx, a, "devices.sessions", anything{}, a.showSessions)
	})
	revoke := a.command("revoke <device>", "Revoke a passkey; its sessions end at once", 1, 1, func(ctx context.Context, args []string) error {
		return tool(ctx, a, "devices.revoke", map[string]string{"device": args[0]}, func(d deviceRow) string { return done("revoked %s", term.Clean(d.Name)) })
	})
	out := a.command("sign-out <session>", "End a browser's session at once", 1, 1, func(ctx context.Context, args []string) error {
		return tool(ctx, a, "devices.sign_out", map[string]string{"session": args[0]}, func(anything) string { return done("signed out") })
	})
	reset := a.command("reset", "Revoke every passkey, when all devices are lost", 0, 0, func(ctx context.Context, _ []string) error {
		return tool(ctx, a, "devices.reset", anything{}, func(l deviceList) string { return done("revoked %d passkeys", len(l.Devices)) })
	})
	c.AddCommand(revoke, out, reset)
	return c
}

func (a *app) showDevices(out deviceList) string {
	if len(out.Devices) == 0 {
		a.note("No passkey is enrolled. `vyre open` signs a browser in, and its Devices page makes one.")
		return ""
	}
	rows := make([][]string, 0, len(out.Devices))
	for _, d := range out.Devices {
		used := "never"
		if d.Used > 0 {
			used = view.Ago(d.Used, a.Now())
		}
		rows = append(rows, []string{d.Device, term.Clean(d.Site), used, term.Clean(d.Name)})
	}
	return view.Table(a.dataStyle(), []string{"PASSKEY", "WORKS ON", "TOUCHED", "NAME"}, rows) + "\n"
}

func (a *app) showSessions(out sessionList) string {
	if len(out.Sessions) == 0 {
		a.note("No browser is signed in.")
		return ""
	}
	rows := make([][]string, 0, len(out.Sessions))
	for _, s := range out.Sessions {
		rows = append(rows, []string{s.Session, term.Clean(s.Site), s.How, view.Ago(s.Seen, a.Now()), term.Clean(s.Name)})
	}
	return view.Table(a.dataStyle(), []string{"SESSION", "ON", "BY", "SEEN", "BROWSER"}, rows)
}

type (
	pairing struct {
		Pair string   `json:"pair"`
		URL  string   `json:"url"`
		QR   []string `json:"qr"`
	}
	pairState struct {
		State  string `json:"state"`
		Digits string `json:"digits"`
		Device string `json:"device"`
		Why    string `json:"why"`
	}
)

func (a *app) cmdPair() *cobra.Command {
	var site string
	c := a.command("pair", "Let a phone in: a code to scan, and six digits to compare", 0, 0, func(ctx context.Context, _ []string) error {
		if !a.in.TTY() {
			return vyre.Errorf(vyre.CodeInvalid, "pairing needs a terminal: you compare digits").WithHint("Or use Devices on the page.")
		}
		return a.pair(ctx, site)
	})
	c.Long = "Shows a code for a phone's camera. It works once and for two minutes. The phone and this terminal then\n" +
		"show six digits; once you said that they are the same, the phone is signed in and makes a passkey of its own."
	c.Flags().StringVar(&site, "site", "", "the `address` that the phone opens, by default the https one")
	return c
}

func (a *app) pair(ctx context.Context, site string) error {
	c, err := a.client()
	if err != nil {
		return err
	}
	defer c.Close()
	in := map[string]string{}
	if site != "" {
		in["site"] = site
	}
	var p pairing
	if err := c.Call(ctx, "devices.pair.begin", in, &p); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(a.Out, "\n%s\n  %s\n\n", drawCode(p.QR), term.Clean(p.URL)); err != nil {
		return err
	}
	a.note("Scan it with the phone. It works once, for two minutes.")
	st, err := a.pairState(ctx, c, p.Pair, "waiting")
	if err != nil || st.State != "claimed" {
		return pairEnded(st, err)
	}
	fmt.Fprintf(a.Err, "\n  %s   %s\n\n", a.noteStyle().Bold(spaced(st.Digits)), term.Clean(st.Device))
	if err := a.confirm(ctx, "Does the phone show these digits?"); err != nil {
		_ = c.Call(context.WithoutCancel(ctx), "devices.pair.cancel", map[string]string{"pair": p.Pair}, nil)
		return err
	}
	if err := c.Call(ctx, "devices.pair.confirm", map[string]string{"pair": p.Pair, "digits": st.Digits}, &st); err != nil {
		return err
	}
	if st, err = a.pairState(ctx, c, p.Pair, "confirmed"); err != nil || st.State != "taken" {
		return pairEnded(st, err)
	}
	a.note("The phone is signed in.")
	return nil
}

// spaced groups six digits as people read them.
func spaced(digits string) string {
	if len(digits) != 6 {
		return term.Clean(digits)
	}
	return digits[:3] + " " + digits[3:]
}

// pairState waits until a pairing is in another state than since.
func (a *app) pairState(ctx context.Context, c *client.Client, id, since string) (st pairState, err error) {
	for st.State = since; st.State == since && err == nil; {
		var raw json.RawMessage
		err = c.Call(ctx, "devices.pair.get", map[string]string{"pair": id, "since": since}, &raw)
		if err == nil {
			err = json.Unmarshal(raw, &st)
		}
	}
	return st, err
}

func pairEnded(st pairState, err error) error {
	if err != nil {
		return err
	}
	return vyre.Errorf(vyre.CodeConflict, "nothing was let in: %s", st.Why).WithHint("Run `vyre pair` again.")
}

// drawCode draws a QR code in half blocks, two rows a line, with its quiet zone. The
// colours are set, so that it is dark on light in every terminal.
func drawCode(rows []string) string {
	const quiet = 2
	dark := func(x, y int) bool {
		x, y = x-quiet, y-quiet
		return y >= 0 && y < len(rows) && x >= 0 && x < len(rows[y]) && rows[y][x] == '1'
	}
	size := len(rows) + 2*quiet
	var b strings.Builder
	for y := 0; y < size; y += 2 {
		b.WriteString("  \x1b[38;5;16;48;5;231m")
		for x := range size {
			switch up, down := dark(x, y), dark(x, y+1); {
			case up && down:
				b.WriteString("█")
			case up:
				b.WriteString("▀")
			case down:
				b.WriteString("▄")
			default:
				b.WriteString(" ")
			}
		}
		b.WriteString("\x1b[0m\n")
	}
	return b.String()
}
