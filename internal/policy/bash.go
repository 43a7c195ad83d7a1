package policy

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"vyre"
	"vyre/internal/policy/shell"
)

const (
	// maxDepth is how often text in text is read (bash -c 'bash -c …').
	maxDepth = 8
	// maxWork bounds what one call may take, so that no text holds the daemon up: a
	// command is one, and so is a path to look up for each 100 bytes of it. It is some
	// 100 ms on a small machine; what is beyond is denied unread.
	maxWork = 3000
)

// bench judges one call.
type bench struct {
	call  Call
	facts Facts
	atlas *atlas
	names map[FileID][]string // protected files that have several names
	real  map[string]string   // links followed so far; "" for what can't be known
	parts []Part
	work  int    // so far, see maxWork
	text  string // of the command act at hand
	odd   bool   // that text holds characters that a reader may not see
	read  bool   // it was searched for names already
	doubt bool   // some of that text could not be read
	blind bool   // a link could not be followed since this was reset
}

// line judges a command line, adding a part for each thing it does.
func (b *bench) line(a vyre.Act) {
	b.text, b.read, b.odd, b.doubt = a.Command, false, !plainText(a.Command), false
	if a.Shell != "" && a.Shell != "bash" && a.Shell != "sh" {
		b.add(Part{Kind: vyre.ActCommand, Text: a.Command, CWD: a.CWD, Verdict: ask, By: ByPerson, Why: "nobody here reads this shell's language"})
		b.search()
		return
	}
	b.script(a.Command, shell.Env{CWD: a.CWD, Home: b.facts.Home}, 0)
}

func (b *bench) script(text string, env shell.Env, depth int) {
	s := shell.Parse(text, env)
	if s.TooMuch {
		b.add(Part{Kind: vyre.ActCommand, Text: cut(text), Verdict: deny, By: ByFloor, Why: s.Doubts[0]})
		return
	}
	if b.odd && depth == 0 {
		s.Doubts = append(s.Doubts, "it holds characters that are not plain text: what is read may not be what it says")
	}
	b.doubt = b.doubt || len(s.Doubts) > 0
	for _, st := range s.Steps {
		if b.work++; b.work > maxWork {
			break
		}
		b.step(st, env, depth)
	}
	if b.work > maxWork {
		b.add(Part{Kind: vyre.ActCommand, Text: cut(text), Verdict: deny, By: ByFloor, Why: tooMuch})
		return
	}
	if len(s.Doubts) > 0 {
		b.add(Part{Kind: vyre.ActCommand, Text: cut(text), Verdict: ask, By: ByPerson, Why: strings.Join(s.Doubts, "; ")})
		b.search()
	}
}

const tooMuch = "it does more, or names more files, than can be looked up in time"

func cut(s string) string {
	const limit = 2000
	if len(s) > limit {
		return strings.ToValidUTF8(s[:limit], "") + "…"
	}
	return s
}

func (b *bench) add(p Part) {
	p.Text = Visible(cut(p.Text))
	b.parts = append(b.parts, p)
}

// search looks through the whole text for names of files that nobody may write,
// for where code or unknown words are at work.
func (b *bench) search() {
	if b.read {
		return
	}
	b.read = true
	if name, why, ok := b.atlas.mentions(b.text); ok {
		b.add(Part{Kind: vyre.ActCommand, Text: name, Verdict: deny, By: ByFloor, Why: "code that names " + name + " may write it, and it " + why})
	}
}

// step judges one step of a command line.
func (b *bench) step(st shell.Step, env shell.Env, depth int) {
	stdin := ""
	fed := st.Piped
	reads := ""
	for _, r := range st.Redirs {
		switch {
		case r.Here:
			fed = true
			if r.Target.Known {
				stdin = r.Target.Text
			}
		case r.Writes:
			b.writes(st, r)
		default:
			reads = b.readable(r.Target, st.Dirs, reads)
		}
	}
	p := Part{Kind: vyre.ActCommand, Text: st.Text, Verdict: ask, By: ByPerson}
	if dir, ok := st.Dirs.Sure(); ok {
		p.CWD = dir
	}
	switch st.Kind {
	case shell.Command:
		b.command(st, p, env, depth, fed, stdin, reads)
	case shell.Assign, shell.Declare:
		b.assign(st, p)
	case shell.Test:
		p.Verdict, p.By, p.Why = vyre.VerdictAllow, ByReadonly, "it only compares"
		if why := testWhy(st.Words); why != "" {
			p.Verdict, p.By, p.Why = ask, ByPerson, why
			b.search()
		}
		b.add(p)
	case shell.Function:
		p.Why = "it gives a name another meaning"
		b.add(p)
	case shell.Loop:
		for _, s := range st.Sets {
			if why := varWhy(s.Name); why != "" {
				p.By, p.Why = ByFloor, why
				b.add(p)
			}
		}
	case shell.Redirect:
		if reads != "" {
			p.By, p.Why = ByFloor, reads
			b.add(p)
		}
	}
}

