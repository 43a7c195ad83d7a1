package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"vyre"
	"vyre/internal/cli/service"
	"vyre/internal/cli/term"
	"vyre/internal/client"
	"vyre/internal/config"
)

// upgradeBound is how long a new daemon may take to be ready and to have every
// session in hand; it may have a store to bring to a newer form.
const upgradeBound = 2 * time.Minute

func (a *app) cmdUpgrade() *cobra.Command {
	u := upgrade{}
	c := a.command("upgrade", "Put a new binary in the daemon's place; turns that run go on", 0, 0, func(ctx context.Context, _ []string) error {
		u.a = a
		if err := u.run(ctx); err != nil {
			return err
		}
		if a.json {
			return a.printValue(u.done)
		}
		_, err := fmt.Fprint(a.Out, u.done.words())
		return err
	})
	c.Long = "Puts the binary that --to names, or without it the one that runs this command, in the place of the\n" +
		"binary that the daemon runs, and has the daemon start again as it. Sessions go on meanwhile, open\n" +
		"questions stay open, and who watches sees a reconnect. The binary before stays beside it (.old).\n" +
		"Nothing is stopped when the new one can't read the store or can't talk to a session that runs.\n" +
		"When the new one does not get ready, the one before is put back and started."
	c.Flags().StringVar(&u.to, "to", "", "the new binary (default: the one that runs this command)")
	return c
}

// upgrade is one run of `vyre upgrade`.
type upgrade struct {
	a     *app
	to    string // the new binary
	place string // where the daemon's lies
	home  string

	before   daemonOutput // PID 0: no daemon ran
	heard    speaks       // of the new one
	swap     swap
	manager  *serving // of a daemon that is a service, once it was told to start it again
	restarts int      // how often it had started the daemon again until then

	backup string // of the store, when the new one brings it to a newer form
	done   upgraded
}

// upgraded is the command's output.
type upgraded struct {
	From     string         `json:"from"`
	To       string         `json:"to"`
	Program  string         `json:"program"`
	Old      string         `json:"old"`          // the binary before, or empty
	PID      int            `json:"pid"`          // of the new daemon; 0 when none ran
	Backup   string         `json:"store_backup"` // of the store before, or empty
	Sessions []upgradedLine `json:"sessions"`
}

type upgradedLine struct {
	Thread  vyre.ThreadID `json:"thread"`
	Outcome string        `json:"outcome"` // adopted, or ended when it did by itself meanwhile
}

func (u upgraded) words() string {
	var b strings.Builder
	if u.PID == 0 {
		fmt.Fprintf(&b, "%s is vyre %s now. No daemon ran, and none was started.\n", u.Program, u.To)
	} else {
		fmt.Fprintf(&b, "vyre %s runs in the place of %s (pid %d).\n", u.To, u.From, u.PID)
	}
	for _, s := range u.Sessions {
		fmt.Fprintf(&b, "  %s %s\n", s.Thread, map[string]string{"adopted": "goes on", "ended": "ended by itself meanwhile"}[s.Outcome])
	}
	if u.Old != "" {
		fmt.Fprintf(&b, "The binary before is %s.\n", u.Old)
	}
	if u.Backup != "" {
		fmt.Fprintf(&b, "The store has a newer form now; a copy from before is %s.\n", u.Backup)
	}
	return b.String()
}

func (u *upgrade) run(ctx context.Context) error {
	if u.a.Getenv("VYRE_SOCKET") != "" || u.a.Getenv("VYRE_THREAD") != "" {
		return vyre.Errorf(vyre.CodePersonOnly, "vyre is not upgraded from inside a session").
			WithHint("Run it in a terminal of yours.")
	}
	c, err := u.look(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	if u.heard, err = u.a.hear(ctx, u.to); err != nil {
		return err
	}
	if err := u.check(); err != nil {
		return err
	}
	if err := u.swap.prepare(u.to, u.place); err != nil {
		return err
	}
	defer u.swap.forget()
	if u.swap.copied != "" { // as it will run: from that folder
		if _, err := u.a.hear(ctx, u.swap.copied); err != nil {
			return err
		}
	}
	u.done = upgraded{From: u.before.Version, To: u.heard.Version, Program: u.place, Sessions: []upgradedLine{}}
	if err := u.saveStore(ctx, c); err != nil {
		return err
	}
	if err := u.swap.commit(); err != nil {
		return err
	}
	u.done.Old = u.swap.old
	if u.before.PID == 0 {
		return nil
	}
	if err := u.change(ctx, c); err != nil {
		return u.goBack(context.WithoutCancel(ctx), c, err)
	}
	return nil
}

// look finds the new binary, the daemon and the place of its binary.
func (u *upgrade) look(ctx context.Context) (*client.Client, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, vyre.Errorf(vyre.CodeUnavailable, "this program can't find itself").Because(err)
	}
	if u.home, err = u.a.home(); err != nil {
		return nil, err
	}
	c, err := u.a.client()
	if err != nil {
		return nil, err
	}
	err = c.Call(ctx, "daemon.status", nil, &u.before)
	if err != nil && (vyre.CodeOf(err) != vyre.CodeUnavailable || config.Holder(u.home) != 0) {
		c.Close()
		return nil, err
	}
	u.place = self
	switch {
	case u.before.Build.Program != "":
		u.place = u.before.Build.Program
	case u.before.PID != 0: // it is older than that it says so
		if p, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", u.before.PID)); err == nil {
			u.place = strings.TrimSuffix(p, " (deleted)")
		}
	case u.to == "":
		c.Close()
		return nil, vyre.Errorf(vyre.CodeUnavailable, "no daemon runs, so it is not known which binary is to be replaced").
			WithHint("Start the daemon, or run the installed vyre with --to and the new binary.")
	}
	if u.to == "" {
		u.to = self
	}
	if u.to, err = filepath.Abs(u.to); err != nil {
		c.Close()
		return nil, vyre.Invalid("to", "is no path")
	}
	return c, nil
}

