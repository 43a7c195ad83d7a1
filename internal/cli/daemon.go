package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"vyre/internal/cli/term"
	"vyre/internal/config"
)

func (a *app) cmdDaemon() *cobra.Command {
	return a.command("daemon", "Run the daemon in the foreground", 0, 0, func(ctx context.Context, _ []string) error {
		err := a.Daemon(ctx)
		if errors.Is(err, ErrAgain) {
			return exit(config.ExitAgain)
		}
		if cause := context.Cause(ctx); cause != nil && (errors.Is(err, cause) || errors.Is(err, context.Canceled)) {
			return nil // it was asked to end, and did
		}
		return err
	})
}

func (a *app) cmdBackup() *cobra.Command {
	type input struct {
		Path string `json:"path"`
	}
	return a.command("backup <file>", "Write a copy of the database while the daemon runs", 1, 1, func(ctx context.Context, args []string) error {
		path, err := filepath.Abs(args[0])
		if err != nil {
			return err
		}
		return tool(ctx, a, "daemon.backup", input{path}, func(out struct {
			Bytes int64 `json:"bytes"`
		},
		) string {
			return done("wrote %s (%s)", path, bytesOf(out.Bytes))
		})
	})
}

func (a *app) cmdVerify() *cobra.Command {
	return a.command("verify", "Check the database and the hash chain of its log", 0, 0, func(ctx context.Context, _ []string) error {
		return tool(ctx, a, "daemon.verify", anything{}, func(anything) string { return done("the database is whole and the log's chain holds") })
	})
}

func bytesOf(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
	default:
		return fmt.Sprintf("%d kB", (n+1023)/1024)
	}
}

func (a *app) cmdProviders() *cobra.Command {
	return a.command("providers", "List the agents that were found", 0, 0, func(ctx context.Context, _ []string) error {
		return tool(ctx, a, "providers.list", anything{}, a.showProviders)
	})
}

// showProviders says of each agent whether it can be used, in a line or two.
func (a *app) showProviders(out providersOutput) string {
	s := a.dataStyle()
	var b strings.Builder
	for _, p := range out.Providers {
		label := term.Line(p.Label, 0)
		if label == "" {
			label = p.Provider
		}
		if !p.Available {
			fmt.Fprintf(&b, "%s %s: %s\n", s.Bad(s.Signs().Fail), label, term.Line(p.Error, 0))
			if p.Hint != "" {
				fmt.Fprintf(&b, "  %s\n", s.Dim(term.Line(p.Hint, 0)))
			}
			continue
		}
		fmt.Fprintf(&b, "%s %s %s  %s\n", s.Good(s.Signs().Done), label, term.Line(p.Version, 0), s.Dim(term.Line(p.Path, 0)))
		if p.Warning != "" {
			fmt.Fprintf(&b, "  %s\n", s.Dim(term.Line(p.Warning, 0)))
		}
	}
	if len(out.Providers) == 0 {
		b.WriteString("No agent is known.\n")
	}
	return b.String()
}

func (a *app) cmdVersion() *cobra.Command {
	return a.command("version", "Print the version", 0, 0, func(context.Context, []string) error {
		v := struct {
			Version string `json:"version"`
			Commit  string `json:"commit"`
			Go      string `json:"go"`
			OS      string `json:"os"`
			Arch    string `json:"arch"`
		}{a.Version, commit(), runtime.Version(), runtime.GOOS, runtime.GOARCH}
		if a.json {
			return a.printValue(v)
		}
		_, err := fmt.Fprintf(a.Out, "vyre %s (%s %s/%s)\n", v.Version, v.Go, v.OS, v.Arch)
		return err
	})
}

// commit is the revision this program was built from, or empty.
func commit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value
		}
	}
	return ""
}
