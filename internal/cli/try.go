package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"vyre"
	"vyre/internal/cli/term"
	"vyre/internal/client"
	"vyre/internal/config"
	"vyre/internal/fake"
	"vyre/internal/install"
)

// tryKey is the "key" that the scripted model takes; it opens nothing.
const tryKey = "loopback-only"

func (a *app) cmdTry() *cobra.Command {
	t := trial{}
	c := a.command("try", "See it work without an account: the real agent, a scripted model on this machine", 0, 0, func(ctx context.Context, _ []string) error {
		t.a = a
		return t.run(ctx)
	})
	c.Long = "Starts a daemon in a home of its own and a thread on the real Claude Code, which talks to a scripted\n" +
		"model on this machine: nothing leaves it. Where no Claude Code is installed, the pinned one is installed\n" +
		"with npm (402 MB, checked by its checksum) into your home's agents folder and kept there.\n" +
		"You answer here or on the page. At the end everything else that was made is removed."
	c.Flags().StringVar(&t.dir, "dir", "", "the folder to use: a new or an empty one (default: a temporary one)")
	c.Flags().BoolVar(&t.keep, "keep", false, "leave the folder when done")
	c.Flags().StringVar(&t.program, "program", "", "the Claude Code to use (default: one that is found)")
	return c
}

// trial is one run of `vyre try`.
type trial struct {
	a       *app
	dir     string // holds home, work and the agent's own folder
	made    bool   // dir is ours to remove
	keep    bool
	program string
}

func (t *trial) home() string { return filepath.Join(t.dir, "home") }
func (t *trial) work() string { return filepath.Join(t.dir, "work") }
func (t *trial) conf() string { return filepath.Join(t.dir, "claude") }

func (t *trial) run(ctx context.Context) (err error) {
	if err := t.findProgram(ctx); err != nil {
		return err
	}
	if err := t.makeDir(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.remove()) }()
	api, err := fake.Start()
	if err != nil {
		return vyre.Errorf(vyre.CodeUnavailable, "the scripted model could not be started: %v", err)
	}
	defer api.Close()
	if err := t.configure(api.URL); err != nil {
		return err
	}
	in := t.a.withEnv(map[string]string{"VYRE_HOME": t.home(), "VYRE_LISTEN": "127.0.0.1:0", "VYRE_SOCKET": ""})
	t.a.note("Starting a daemon and a scripted model, both on this machine only.")
	if err := in.startDaemon(ctx, t.home(), in.Environ); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.end(ctx)) }()
	return t.show(ctx, in)
}

// findProgram looks for a Claude Code, and installs the pinned one where there
// is none.
func (t *trial) findProgram(ctx context.Context) error {
	if t.program != "" {
		path, err := filepath.Abs(t.program)
		t.program = path
		return err
	}
	home, err := t.a.home()
	if err != nil {
		return err
	}
	agents := config.Layout{Home: home}.Agents()
	pin := install.Claude()
	t.program, err = install.Find(pin, "", install.Place{Agents: agents, Path: t.a.Getenv("PATH"), Home: t.a.Getenv("HOME")})
	if err == nil {
		t.a.note("Using the Claude Code at %s", t.program)
		return nil
	}
	if vyre.AsError(err).Details["install"] != true {
		return err
	}
	if _, err := config.Prepare(home); err != nil {
		return err
	}
	t.a.note("There is no Claude Code on this machine. Installing version %s with npm:", pin.Version)
	bar := newBar(t.a.Err, t.a.noteStyle(), t.a.Now)
	i := install.Installer{Pin: pin, Agents: agents, Env: t.a.Environ}
	t.program, err = i.Install(ctx, bar.at)
	bar.done(err == nil)
	return err
}

// makeDir makes the folder, or takes an empty one.
func (t *trial) makeDir() error {
	if t.dir == "" {
		dir, err := os.MkdirTemp("", "vyre-try-")
		if err != nil {
			return vyre.Errorf(vyre.CodeUnavailable, "no temporary folder can be made: %v", err)
		}
		t.dir, t.made = dir, true
	} else {
		dir, err := filepath.Abs(t.dir)
		if err != nil {
			return err
		}
		t.dir = dir
		entries, err := os.ReadDir(dir)
		switch {
		case os.IsNotExist(err):
			t.made = true
		case err != nil:
			return vyre.Invalid("dir", "it can't be read: %v", err)
		case len(entries) > 0:
			return vyre.Invalid("dir", "%s is not empty", dir).WithHint("Name a folder that is new or empty: what is in it is removed at the end.")
		}
	}
	for _, d := range []string{t.work(), t.conf()} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return vyre.Errorf(vyre.CodeUnavailable, "the folder can't be made: %v", err)
		}
	}
	_, err := config.Prepare(t.home())
	return err
}

