package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"vyre"
	"vyre/internal/cli/term"
	"vyre/internal/config"
)

func (a *app) cmdOpen() *cobra.Command {
	var printOnly bool
	c := a.command("open", "Sign a browser in: print the address, and open it at a desktop", 0, 0, func(ctx context.Context, _ []string) error {
		if _, err := a.ensure(ctx, true); err != nil {
			return err
		}
		return a.open(ctx, printOnly)
	})
	c.Long = "Prints an address with a code in it that signs one browser in. It works once and for ten minutes.\n" +
		"At a desktop the browser is opened as well, unless --print is given."
	c.Flags().BoolVar(&printOnly, "print", false, "print the address and open nothing")
	return c
}

func (a *app) open(ctx context.Context, printOnly bool) error {
	c, err := a.client()
	if err != nil {
		return err
	}
	defer c.Close()
	raw, err := c.Raw(ctx, "sign_in.code", nil)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(raw)
	}
	var code codeOutput
	if err := json.Unmarshal(raw, &code); err != nil || code.URL == "" {
		return vyre.Errorf(vyre.CodeInternal, "the daemon's answer to sign_in.code could not be read")
	}
	if _, err := fmt.Fprintln(a.Out, term.Clean(code.URL)); err != nil {
		return err
	}
	if printOnly || !a.desktop() {
		return nil
	}
	if err := a.browse(ctx, code.URL); err != nil {
		a.note("No browser could be opened; use the address above.")
	}
	return nil
}

// desktop reports whether a browser opened here would be seen by the person.
func (a *app) desktop() bool {
	if !a.dataStyle().TTY || a.Getenv("SSH_CONNECTION") != "" || a.Getenv("SSH_TTY") != "" {
		return false
	}
	if runtime.GOOS == "darwin" {
		return true
	}
	return a.Getenv("DISPLAY") != "" || a.Getenv("WAYLAND_DISPLAY") != ""
}

// browse opens the address. It goes by a file of the home's private folder,
// since an argument of the browser could be read by every process here, an agent
// among them. The code in it works once and not for long; the next open removes
// what is left.
func (a *app) browse(ctx context.Context, url string) error {
	home, err := a.home()
	if err != nil {
		return err
	}
	private := config.Layout{Home: home}.Private()
	old, _ := filepath.Glob(filepath.Join(private, "open-*.html"))
	for _, f := range old {
		_ = os.Remove(f)
	}
	f, err := os.CreateTemp(private, "open-*.html") // mode 0600
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "<!doctype html><meta charset=\"utf-8\"><meta name=\"referrer\" content=\"no-referrer\">"+
		"<meta http-equiv=\"refresh\" content=\"0;url=%[1]s\"><a href=\"%[1]s\">Sign in to Vyre</a>\n", html.EscapeString(url))
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return err
	}
	opener := "xdg-open"
	if runtime.GOOS == "darwin" {
		opener = "open"
	}
	return exec.CommandContext(ctx, opener, f.Name()).Run()
}
