package shim

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"vyre"
	"vyre/internal/shim/proto"
)

// dial opens a control connection and says hello with a token.
func dial(ctx context.Context, socket, token string, min, max uint16) (*conn, error) {
	var d net.Dialer
	raw, err := d.DialContext(ctx, "unix", socket)
	if err != nil {
		return nil, err
	}
	c := newConn(raw.(*net.UnixConn))
	_, _, err = c.welcome(ctx, proto.TypeHello, proto.Hello{Min: min, Max: max, Token: []byte(token)}.Append(nil))
	if err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

func TestHello(t *testing.T) {
	// Only the right token and a version in common open the control socket; a
	// refused peer does not disturb the controller.
	b := newBench(t)
	s, p := b.start(helper(t, "echo"))
	wrong := []byte(s.Token)
	wrong[len(wrong)-1] ^= 1
	for name, c := range map[string]struct {
		token    string
		min, max uint16
		code     proto.Code
	}{
		"wrong token":   {string(wrong), proto.MinVersion, proto.Version, proto.CodeDenied},
		"short token":   {s.Token[:5], proto.MinVersion, proto.Version, proto.CodeDenied},
		"no token":      {"", proto.MinVersion, proto.Version, proto.CodeDenied},
		"newer version": {s.Token, proto.Version + 1, proto.Version + 2, proto.CodeVersion},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := dial(ctx(t), s.Socket, c.token, c.min, c.max)
			if r, ok := errors.AsType[*refusal](err); !ok || r.code != c.code {
				t.Fatalf("error %v, want code %d", err, c.code)
			}
		})
	}
	send(t, p, 1, "undisturbed\n")
	expect(t, p, "undisturbed")
	c, err := dial(ctx(t), s.Socket, s.Token, proto.Version, proto.Version+1) // the next version speaks N-1
	if err != nil {
		t.Fatal(err)
	}
	c.close()
}

func TestNewerControllerReplaces(t *testing.T) {
	// The newer controller with the right token is the only one; the older one is
	// told, and comes back only by asking again.
	b := newBench(t)
	s, p := b.start(helper(t, "echo"))
	send(t, p, 1, "one\n")
	p.mu.Lock()
	old := p.c
	p.mu.Unlock()
	q := b.adopt(s)
	closed(t, "the older one is let go", old.ended)
	if old.reason() != proto.ReasonReplaced {
		t.Fatalf("reason %d", old.reason())
	}
	send(t, q, 2, "two\n")
	if n, err := q.Accepted(ctx(t)); err != nil || n != 2 {
		t.Fatalf("accepted %d, %v", n, err)
	}
	p.Detach()
}

func TestGarbageOnTheSocket(t *testing.T) {
	// Bytes that are no protocol, half messages and peers that say nothing cost
	// only their own connection.
	b := newBench(t)
	s, p := b.start(helper(t, "echo"))
	for _, junk := range []string{"GET / HTTP/1.1\r\n\r\n", "\x00", "\xff\xff\xff\xff\x02\x00\x00\x00\x00", string(proto.AppendMessage(nil, proto.TypeGo, 1, nil)), string(proto.AppendFrameHeader(nil, 1, 1, 60<<20))} {
		c, err := net.Dial("unix", s.Socket)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Write([]byte(junk)); err != nil {
			t.Logf("write: %v", err)
		}
		defer c.Close()
	}
	send(t, p, 1, "one\n")
	expect(t, p, "one")
	var q *conn
	until(t, "the silent ones are gone", func() bool {
		var err error
		q, err = dial(ctx(t), s.Socket, s.Token, proto.Version, proto.Version)
		return err == nil
	})
	q.close()
}

func TestDescendantIsRefused(t *testing.T) {
	// A process below the shim, however detached, can't control its session, even
	// with the token. (Shut in it does not even see the socket.)
	b := newBench(t, unconfined)
	for _, mode := range []string{"control", "control-detached"} {
		t.Run(mode, func(t *testing.T) {
			cmd := helper(t, mode)
			s, p := b.start(cmd)
			send(t, p, 1, s.Socket+"\n")
			send(t, p, 2, s.Token+"\n")
			if got := string(one(t, p).Bytes); got != fmt.Sprintf("refused %d", proto.CodeDenied) {
				t.Fatalf("it got %q", got)
			}
		})
	}
}