// varWhy says why setting a variable is asked about, or "".
func varWhy(name string) string {
	if why := refusedReason(name); why != "" {
		return "it sets " + name + ": " + why
	}
	if allowed(name) || set("PS3", "MAILPATH", "HISTFILE", "TMOUT", "OPTIND", "OPTERR", "HOME", "OLDPWD", "PWD", "POSIXLY_CORRECT", "FIGNORE", "FCEDIT", "EXECIGNORE", "INPUTRC", "http_proxy")[name] {
		return "it sets " + name + ", which the commands after it go by"
	}
	if strings.HasPrefix(name, "BASH") || strings.HasPrefix(name, "COMP") || zshOwn[name] {
		return "it sets " + name + ", by which the shell finds commands"
	}
	if n := fold(name); strings.HasPrefix(n, "anthropic") || strings.HasPrefix(n, "claude") || strings.HasPrefix(n, "codex") || strings.HasPrefix(n, "openai") || strings.HasPrefix(n, "mcp_") {
		return "it sets " + name + ", which agents go by"
	}
	return ""
}

// zshOwn are variables of zsh that are tied to others or tell what commands are.
var zshOwn = set("path", "fpath", "cdpath", "manpath", "mailpath", "module_path", "psvar", "commands", "aliases", "galiases", "saliases", "dis_aliases", "functions", "dis_functions", "builtins", "options", "dirstack",
	"nameddirs", "userdirs", "modules", "NULLCMD", "READNULLCMD", "precmd_functions", "preexec_functions", "chpwd_functions", "zshexit_functions", "hooks", "argv0", "ARGV0", "KEYBOARD_HACK", "STTY", "HISTCMD", "SPROMPT", "PROMPT", "RPROMPT", "prompt", "REPORTTIME")

// assign judges variables that are set for the rest of a line.
func (b *bench) assign(st shell.Step, p Part) {
	p.Verdict, p.By, p.Why = vyre.VerdictAllow, ByReadonly, "it sets a variable of this line"
	for _, s := range st.Sets {
		if b.work++; b.work > maxWork {
			break
		}
		if quietVar(s) {
			continue
		}
		if why := varWhy(s.Name); why != "" {
			p.Verdict, p.By, p.Why = ask, ByFloor, why
			b.search()
			break
		}
		if st.Kind == shell.Declare {
			p.Verdict, p.By, p.Why = ask, ByPerson, "it hands a variable on to later commands"
		}
	}
	if st.Kind == shell.Declare && (len(st.Words) > 0 || len(st.Sets) == 0) {
		p.Verdict, p.By, p.Why = ask, ByPerson, "it changes how a variable works"
	}
	b.add(p)
}

// testWhy says why a [[ … ]] is asked about: comparing numbers evaluates its
// operands, and -v and -R a name, with the commands in them.
func testWhy(words []shell.Word) string {
	for i, w := range words {
		switch w.Text {
		case "-v", "-R":
			return "it looks into a variable, whose name may be a command"
		case "-eq", "-ne", "-lt", "-le", "-gt", "-ge":
			for _, j := range []int{i - 1, i + 1} {
				if j < 0 || j >= len(words) || !words[j].Known || strings.Trim(words[j].Text, "0123456789") != "" {
					return "it computes with a word that may be a command"
				}
			}
		}
	}
	return ""
}

// free are files that take writes and keep nothing.
var free = set("/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/zero")

// writes judges a redirection into a file.
func (b *bench) writes(st shell.Step, r shell.Redir) {
	if r.Target.Known && free[r.Target.Text] {
		return
	}
	p := Part{Kind: vyre.ActWrite, Text: r.Op + " " + r.Target.Raw, Verdict: ask, By: ByPerson, Why: "it writes a file"}
	if dir, ok := st.Dirs.Sure(); ok {
		p.CWD = dir
	}
	v, why, at := b.floor(r.Target.Guess, st.Dirs, r.Target.Glob, writeRule)
	if r.Target.Known {
		p.Path = at
	}
	switch {
	case v != "":
		p.Verdict, p.By, p.Why = v, ByFloor, r.Target.Raw+" "+why
	case !r.Target.Known:
		p.Why = "it writes a file whose name is not written out"
	}
	b.add(p)
	if !r.Target.Known || !st.Dirs.Known {
		b.search()
	}
}

func writeRule(p place) vyre.Verdict { return p.write }
func readRule(p place) vyre.Verdict  { return p.read }

var ownProcess = regexp.MustCompile(`^/proc/(?:self|thread-self|[0-9]+)/(cwd|root)(/|$)`)

