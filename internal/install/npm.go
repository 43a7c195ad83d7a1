package install

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"vyre"
)

// fetch lets npm put the package into stage/node_modules, telling the size of
// what is there meanwhile. npm unpacks while it downloads, so that is progress.
func (i *Installer) fetch(ctx context.Context, stage, pkg string, b Build, progress func(Progress)) error {
	npm, err := i.npm()
	if err != nil {
		return err
	}
	// Each flag overrides what the person's npm configuration could say against
	// a plain local install; where packages come from is left to it.
	cmd := exec.CommandContext(ctx, npm, "install", "--prefix", stage, "--global=false", "--ignore-scripts", "--no-save",
		"--package-lock=false", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error", "--progress=false", pkg)
	cmd.Dir = stage // no project's .npmrc
	cmd.Env = i.Env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	said := &tail{max: 4096}
	cmd.Stdout, cmd.Stderr = said, said

	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() { watch(stop, filepath.Join(stage, "node_modules"), b.Size, progress) })
	err = cmd.Run()
	close(stop)
	wg.Wait()
	if err != nil {
		return npmError(ctx, err, said.String())
	}
	return nil
}

func (i *Installer) npm() (string, error) {
	if i.NPM != "" {
		return i.NPM, nil
	}
	for _, kv := range i.Env {
		if path, ok := strings.CutPrefix(kv, "PATH="); ok {
			for _, d := range filepath.SplitList(path) {
				if p := filepath.Join(d, "npm"); filepath.IsAbs(d) && runs(p) {
					return p, nil
				}
			}
		}
	}
	return "", vyre.Errorf(vyre.CodeUnavailable, "npm was not found, and the agent comes from there").
		WithHint("Install Node.js 20 or newer with npm, or set providers." + i.Pin.Provider + ".runtime to the path of a program you have.")
}

func npmError(ctx context.Context, err error, said string) error {
	cause := errors.New(err.Error() + ": " + said)
	switch {
	case ctx.Err() != nil:
		return vyre.Errorf(vyre.CodeTimeout, "the install was stopped before its end").
			WithHint("Start it again; what was downloaded is in npm's cache.").Because(cause)
	case strings.Contains(said, "ENOSPC") || strings.Contains(said, "EDQUOT"):
		return noSpace(cause)
	default:
		e := vyre.Errorf(vyre.CodeUnavailable, "npm could not fetch the agent (%s)", npmCode(said))
		return e.WithHint("Check that npm reaches its registry from here (npm ping); proxies and mirrors are set in npm's own configuration.").Because(cause)
	}
}

// npmCode picks the code of npm's own report ("npm error code E404"); the rest
// of it has paths and addresses.
func npmCode(said string) string {
	for line := range strings.Lines(said) {
		f := strings.Fields(line)
		if len(f) == 4 && f[0] == "npm" && f[2] == "code" && strings.ToUpper(f[3]) == f[3] {
			return f[3]
		}
	}
	return "it gave no code"
}

// watch tells the size of a folder until stop is closed.
func watch(stop <-chan struct{}, dir string, total int64, progress func(Progress)) {
	t := time.NewTicker(250 * time.Millisecond)
	defer t.Stop()
	for {
		progress(Progress{Stage: "fetch", Done: min(size(dir), total), Total: total})
		select {
		case <-stop:
			return
		case <-t.C:
		}
	}
}

// size adds up the files below dir; what vanishes meanwhile counts nothing.
func size(dir string) (n int64) {
	_ = filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if fi, err := d.Info(); err == nil {
				n += fi.Size()
			}
		}
		return nil
	})
	return n
}

// tail keeps the last bytes written. os/exec writes it from one goroutine.
type tail struct {
	bytes.Buffer
	max int
}

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	n, _ := t.Buffer.Write(p)
	if over := t.Len() - t.max; over > 0 {
		t.Next(over)
	}
	return n, nil
}