func controlAttack(socket, token string) string {
	ctx, cancel := context.WithTimeout(context.TODO(), 5*time.Second)
	defer cancel()
	c, err := dial(ctx, socket, token, proto.Version, proto.Version)
	if r, ok := errors.AsType[*refusal](err); ok {
		return fmt.Sprintf("refused %d", r.code)
	}
	if err != nil {
		return "error " + err.Error()
	}
	c.close()
	return "let in"
}

func TestFrames(t *testing.T) {
	// Frames are written once each and in order, whole, up to 64 MiB; a number that
	// is not the next one is refused, a larger frame too.
	b := newBench(t)
	_, p := b.start(helper(t, "count"))
	big := make([]byte, 32<<20)
	for i := range big {
		big[i] = 'x'
	}
	big[len(big)-1] = '\n'
	if err := p.Send(ctx(t), 1, big); err != nil {
		t.Fatal(err)
	}
	expect(t, p, fmt.Sprint(len(big)))
	if err := p.Send(ctx(t), 1, big); err != nil {
		t.Fatalf("again: %v", err)
	}
	if err := p.Send(ctx(t), 3, []byte("x\n")); vyre.CodeOf(err) != vyre.CodeConflict {
		t.Fatalf("out of order: %v", err)
	}
	if err := p.Send(ctx(t), 0, []byte("x\n")); vyre.CodeOf(err) != vyre.CodeConflict {
		t.Fatalf("number 0: %v", err)
	}
	if err := p.Send(ctx(t), 2, make([]byte, proto.MaxFrame+1)); vyre.CodeOf(err) != vyre.CodeTooLarge {
		t.Fatalf("too large: %v", err)
	}
	send(t, p, 2, "abc\n")
	expect(t, p, "4")
	if err := p.Stop(ctx(t)); err != nil {
		t.Fatal(err)
	}
	if rest := collect(t, p); len(rest) != 0 {
		t.Fatalf("written twice: %q", texts(rest))
	}
}

func TestStuckAgent(t *testing.T) {
	// An agent that does not read holds up nothing but the frame it should read:
	// the rest of the protocol answers, and a later controller gets that frame's
	// acknowledgement once.
	b := newBench(t)
	s, p := b.start(script(t, `while [ ! -e go ]; do sleep 0.01; done; wc -c`))
	frame := make([]byte, 4<<20)
	short, cancel := context.WithTimeout(ctx(t), 100*time.Millisecond)
	defer cancel()
	if err := p.Send(short, 1, frame); vyre.CodeOf(err) != vyre.CodeTimeout {
		t.Fatalf("error %v", err)
	}
	if n, err := p.Accepted(ctx(t)); err != nil || n != 0 {
		t.Fatalf("accepted %d, %v", n, err)
	}
	p.Detach()
	q := b.adopt(s)
	sent := make(chan error, 1)
	go func() { sent <- q.Send(ctx(t), 1, frame) }()
	if n, err := q.Accepted(ctx(t)); err != nil || n != 0 {
		t.Fatalf("accepted %d, %v", n, err)
	}
	if err := os.WriteFile(cwdOf(t, s)+"/go", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := <-sent; err != nil {
		t.Fatal(err)
	}
	if err := q.Stop(ctx(t)); err != nil {
		t.Fatal(err)
	}
	if got := texts(collect(t, q)); !slices.Equal(got, []string{fmt.Sprint(len(frame))}) {
		t.Fatalf("the agent read %q bytes", got)
	}
}

func cwdOf(t *testing.T, s vyre.Session) string {
	t.Helper()
	dir, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", s.AgentPID))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestTokenIsNotShown(t *testing.T) {
	// No error that a caller may see holds the token or a path of ours.
	b := newBench(t)
	s, p := b.start(script(t, "exit 0"))
	closed(t, "the exit is known", p.Done())
	closed(t, "the shim is gone", p.gone)
	err := p.Send(ctx(t), 1, []byte("x"))
	e := vyre.EnvelopeOf(err).Error
	shown := e.Message + e.Hint + fmt.Sprint(e.Details)
	for _, secret := range []string{s.Token, s.Dir, s.Socket} {
		if strings.Contains(shown, secret) {
			t.Fatalf("shown: %s", shown)
		}
	}
}
