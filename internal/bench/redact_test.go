package bench

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"vyre/internal/redact"
)

// The vault's values are looked for in 1 MiB in under 50 ms.
func TestRedact(t *testing.T) {
	var secrets []redact.Secret
	for i := range 100 {
		secrets = append(secrets, redact.Secret{Name: fmt.Sprint("s", i), Value: fmt.Appendf(nil, "sk-ant-api03-%064d-%d", i*7919, i)})
	}
	r := redact.New(secrets)
	text := bytes.Repeat([]byte("func (a *app) secret(ctx context.Context, name string) (string, error) { // sk-ant-api03-0000\n"), 12<<10)[:1<<20]
	var samples []time.Duration
	for range 21 {
		start := time.Now()
		r.Bytes(text)
		samples = append(samples, time.Since(start))
	}
	got := at(samples, 0.5)
	report("100 secrets looked for in 1 MiB", got.Round(100*time.Microsecond).String(), "50 ms", "`internal/redact`, no find")
	if got > 50*time.Millisecond {
		t.Errorf("%v", got)
	}
}
