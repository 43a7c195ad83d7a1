package shim

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"vyre"
	"vyre/agent"
	"vyre/internal/engine"
)

// daemonMode makes this test binary a daemon; its value is the path of its
// orders. It does what the engine does around a session, with a file for a
// store, and may be killed at any moment.
const daemonMode = "VYRE_SHIM_TEST_DAEMON"

// orders is what a test daemon shall do.
type orders struct {
	Home, Run, Program string // paths
	NoCgroup           bool
	Agent              agent.Command
	Book               string // path of the book
	Frames             int    // how many frames to say, each a line that the agent echoes
	// Once ends the work with the session, whatever was said.
	Once bool
}

// book is what a test daemon has on disk.
type book struct {
	Session vyre.Session
	Last    vyre.Session // the one before, to look for what it left
	Frame   uint64       // the frame that was decided and is not acknowledged, or 0
	Acked   uint64
	Lines   []string // committed together with Session.Committed
	Done    bool
	Restart int // sessions that ended early
}

// keeper is the store: each commit replaces the file.
type keeper struct {
	sync.Mutex
	path string
	book book
}

func (k *keeper) commit(change func(*book)) {
	k.Lock()
	defer k.Unlock()
	change(&k.book)
	raw, err := json.Marshal(k.book)
	if err == nil {
		err = os.WriteFile(k.path+".new", raw, 0o600)
	}
	if err == nil {
		err = os.Rename(k.path+".new", k.path)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "commit:", err)
		os.Exit(3)
	}
}

func readBook(path string) (b book, err error) {
	raw, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return b, nil
	}
	if err == nil {
		err = json.Unmarshal(raw, &b)
	}
	return b, err
}

func runDaemon() int {
	var o orders
	raw, err := os.ReadFile(os.Getenv(daemonMode))
	if err == nil {
		err = json.Unmarshal(raw, &o)
	}
	if err == nil {
		err = serveOrders(o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "daemon:", err)
		return 1
	}
	return 0
}

func (o orders) config() (Config, error) {
	program, err := os.ReadFile(o.Program)
	return Config{
		Home: o.Home, RuntimeDir: o.Run, NoCgroup: o.NoCgroup, Program: program,
		EndGrace: 300 * time.Millisecond, TermGrace: 200 * time.Millisecond,
	}, err
}

func serveOrders(o orders) error {
	ctx, cancel := context.WithTimeout(context.TODO(), 20*time.Second)
	defer cancel()
	cfg, err := o.config()
	if err != nil {
		return err
	}
	l, err := New(cfg)
	if err != nil {
		return err
	}
	k := &keeper{path: o.Book}
	if k.book, err = readBook(o.Book); err != nil {
		return err
	}
	for !k.book.Done {
		if err := workOn(ctx, l, k, o); err != nil {
			return err
		}
	}
	return nil
}

// workOn does one session, or what is left of it.
func workOn(ctx context.Context, l *Launcher, k *keeper, o orders) error {
	p, err := sessionOf(ctx, l, k, o)
	if err != nil || p == nil {
		return err
	}
	defer p.Detach()
	p.SetOffset(k.book.Session.Committed)
	read := make(chan error, 1)
	echoed := make(chan struct{}, 1000)
	go func() { read <- readAll(ctx, p, k, echoed) }()
	lost := sayAll(ctx, p, k, o)
	if lost == nil {
		lost = awaitEchoes(ctx, p, k, o, echoed)
	}
	if err := p.Stop(ctx); err != nil {
		return err
	}
	if err := <-read; err != nil {
		return err
	}
	k.commit(func(b *book) {
		b.Last, b.Session = b.Session, vyre.Session{}
		b.Done = lost == nil || o.Once
		if !b.Done { // the next session knows nothing of what this one was told
			b.Restart++
			b.Frame, b.Acked, b.Lines = 0, 0, nil
		}
	})
	return nil
}

func sessionOf(ctx context.Context, l *Launcher, k *keeper, o orders) (engine.Process, error) {
	s := k.book.Session
	switch s.State {
	case vyre.SessionLive:
		return l.Adopt(ctx, s)
	case vyre.SessionEnded:
	case vyre.SessionStarting, vyre.SessionPrepared: // the engine abandons such a start
		p, err := l.Adopt(ctx, s)
		if err != nil {
			return nil, err
		}
		defer p.Detach()
		if err := p.Stop(ctx); err != nil {
			return nil, err
		}
		k.commit(func(b *book) { b.Last, b.Session, b.Done = s, vyre.Session{}, o.Once })
		return nil, nil
	}
	id := vyre.SessionID(vyre.NewID())
	s = vyre.Session{
		ID: id, Token: vyre.NewSecret(), State: vyre.SessionStarting,
		Dir: filepath.Join(l.cfg.Home, "private", string(id)),
	}
	k.commit(func(b *book) { b.Session = s })
	s, p, err := l.Prepare(ctx, s, o.Agent)
	if err != nil { // the shim was killed in its start: nothing is left of it
		k.commit(func(b *book) {
			b.Last, b.Session, b.Done = b.Session, vyre.Session{}, o.Once
			b.Restart++
		})
		return nil, nil
	}
	s.State = vyre.SessionPrepared
	k.commit(func(b *book) { b.Session = s })
	pid, err := p.Go(ctx)
	if err != nil { // likewise; the next look sweeps it
		p.Detach()
		return nil, nil
	}
	k.commit(func(b *book) { b.Session.State, b.Session.AgentPID = vyre.SessionLive, pid })
	return p, nil
}

// sayAll says the frames that were not acknowledged, each decided on disk first.
func sayAll(ctx context.Context, p engine.Process, k *keeper, o orders) error {
	for {
		k.Lock()
		n, acked := k.book.Frame, k.book.Acked
		k.Unlock()
		if n == 0 {
			if n = acked + 1; n > uint64(o.Frames) {
				return nil
			}
			k.commit(func(b *book) { b.Frame = n })
		}
		if err := p.Send(ctx, n, fmt.Appendf(nil, "frame %d\n", n)); err != nil {
			return err
		}
		k.commit(func(b *book) { b.Frame, b.Acked = 0, n })
	}
}

func awaitEchoes(ctx context.Context, p engine.Process, k *keeper, o orders, echoed <-chan struct{}) error {
	for {
		k.Lock()
		n := len(k.book.Lines)
		k.Unlock()
		if n >= o.Frames {
			return nil
		}
		select {
		case <-echoed:
		case <-p.Done():
			return errLost
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func readAll(ctx context.Context, p engine.Process, k *keeper, echoed chan<- struct{}) error {
	for {
		lines, err := p.Read(ctx, 1000)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		k.commit(func(b *book) {
			b.Lines = append(b.Lines, texts(lines)...)
			b.Session.Committed = lines[len(lines)-1].End
		})
		p.Release(lines[len(lines)-1].End)
		echoed <- struct{}{}
	}
}
