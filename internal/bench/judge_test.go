package bench

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"vyre"
	"vyre/internal/policy"
	"vyre/internal/policy/disk"
)

// BenchmarkJudge: the verdict on a command line, for ordinary ones and for texts
// that were made to take long.
func BenchmarkJudge(b *testing.B) {
	home := b.TempDir()
	judge := func(text string) (policy.Verdict, time.Duration) {
		at := time.Now()
		v := policy.Judge(policy.Call{Tool: "Bash", Source: "builtin", CWD: home + "/app", Project: home + "/app", Acts: []vyre.Act{
			{Kind: vyre.ActCommand, Command: text, Shell: "bash", CWD: home + "/app"},
		}}, policy.Facts{Home: home, VyreHome: home + "/.local/state/vyre", Files: disk.Files{}})
		return v, time.Since(at)
	}
	var ordinary []string
	for _, name := range []string{"reads.txt", "build.txt"} {
		text, err := os.ReadFile("../policy/testdata/" + name)
		if err != nil {
			b.Fatal(err)
		}
		for l := range strings.Lines(string(text)) {
			if l = strings.TrimSpace(l); l != "" && !strings.HasPrefix(l, "#") {
				ordinary = append(ordinary, l)
			}
		}
	}
	var times []time.Duration
	for range 5 {
		for _, l := range ordinary {
			_, d := judge(l)
			times = append(times, d)
		}
	}
	slices.Sort(times)
	report("verdict on a command line", fmt.Sprintf("p50 %s, p99 %s", ms(times[len(times)/2]), ms(times[len(times)*99/100])), "p99 ≤ 5 ms",
		fmt.Sprintf("%d lines of ordinary days, each 5 times", len(ordinary)))
	worst, which := time.Duration(0), ""
	for name, unit := range map[string]string{"words": "a ", "commands": "ls; ", "a chain": "ls && ", "folders": "cd a; ", "redirections": "echo x > a\n", "assignments": "a=b ", "patterns": "a* ", "settings": ".claude/settings.json "} {
		for _, size := range []int{160<<10 - 100, 1 << 20} {
			text := "ls " + strings.Repeat(unit, size/len(unit)) + "ls"
			best := time.Hour
			for range 3 {
				at := cpuTime()
				judge(text)
				best = min(best, cpuTime()-at)
			}
			if best > worst {
				worst, which = best, fmt.Sprintf("%s, %d KB", name, len(text)>>10)
			}
		}
	}
	report("CPU for the verdict on the worst of 16 long texts", ms(worst), "≤ 100 ms", which+"; what would take longer is denied")
}

// cpuTime is what this process used so far: a text's cost on a machine that does
// other things, too.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