// check refuses, before anything is stopped, what could not go on afterwards.
func (u *upgrade) check() error {
	if u.before.Build.Store > u.heard.Store {
		return vyre.Errorf(vyre.CodeConflict, "the store is of version %d; vyre %s knows versions up to %d", u.before.Build.Store, u.heard.Version, u.heard.Store).
			WithHint("Nothing was changed. An older vyre can't read a newer store: restore a backup from before, or stay.")
	}
	var cut []string
	for _, s := range u.before.Build.Live {
		if s.Protocol != 0 && (s.Protocol < u.heard.Shim.Oldest || s.Protocol > u.heard.Shim.Newest) {
			cut = append(cut, string(s.Thread))
		}
	}
	if len(cut) > 0 {
		return vyre.Errorf(vyre.CodeConflict, "vyre %s can't talk to %d of the sessions that run: %s", u.heard.Version, len(cut), strings.Join(cut, ", ")).
			WithHint("Nothing was changed. Wait until they rest and stop them (their next message resumes them), then upgrade.").
			WithDetail("threads", cut)
	}
	return nil
}

// saveStore keeps a copy of a store that the new binary will bring to a newer form:
// the old one can't read it any more then.
func (u *upgrade) saveStore(ctx context.Context, c *client.Client) error {
	if u.before.PID == 0 || u.before.Build.Store == 0 || u.heard.Store == u.before.Build.Store {
		return nil
	}
	path := filepath.Join(config.Layout{Home: u.home}.Private(),
		fmt.Sprintf("vyre-store-%d-%s.db", u.before.Build.Store, u.a.Now().UTC().Format("20060102-150405")))
	if err := c.Call(ctx, "daemon.backup", map[string]string{"path": path}, nil); err != nil {
		return err
	}
	u.backup, u.done.Backup = path, path
	return nil
}

// change has the daemon start again as the new binary and waits until that one has
// every session in hand.
func (u *upgrade) change(ctx context.Context, c *client.Client) error {
	ctx, cancel := context.WithTimeoutCause(ctx, upgradeBound,
		vyre.Errorf(vyre.CodeTimeout, "the new daemon was not ready within %v", upgradeBound).WithHint("Its log says why."))
	defer cancel()
	if err := u.restart(ctx, c, u.before.PID); err != nil {
		return err
	}
	st, err := u.ready(ctx, c)
	if err != nil {
		return err
	}
	u.done.PID = st.PID
	if st.Version != u.heard.Version {
		return vyre.Errorf(vyre.CodeConflict, "the daemon that started is vyre %s, expected %s", st.Version, u.heard.Version).
			WithHint("Does the service run another binary than " + u.place + "?")
	}
	for _, s := range u.before.Build.Live {
		outcome, err := u.adopted(ctx, c, s)
		if err != nil {
			return err
		}
		u.done.Sessions = append(u.done.Sessions, upgradedLine{s.Thread, outcome})
	}
	return nil
}

// restart ends the daemon and starts the binary in its place, or has the service
// manager do it.
func (u *upgrade) restart(ctx context.Context, c *client.Client, pid int) error {
	in := map[string]bool{}
	if u.before.Build.Service != "" {
		in["again"] = true
		u.manager = &serving{a: u.a, spec: service.Spec{Kind: service.Kind(u.before.Build.Service)}}
		u.restarts = u.manager.restarts(ctx)
	}
	if err := c.Call(ctx, "daemon.stop", in, nil); err != nil && vyre.CodeOf(err) != vyre.CodeUnavailable {
		return err
	}
	if u.before.Build.Service != "" {
		return u.await(ctx, func() (bool, error) {
			now := config.Holder(u.home)
			return now != 0 && now != pid, nil
		})
	}
	if err := waitDown(ctx, u.home); err != nil {
		return err
	}
	return u.a.startProgram(ctx, u.home, u.place, u.environ(), upgradeBound)
}

