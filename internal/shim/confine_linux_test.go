package shim

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"vyre"
	"vyre/internal/confine"
)

func TestSessionIsShutIn(t *testing.T) {
	// A session started with no settings at all is shut in by every part that this
	// machine gives, says so, and sees its own socket's folder and no other.
	b := newBench(t)
	have := b.Parts()
	if !have.Has(confine.Mount) {
		t.Skipf("this machine gives %q, no mount namespace", have.Names())
	}
	cmd := script(t, `ls -A "$V/private" | wc -l; ls -A "$R"; ls -A "$R/s"; read x`)
	cmd.Env = append(cmd.Env, "V="+b.cfg.Home, "R="+b.cfg.RuntimeDir)
	if err := os.MkdirAll(b.cfg.RuntimeDir+"/s/another", 0o700); err != nil {
		t.Fatal(err)
	}
	s, p := b.start(cmd)
	for _, want := range []string{"0", "s", string(s.ID)} {
		if got := strings.TrimSpace(string(one(t, p).Bytes)); got != want {
			t.Errorf("it saw %q, want %q", got, want)
		}
	}
	held, open := p.Confined()
	if !slices.Equal(held, have.Names()) || len(open) > 0 {
		t.Errorf("held %q of %q, open %q", held, have.Names(), open)
	}
	if err := p.Stop(ctx(t)); err != nil {
		t.Fatal(err)
	}
	if err := b.Discard(s); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(b.sessionSockets(s.ID)); !os.IsNotExist(err) {
		t.Errorf("its socket folder is left: %v", err)
	}
}

func TestRequireRefuses(t *testing.T) {
	// Where a part is missing, require starts nothing, says why, and leaves nothing;
	// auto goes on with the rest, and the session says which.
	lacking := confine.Report{Parts: (confine.Caps | confine.Calls).Names(), Missing: []confine.Missing{{What: "mount", Why: "no namespace here"}}}
	pretend := func(b *bench) { b.examine.Do(func() { b.report = lacking }) }
	b := newBench(t, func(c *Config) { c.Confine.Require = true })
	pretend(b)
	s := b.session()
	_, _, err := b.Prepare(ctx(t), s, script(t, "read x"))
	if vyre.CodeOf(err) != vyre.CodeUnavailable || !strings.Contains(err.Error(), "no namespace here") {
		t.Errorf("error %v", err)
	}
	if _, err := os.Lstat(s.Dir); !os.IsNotExist(err) {
		t.Errorf("its folder is left: %v", err)
	}
	b = newBench(t)
	pretend(b)
	_, p := b.start(script(t, "grep -E '^(CapEff|Seccomp):' /proc/self/status; read x"))
	if held, _ := p.Confined(); !slices.Equal(held, lacking.Parts) {
		t.Errorf("held %q", held)
	}
	expect(t, p, "CapEff:\t0000000000000000")
	expect(t, p, "Seccomp:\t2")
}

func TestConfinementTakesLittle(t *testing.T) {
	// Shutting a session in adds a few milliseconds to its start.
	took := func(b *bench) time.Duration {
		best := time.Hour
		for range 10 {
			s, p := b.prepare(script(t, "read x"))
			begin := time.Now()
			if _, err := p.Go(ctx(t)); err != nil {
				t.Fatal(err)
			}
			best = min(best, time.Since(begin))
			if err := p.Stop(ctx(t)); err != nil {
				t.Fatal(err)
			}
			_ = b.Discard(s)
		}
		return best
	}
	plain, shut := took(newBench(t, unconfined)), took(newBench(t))
	t.Logf("let go in %v, shut in in %v", plain, shut)
	if shut-plain > 100*time.Millisecond {
		t.Error(fmt.Errorf("it adds %v", shut-plain))
	}
}