// floor asks the map about a word as a path from each folder that is possible. at
// is the absolute path where there is one.
func (b *bench) floor(word string, dirs shell.Dirs, pattern bool, rule func(place) vyre.Verdict) (best vyre.Verdict, why, at string) {
	if word == "" || len(word) > 8192 || strings.Contains(word, "\n") {
		return "", "", ""
	}
	if b.work > maxWork {
		return deny, tooMuch, ""
	}
	if free[word] {
		return "", "", word
	}
	look := func(p string, whole, pattern bool) {
		b.work += 1 + len(p)/100
		if v, w := b.atlas.look(p, whole, pattern, rule); stricter(v, best) && !(whole && b.own(p) && v != "") {
			best, why = v, w
		}
	}
	if i := strings.LastIndex(word, shell.Unknown); i >= 0 {
		if _, rest, ok := strings.Cut(word[i:], "/"); ok && rest != "" {
			look(rest, false, pattern)
		}
		return best, why, ""
	}
	var all []string
	switch m := ownProcess.FindStringSubmatch(word); {
	case m != nil && m[1] == "root":
		all = []string{"/" + word[len(m[0]):]}
	case m != nil:
		for _, d := range dirs.List {
			all = append(all, d+"/"+word[len(m[0]):])
		}
	case path.IsAbs(word):
		all = []string{word}
	default:
		for _, d := range dirs.List {
			all = append(all, d+"/"+word)
		}
	}
	if !dirs.Known && !path.IsAbs(word) {
		look(word, false, pattern)
	}
	for _, p := range all {
		look(path.Clean(p), true, pattern)
		at = path.Clean(p)
		if pattern {
			continue
		}
		real, ok := b.follow(p)
		if ok && real != at {
			look(real, true, false)
			at = real
		}
		if ok {
			if v, w := b.linked(real, rule); stricter(v, best) {
				best, why = v, w
			}
		}
	}
	return best, why, at
}

// own reports whether a path is in a folder that is the agent's to write. Its own
// folders never free an agent's settings, only what stands under Vyre's home.
func (b *bench) own(p string) bool {
	inside := slices.ContainsFunc(b.facts.Own, func(o string) bool { return o != "" && within(o, p) })
	if !inside {
		return false
	}
	v, _ := indexes()[anywhere].strictest(components(p), writeRule)
	return v == ""
}

// follow resolves links, once for each path.
func (b *bench) follow(p string) (string, bool) {
	if b.facts.Files == nil {
		return "", false
	}
	if r, ok := b.real[p]; ok {
		b.blind = b.blind || r == ""
		return r, r != ""
	}
	r, ok := b.facts.Files.Real(p)
	if !ok {
		r = ""
	}
	b.real[p] = r
	b.blind = b.blind || !ok
	return r, ok
}

// linked looks whether a file has another name that is protected.
func (b *bench) linked(p string, rule func(place) vyre.Verdict) (vyre.Verdict, string) {
	id, links := b.facts.Files.ID(p)
	if links < 2 {
		return "", ""
	}
	if b.names == nil {
		b.names = map[FileID][]string{}
		for _, other := range b.kept() {
			if oid, n := b.facts.Files.ID(other); n > 1 {
				b.names[oid] = append(b.names[oid], other)
			}
		}
	}
	var best vyre.Verdict
	why := ""
	for _, other := range b.names[id] {
		b.work++
		if v, w := b.atlas.look(other, true, false, rule); stricter(v, best) {
			best, why = v, "is another name of "+other+", which "+w
		}
	}
	return best, why
}

// kept lists protected files whose other names are looked for.
func (b *bench) kept() []string {
	var out []string
	at := func(dir string, names ...string) {
		for _, n := range names {
			if dir != "" {
				out = append(out, path.Join(dir, n))
			}
		}
	}
	at(b.facts.Home, ".bashrc", ".bash_profile", ".bash_login", ".bash_aliases", ".profile", ".zshrc", ".zshenv", ".zprofile", ".gitconfig", ".config/git/config",
		".claude.json", ".claude/settings.json", ".claude/settings.local.json", ".codex/config.toml", ".gemini/settings.json", ".ssh/authorized_keys", ".ssh/config", ".netrc")
	at(b.facts.VyreHome, "config.toml", "private/vyre.db", "private/vault.key")
	for _, c := range b.facts.Configs {
		at(c, "settings.json", "settings.local.json", ".claude.json", "config.toml")
	}
	for dir, n := b.call.CWD, 0; path.IsAbs(dir) && n < 32; dir, n = path.Dir(dir), n+1 {
		at(dir, ".claude/settings.json", ".claude/settings.local.json", ".mcp.json", ".git/config")
		if dir == "/" {
			break
		}
	}
	return out
}

// readable adds to why: a word that names something that may not be read unasked.
func (b *bench) readable(w shell.Word, dirs shell.Dirs, why string) string {
	if why != "" {
		return why
	}
	if !w.Known && !w.Glob {
		return "it reads a file whose name is not written out"
	}
	if strings.HasPrefix(w.Text, "/dev/tcp/") || strings.HasPrefix(w.Text, "/dev/udp/") {
		return "it opens a connection"
	}
	v, reason, _ := b.floor(w.Guess, dirs, w.Glob, readRule)
	if v != "" {
		return w.Raw + " " + reason
	}
	return ""
}
