package fake

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

type stepKind int

const (
	stepSay stepKind = iota
	stepThink
	stepWords
	stepTool
	stepNext
	stepWait
	stepGate
	stepError
	stepCut
	stepLimit
	stepUsage
)

// step is one line of a script.
type step struct {
	kind  stepKind
	text  string // words, a gate's or tool's name, a limit's status
	input string // a tool's JSON, not substituted yet
	n     int    // number of words, HTTP status
	stamp bool   // each word is the moment at which it is written
	times int    // how often an error or a cut happens; 0: for ever
	d     time.Duration
	usage usage
	line  int // names the step in counters
}

// round is one answer of the model: steps up to and with its tool calls.
type round struct {
	steps []step
	tools int
}

// Words is the text of "words n": numbered, so that a lost or doubled one shows.
func Words(n int) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		b.WriteString(word(i, n))
	}
	return b.String()
}

func word(i, n int) string {
	w := "word" + strconv.Itoa(i)
	if i < n {
		w += " "
	}
	return w
}

// parse reads a script. ok is false when the text has no directive at all.
func parse(text string) (steps []step, ok bool) {
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "story" {
			sub, _ := parse(story)
			steps = append(steps, sub...)
			continue
		}
		if s, good := parseLine(line); good {
			s.line = i
			steps = append(steps, s)
		}
	}
	return steps, len(steps) > 0
}

func parseLine(line string) (step, bool) {
	verb, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	args := strings.Fields(rest)
	switch verb {
	case "say":
		return step{kind: stepSay, text: rest}, rest != ""
	case "think":
		return step{kind: stepThink, text: rest}, rest != ""
	case "words":
		return parseWords(args)
	case "stamps":
		s, ok := parseWords(args)
		s.stamp = true
		return s, ok
	case "tool":
		name, input, _ := strings.Cut(rest, " ")
		if input = strings.TrimSpace(input); input == "" {
			input = "{}"
		}
		return step{kind: stepTool, text: name, input: input}, json.Valid([]byte(input)) && input[0] == '{'
	case "next":
		return step{kind: stepNext}, rest == ""
	case "wait":
		d, err := time.ParseDuration(rest)
		return step{kind: stepWait, d: d}, err == nil
	case "gate":
		return step{kind: stepGate, text: rest}, len(args) == 1
	case "stall":
		return step{kind: stepGate, text: "stall"}, rest == ""
	case "error":
		return parseError(args)
	case "cut":
		return step{kind: stepCut, times: times(args)}, len(args) <= 1
	case "limit":
		return parseLimit(args)
	case "usage":
		return parseUsage(args)
	}
	return step{}, false
}

func parseWords(args []string) (step, bool) {
	if len(args) == 0 {
		return step{}, false
	}
	n, err := strconv.Atoi(args[0])
	s := step{kind: stepWords, n: n, d: 20 * time.Millisecond}
	if err != nil || n < 1 {
		return step{}, false
	}
	if len(args) == 3 && args[1] == "every" {
		s.d, err = time.ParseDuration(args[2])
	}
	return s, err == nil
}

func parseError(args []string) (step, bool) {
	if len(args) == 0 {
		return step{}, false
	}
	n, err := strconv.Atoi(args[0])
	return step{kind: stepError, n: n, times: times(args[1:])}, err == nil && n >= 400 && n < 600
}

func parseLimit(args []string) (step, bool) {
	if len(args) == 0 || args[0] != "warning" && args[0] != "rejected" {
		return step{}, false
	}
	s := step{kind: stepLimit, text: args[0]}
	var err error
	if n := len(args); n > 2 && args[n-2] == "in" {
		s.d, err = time.ParseDuration(args[n-1])
		args = args[:n-2]
	}
	s.times = times(args[1:])
	return s, err == nil && len(args) <= 2
}

// times reads "x2"; anything else is for ever.
func times(args []string) int {
	if len(args) == 0 {
		return 0
	}
	n, err := strconv.Atoi(strings.TrimPrefix(args[0], "x"))
	if err != nil {
		return 0
	}
	return n
}

func parseUsage(args []string) (step, bool) {
	u := defaultUsage
	for _, a := range args {
		k, v, _ := strings.Cut(a, "=")
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil {
			return step{}, false
		}
		switch k {
		case "in":
			u.In = n
		case "out":
			u.Out = n
		case "cache_read":
			u.CacheRead = n
		case "cache_write":
			u.CacheWrite = n
		default:
			return step{}, false
		}
	}
	return step{kind: stepUsage, usage: u}, true
}

// rounds cuts a script into the model's answers.
func rounds(steps []step) []round {
	var out []round
	cur := round{}
	flush := func() {
		if len(cur.steps) > 0 {
			out = append(out, cur)
		}
		cur = round{}
	}
	for _, s := range steps {
		if cur.tools > 0 && s.kind != stepTool {
			flush()
		}
		if s.kind == stepNext {
			continue
		}
		if s.kind == stepTool {
			cur.tools++
		}
		cur.steps = append(cur.steps, s)
	}
	flush()
	return out
}

// at returns the round that follows after the given number of tool results.
func at(rs []round, results int) (round, bool) {
	done := 0
	for _, r := range rs {
		if done >= results {
			return r, true
		}
		done += r.tools
	}
	return round{}, false
}