// environ is the terminal's environment, with the address that the daemon had: who
// has the page open finds it where it was.
func (u *upgrade) environ() []string {
	if u.before.Listen == "" || u.a.Getenv("VYRE_LISTEN") != "" {
		return u.a.Environ
	}
	return u.a.withEnv(map[string]string{"VYRE_LISTEN": u.before.Listen}).Environ
}

// ready waits for the status of the daemon that has the home.
func (u *upgrade) ready(ctx context.Context, c *client.Client) (st daemonOutput, err error) {
	err = u.await(ctx, func() (bool, error) {
		st = daemonOutput{}
		err := c.Call(ctx, "daemon.status", nil, &st)
		if err != nil && vyre.CodeOf(err) != vyre.CodeUnavailable {
			return false, err
		}
		return err == nil && st.PID != u.before.PID, nil
	})
	return st, err
}

// Bounds of looking whether a service manager's daemon ends again and again.
const (
	askManager  = time.Second
	maxRestarts = 3 // beside the one that was wanted
)

// await looks until ok, the end of ctx, or until the service manager has started the
// daemon so often that it will not come up.
func (u *upgrade) await(ctx context.Context, ok func() (bool, error)) error {
	next := u.a.Now().Add(askManager)
	for {
		if done, err := ok(); done || err != nil {
			return err
		}
		if now := u.a.Now(); u.manager != nil && now.After(next) {
			next = now.Add(askManager)
			if n := u.manager.restarts(ctx); n > u.restarts+1+maxRestarts {
				return vyre.Errorf(vyre.CodeUnavailable, "the service manager started it %d times, and it ended each time", n-u.restarts).
					WithHint(u.manager.words())
			}
		}
		if err := pause(ctx, lookEvery); err != nil {
			return err
		}
	}
}

// adopted waits until the daemon answers for a session that ran before: it answers
// once it has it in hand, or knows that it is over.
func (u *upgrade) adopted(ctx context.Context, c *client.Client, s liveShape) (string, error) {
	var out struct{ Pids []int }
	err := c.Call(ctx, "threads.pids", threadInput{s.Thread}, &out)
	switch {
	case vyre.CodeOf(err) == vyre.CodeNotFound: // a start that nobody had been told of
		return "ended", nil
	case err != nil:
		return "", err
	}
	if slices.Contains(out.Pids, s.PID) {
		return "adopted", nil
	}
	return "ended", nil
}

// goBack puts the binary before back and starts it. The error is that of the upgrade.
func (u *upgrade) goBack(ctx context.Context, c *client.Client, why error) error {
	e := vyre.AsError(why)
	out := vyre.Errorf(e.Code, "the upgrade to %s failed: %s", u.heard.Version, term.Line(e.Message, 0)).Because(why)
	if u.swap.old == "" {
		return out.WithHint("There is no binary before to go back to: start the daemon by hand. Sessions that run go on.")
	}
	ctx, cancel := context.WithTimeoutCause(ctx, upgradeBound, vyre.Errorf(vyre.CodeTimeout, "it did not answer"))
	defer cancel()
	err := u.swap.back()
	if err == nil {
		err = u.startBefore(ctx, c)
	}
	if err == nil {
		return out.WithHint("vyre " + u.before.Version + " was put back and runs. Nothing is lost; sessions went on.")
	}
	hint := "vyre " + u.before.Version + " was put back but does not run: " + term.Line(vyre.AsError(err).Message, 0) + "."
	if u.backup != "" {
		hint += " If the store is newer than it: restore " + u.backup + ", or start the new binary by hand."
	}
	return out.WithHint(hint + " Sessions that run go on.")
}

// startBefore ends what came up of the new daemon and waits for the one before.
func (u *upgrade) startBefore(ctx context.Context, c *client.Client) error {
	var st daemonOutput
	if c.Call(ctx, "daemon.status", nil, &st) == nil {
		if st.PID == u.before.PID {
			return nil // it never left
		}
		if err := u.restart(ctx, c, st.PID); err != nil {
			return err
		}
	} else if u.before.Build.Service == "" {
		if pid := config.Holder(u.home); pid != 0 { // ours, and it does not get ready
			_ = syscall.Kill(pid, syscall.SIGTERM)
		}
		if err := waitDown(ctx, u.home); err != nil {
			return err
		}
		if err := u.a.startProgram(ctx, u.home, u.place, u.environ(), upgradeBound); err != nil {
			return err
		}
	} else { // a manager that gave the new one up tries no more by itself
		_ = u.manager.kick(ctx, "restart") // where this user may not, the manager's own tries have to do
		u.manager = nil
	}
	_, err := u.ready(ctx, c)
	return err
}
