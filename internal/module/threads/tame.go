package threads

import (
	"strings"
)

// tame makes an agent's Markdown safe to stand below a heading of ours.
func tame(s string) string {
	var b strings.Builder
	open := "" // the fence that is open
	for line := range strings.SplitSeq(strings.TrimRight(clean(s), "\n"), "\n") {
		text := strings.TrimLeft(line, " ")
		if f := fenceOf(text); f != "" && len(line)-len(text) < 4 {
			switch {
			case open == "":
				open = f // without its indent: it may not end with a list around it
				b.WriteString(text + "\n")
				continue
			case f[0] == open[0] && len(f) >= len(open) && strings.TrimSpace(text[len(f):]) == "":
				open = ""
				b.WriteString(text + "\n")
				continue
			}
		}
		if open == "" {
			line = tameLine(line, text)
		}
		b.WriteString(line + "\n")
	}
	if open != "" {
		b.WriteString(open + "\n")
	}
	return b.String()
}

// fenceOf is the run of backticks or tildes that begins a line, of three or more.
func fenceOf(text string) string {
	for _, c := range []string{"`", "~"} {
		n := len(text) - len(strings.TrimLeft(text, c))
		if n >= 3 && (c == "~" || !strings.Contains(text[n:], "`")) {
			return text[:n]
		}
	}
	return ""
}

func tameLine(line, text string) string {
	switch {
	case strings.HasPrefix(text, "#"):
		line = strings.Repeat(" ", len(line)-len(text)) + "##" + text
	case text != "" && strings.Trim(text, "=- \t") == "" && !strings.Contains(strings.TrimSpace(text), " "):
		line = "\\" + text // it would make a heading of the line before it
	}
	return escapeHTML(line)
}

// escapeHTML takes raw HTML and pictures from elsewhere out of a line's words, and
// leaves its code spans.
func escapeHTML(line string) string {
	var b strings.Builder
	spans := strings.Count(line, "`") < maxTicks
	for i := 0; i < len(line); {
		if line[i] == '`' && spans {
			n := len(line[i:]) - len(strings.TrimLeft(line[i:], "`"))
			if end := spanEnd(line[i+n:], n); end >= 0 {
				b.WriteString(line[i : i+n+end+n])
				i += n + end + n
				continue
			}
			b.WriteString(line[i : i+n])
			i += n
			continue
		}
		switch {
		case line[i] == '\\' && i+1 < len(line):
			b.WriteString(line[i : i+2])
			i += 2
			continue
		case line[i] == '<', line[i] == '!' && strings.HasPrefix(line[i+1:], "["):
			b.WriteByte('\\')
		}
		b.WriteByte(line[i])
		i++
	}
	return b.String()
}

// maxTicks bounds the search for spans in one line, which is quadratic.
const maxTicks = 500

// spanEnd is where a code span's closing run of exactly n backticks begins, or -1.
func spanEnd(s string, n int) int {
	for i := 0; i < len(s); {
		if s[i] != '`' {
			i++
			continue
		}
		run := len(s[i:]) - len(strings.TrimLeft(s[i:], "`"))
		if run == n {
			return i
		}
		i += run
	}
	return -1
}
