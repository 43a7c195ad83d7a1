package policy

import (
	"path"
	"strings"

	"vyre/internal/policy/shell"
)

// unwrap takes off what runs the command behind it: sudo, env, timeout, xargs.
func (b *bench) unwrap(c *simple) {
	for range 16 {
		if len(c.words) == 0 || !c.words[0].Known {
			return
		}
		name := path.Base(c.words[0].Text)
		w, ok := wrappers[name]
		if !ok || len(c.words) == 1 && name != "env" && name != "xargs" || name == "command" && looksUp(c.words) {
			return
		}
		rest, ok := w.strip(c, c.words[1:])
		if w.ask != "" {
			c.asked = "it " + w.ask
		}
		c.fed = c.fed || w.fed
		if !w.reads && c.slow == "" {
			c.slow = name + " does more than run what is behind it"
		}
		c.runs = c.runs || w.fed
		if !ok {
			c.runs = true
			c.slow = "what " + name + " runs is not known for certain"
			return
		}
		if w.fed && len(rest) == 0 {
			rest = []shell.Word{{Raw: "echo", Text: "echo", Guess: "echo", Known: true, Plain: true}} // xargs without a command
		}
		c.words = rest
	}
	c.slow, c.runs = "it is wrapped too often", true
}

// looksUp reports whether it is command -v, which runs nothing.
func looksUp(words []shell.Word) bool {
	return len(words) > 1 && (words[1].Text == "-v" || words[1].Text == "-V")
}

// strip takes a wrapper's own words away.
func (w wrapper) strip(c *simple, args []shell.Word) ([]shell.Word, bool) {
	spec := parseSpec(w.flags)
	replaced := ""
	for len(args) > 0 && (!args[0].Known || strings.HasPrefix(args[0].Text, "-")) {
		if !args[0].Known {
			return args, false
		}
		if args[0].Text == "--" {
			args = args[1:]
			break
		}
		n, ok := spec.flag(args)
		if !ok || n > len(args) || !known(args[:n]) {
			return args, false // an unknown word may be several, and move all behind it
		}
		if w.fed && strings.HasPrefix(args[0].Text, "-I") {
			replaced = strings.TrimPrefix(args[0].Text+args[n-1].Text, args[0].Text)
			if n == 1 {
				replaced = args[0].Text[2:]
			}
		}
		args = args[n:]
	}
	for w.sets && len(args) > 0 && strings.Contains(args[0].Guess, "=") {
		if !args[0].Known {
			return args, false
		}
		name, value, _ := strings.Cut(args[0].Text, "=")
		c.sets = append(c.sets, shell.Set{Name: name, Value: shell.Word{Known: true, Text: value, Guess: value}})
		args = args[1:]
	}
	for range w.skip {
		if len(args) == 0 || !args[0].Known {
			return args, false
		}
		args = args[1:]
	}
	if replaced != "" && len(args) > 0 && strings.Contains(args[0].Guess, replaced) {
		return args, false // its input names the command
	}
	return args, true
}

// nested finds text that a command runs as a shell: bash -c 'text', eval 'text',
// sh <<< 'text'. cwd is where it runs, or "".
func (b *bench) nested(c simple, st shell.Step, depth int, stdin string) (text, cwd string, ok bool) {
	if depth >= maxDepth || c.fed || !c.words[0].Known || st.Piped {
		return "", "", false
	}
	cwd, _ = st.Dirs.Sure()
	name, args := path.Base(c.words[0].Text), c.words[1:]
	switch {
	case name == "eval" && len(args) > 0:
		var texts []string
		for _, a := range args {
			if !a.Known {
				return "", "", false
			}
			texts = append(texts, a.Text)
		}
		return strings.Join(texts, " "), cwd, true
	case !shellNames[name]:
		return "", "", false
	case len(args) == 0 && stdin != "":
		return stdin, cwd, true
	case len(args) >= 2 && args[0].Known && args[1].Known && strings.HasPrefix(args[0].Text, "-") && strings.Trim(args[0].Text, "-ceulx") == "" && strings.HasSuffix(args[0].Text, "c"):
		return args[1].Text, cwd, true
	}
	return "", "", false
}
