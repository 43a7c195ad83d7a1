// Command vyre owns coding-agent sessions: the daemon and the command line are
// one program.
package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/signal"

	"vyre/internal/cli"
	"vyre/internal/config"
	"vyre/internal/daemon"
)

// version is set when a release is built (-ldflags -X main.version=…).
var version = "dev"

func main() { os.Exit(run()) }

func run() int {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, cli.Signals()...)
	defer signal.Stop(signals)
	return cli.Main(context.Background(), cli.Options{
		Args: os.Args[1:], In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		Getenv: os.Getenv, Environ: os.Environ(),
		Signals: signals, Version: version,
		Daemon: runDaemon, Tools: daemon.Registry, Speaks: daemon.Speaks,
	})
}

// runDaemon is `vyre daemon`: it returns after everything the daemon started,
// but the sessions, has ended.
func runDaemon(ctx context.Context) error {
	home, err := config.Home(os.Getenv)
	if err != nil {
		return err
	}
	err = daemon.Run(ctx, daemon.Options{
		Home: home, Version: version, Getenv: os.Getenv, Environ: os.Environ(),
		Log: slog.New(slog.NewTextHandler(os.Stderr, nil)),
	})
	if errors.Is(err, daemon.ErrAgain) {
		return cli.ErrAgain
	}
	return err
}
