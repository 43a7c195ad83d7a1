package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// row is one figure of the table.
type row struct{ what, got, bar, note string }

var table []row

func report(what, got, bar, note string) { table = append(table, row{what, got, bar, note}) }

func TestMain(m *testing.M) {
	code := m.Run()
	if len(table) > 0 {
		page := render()
		fmt.Print("\n" + page)
		if os.Getenv("VYRE_UPDATE") != "" {
			if err := os.WriteFile(filepath.Join("..", "..", "docs", "reference", "bench.md"), []byte(page), 0o644); err != nil {
				fmt.Fprintln(os.Stderr, err)
				code = 1
			}
		}
	}
	os.Exit(code)
}

func render() string {
	var b strings.Builder
	b.WriteString("# Speed and size\n\n<!-- Written by VYRE_UPDATE=1 make bench. -->\n\n")
	fmt.Fprintf(&b, "One run on %s, %s/%s, %d cores, Go %s, %s. Medians unless said; the machine is shared and noisy, so read each figure against its neighbour.\n\n",
		time.Now().UTC().Format("2 January 2006"), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version(), kernel())
	b.WriteString("| what | measured | bar | how |\n|---|---|---|---|\n")
	for _, r := range table {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", r.what, r.got, r.bar, r.note)
	}
	return b.String()
}

func kernel() string {
	b, err := os.ReadFile("/proc/sys/kernel/osrelease")
	if err != nil {
		return "kernel unknown"
	}
	return "Linux " + strings.TrimSpace(string(b))
}

// at returns the q-quantile of the samples.
func at(samples []time.Duration, q float64) time.Duration {
	s := slices.Clone(samples)
	slices.Sort(s)
	return s[min(len(s)-1, int(q*float64(len(s))))]
}

func ms(d time.Duration) string { return fmt.Sprintf("%.2f ms", float64(d)/float64(time.Millisecond)) }

func mb(bytes int64) string { return fmt.Sprintf("%.1f MB", float64(bytes)/1e6) }
