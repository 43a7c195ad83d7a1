package fake

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
)

// vars are what a script line may name.
type vars struct {
	result string // $RESULT
	cwd    string // $CWD
}

const maxFill = 32 << 20

var (
	answer = regexp.MustCompile(`="([^"]*)"`)
	fill   = regexp.MustCompile(`\$FILL:[0-9]{1,8}`)
)

// text puts the variables into s.
func (v vars) text(s string) string {
	if !strings.Contains(s, "$") {
		return s
	}
	s = strings.NewReplacer("$RESULT", v.result, "$ANSWER", answered(v.result), "$CWD", v.cwd).Replace(s)
	return fill.ReplaceAllStringFunc(s, func(m string) string {
		n, err := strconv.Atoi(strings.TrimPrefix(m, "$FILL:"))
		if err != nil || n > maxFill {
			return m
		}
		return Fill(n)
	})
}

// Fill is the text that $FILL:n stands for.
func Fill(n int) string {
	const unit = "0123456789abcdef"
	return strings.Repeat(unit, n/len(unit)+1)[:n]
}

// answered finds what a person answered in the result of a question.
func answered(result string) string {
	if m := answer.FindStringSubmatch(result); m != nil {
		return m[1]
	}
	return "nothing"
}

// json puts the variables into a JSON text, as the insides of its strings.
func (v vars) json(input string) string {
	var x any
	if !strings.Contains(input, "$") || json.Unmarshal([]byte(input), &x) != nil {
		return input
	}
	b, err := json.Marshal(v.inside(x))
	if err != nil {
		return input
	}
	return string(b)
}

func (v vars) inside(x any) any {
	switch x := x.(type) {
	case string:
		return v.text(x)
	case []any:
		for i := range x {
			x[i] = v.inside(x[i])
		}
	case map[string]any:
		for k := range x {
			x[k] = v.inside(x[k])
		}
	}
	return x
}