// configure writes the settings: the agent is asked to talk to the scripted
// model, and to keep its own files in this folder.
func (t *trial) configure(url string) error {
	text := fmt.Sprintf("[sessions]\nauth = \"api-key\"\n\n[providers.claude]\nruntime = %s\n\n[providers.claude.env]\nANTHROPIC_BASE_URL = %s\nCLAUDE_CONFIG_DIR = %s\n",
		quoted(t.program), quoted(url), quoted(t.conf()))
	if err := os.WriteFile(config.Layout{Home: t.home()}.ConfigFile(), []byte(text), 0o600); err != nil {
		return vyre.Errorf(vyre.CodeUnavailable, "the settings can't be written: %v", err)
	}
	return nil
}

// quoted is a basic string of TOML.
func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// show is the part that the person came for.
func (t *trial) show(ctx context.Context, in *app) error {
	c, err := in.client()
	if err != nil {
		return err
	}
	defer c.Close()
	key := map[string]string{"name": "anthropic-api-key", "value": tryKey}
	if err := c.Call(ctx, "vault.put", key, nil); err != nil {
		return err
	}
	var code codeOutput
	if err := c.Call(ctx, "sign_in.code", nil, &code); err != nil {
		return err
	}
	if !in.json {
		fmt.Fprintf(in.Out, "Watch and answer here, or on the page: %s\n", term.Clean(code.URL))
		in.note("You say: story")
	}
	err = in.run(ctx, c, startInput{Provider: "claude", Prompt: "story", CWD: t.work(), Name: "A first look"})
	if err != nil {
		return err
	}
	return t.showFiles(in)
}

// maxShown bounds how much of a file is shown, in bytes.
const maxShown = 4 << 10

// showFiles shows what the agent wrote.
func (t *trial) showFiles(in *app) error {
	entries, err := os.ReadDir(t.work())
	if err != nil || in.json {
		return err
	}
	for _, e := range entries {
		if !e.Type().IsRegular() {
			continue
		}
		path := filepath.Join(t.work(), e.Name())
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		shown, _ := term.Visible(string(b[:min(len(b), maxShown)]))
		fmt.Fprintf(in.Out, "\nIt wrote %s:\n\n  %s\n", path, strings.ReplaceAll(strings.TrimRight(shown, "\n"), "\n", "\n  "))
	}
	fmt.Fprintln(in.Out, "\nNext: `vyre up`, then `vyre run \"…\"` in a folder of yours, with your own account.")
	return nil
}

// endBound is how long the end may take.
const endBound = 30 * time.Second

// end stops the threads and the daemon, also when ctx is over already.
func (t *trial) end(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endBound)
	defer cancel()
	socket := config.FindSocket(t.home())
	c := client.Socket(socket)
	defer c.Close()
	ts, err := names(ctx, c, false)
	for _, th := range ts {
		err = errors.Join(err, c.Call(ctx, "threads.stop", threadInput{vyre.ThreadID(th.id)}, nil))
	}
	err = errors.Join(err, c.Call(ctx, "daemon.stop", nil, nil), waitDown(ctx, t.home()))
	_ = os.Remove(filepath.Dir(socket)) // the folder of its sockets, where nothing is left in it
	if err != nil {
		t.keep = true // something may still run there
		t.a.note("The trial's daemon could not be ended; its folder is kept: %s", t.dir)
	}
	return err
}

// remove takes away what the trial made, and no more.
func (t *trial) remove() error {
	if t.keep {
		t.a.note("Kept: %s (VYRE_HOME=%s)", t.dir, t.home())
		return nil
	}
	if t.made {
		return os.RemoveAll(t.dir)
	}
	return errors.Join(os.RemoveAll(t.home()), os.RemoveAll(t.work()), os.RemoveAll(t.conf()))
}
