package shell

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// show writes steps down for reading: dir> words | redirections.
func show(s Script) []string {
	var out []string
	for _, st := range s.Steps {
		dirs := strings.Join(st.Dirs.List, ",")
		if !st.Dirs.Known {
			dirs += "?"
		}
		var words []string
		for _, x := range st.Sets {
			words = append(words, x.Name+"="+tell(x.Value))
		}
		for _, w := range st.Words {
			words = append(words, tell(w))
		}
		for _, r := range st.Redirs {
			mark := r.Op
			if r.Writes {
				mark += "!"
			}
			words = append(words, mark+tell(r.Target))
		}
		out = append(out, fmt.Sprintf("%s> %s", dirs, strings.Join(words, " ")))
	}
	for _, d := range s.Doubts {
		out = append(out, "doubt: "+d)
	}
	return out
}

func tell(w Word) string {
	switch {
	case w.Glob:
		return "~" + w.Text
	case w.Known:
		return w.Text
	}
	return "<" + strings.ReplaceAll(w.Guess, Unknown, "?") + ">"
}

func TestParse(t *testing.T) {
	// Every command of a line is a step with the words that Bash would give it, the folders it may run in and what it redirects.
	for text, want := range map[string][]string{
		`ls -la "a b" c\ d 'e'f`:             {"/w> ls -la a b c d ef"},
		`a && b || c; d | e &`:               {"/w> a", "/w> b", "/w> c", "/w> d", "/w> e"},
		`cd x && ls; cat y`:                  {"/w> cd x", "/w/x> ls", "/w/x,/w> cat y"},
		`cd x; cd ..; ls`:                    {"/w> cd x", "/w/x,/w> cd ..", "/w,/,/w/x> ls"},
		`(cd x; a); b`:                       {"/w> cd x", "/w/x,/w> a", "/w> b"},
		`cd "$d"; a`:                         {"/w> cd <?>", "/w?> a"},
		`cd; a`:                              {"/w> cd", "/h,/w> a"},
		`while a; do cd x; b; done; c`:       {"/w?> a", "/w?> cd x", "/w/x,/w?> b", "/w/x,/w?> c"},
		`f() { cd x; }; f; a`:                {"/w?> ", "/w?> cd x", "/w?> f", "/w?> a"},
		`a > f 2>&1 >> g <h >& i`:            {"/w> a >!f >&1 >>!g <h >&!i"},
		`> f`:                                {"/w> >!f"},
		`{ a; b; } > f`:                      {"/w> >!f", "/w> a", "/w> b"},
		`A=1 B="x" c`:                        {"/w> A=1 B=x c"},
		`echo $x "$HOME/a" ${PWD} ~/b ~root`: {"/w> echo <?> /h/a /w /h/b <?>"},
		`HOME=/x; echo ~ "$HOME"`:            {"/w> HOME=/x", "/w> echo </h> </h>"},
		`echo *.go "*" \* [ab]c`:             {"/w> echo ~*.go * * ~[ab]c"},
		`echo {a,b}c {1..3}`:                 {"/w> echo ac bc <?>"},
		"echo $(ls $(pwd)) `id`":             {"/w> pwd", "/w> ls <?>", "/w> id", "/w> echo <?> <?>"},
		"cat <<E\nx $(id)\nE":                {"/w> id", "/w> cat <<<x ?\n>"},
		"cat <<'E'\nx $y\nE":                 {"/w> cat <<x $y\n"},
		"c -m \"a $(cat <<'E'\nx\ny\nE\n)\"": {"/w> cat <<x\ny\n", "/w> c -m a x\ny"},
		"c -m \"$(cat <<E\nx\nE\n)\" $(cat <<'E'\nx\nE\n)": {"/w> cat <<x\n", "/w> cat <<x\n", "/w> c -m <?> <?>"},
		`diff <(a) >(b)`:                                  {"/w> a", "/w> b", "/w> diff /dev/fd/63 <?>"},
		`if a; then b; elif c; then d; fi`:                {"/w> a", "/w> b", "/w> c", "/w> d"},
		`for i in a b; do c $i; done`:                     {"/w> i=<?> a b", "/w> c a", "/w> c b"},
		`for i in *.go; do c "$i" $i "${i}x"; done; c $i`: {"/w> i=<?> ~*.go", "/w> c ~*.go <?> ~*.gox", "/w> c <?>"},
		`for i in "a b"; do c $i "$i"; i=x; done`:         {"/w> i=<?> a b", "/w> c <?> <?>", "/w> i=x"},
		`for i in "a b"; do c $i "$i"; done`:              {"/w> i=<?> a b", "/w> c <?> a b"},
		`for i in $x; do c $i; done`:                      {"/w> i=<?> <?>", "/w> c <?>"},
		`for i in a; do for i in b; do c $i; done; done`:  {"/w> i=<?> a", "/w> i=<?> b", "/w> c b"},
		`for i in a b; do cd $i; done; c`:                 {"/w> i=<?> a b", "/w?> cd a", "/w,/w/a?> cd b", "/w,/w/a,/w/b,/w/a/b?> c"},
		`case $x in a) b;; *) c;; esac`:                   {"/w> b", "/w> c"},
		`echo $'a' a""b`:                                  {"/w> echo <a> ab"},
		`dd of=~/x`:                                       {"/w> dd <of=/h/x>"},
		`echo $((1+2)) ${#x} ${x:-y} ${x:1}`:              {"/w> echo <?> <?> <?> <?>"},
		`echo $((x))`:                                     {"/w> echo <?>", "doubt: it computes with variables, whose values can be commands"},
		`echo ${x[$y]}`:                                   {"/w> echo <?>", "doubt: it looks a variable up in a way that can run what is in it"},
		`((x++))`:                                         {"doubt: it has a part that is not looked into"},
		`echo "`:                                          {"doubt: it is no shell text that can be read: reached EOF without closing quote `\"`"},
		`[[ a == b && -f $c ]]`:                           {"/w> a == b && -f <?>"},
		`eval x; a`:                                       {"/w> eval x", "/w?> a"},
	} {
		if d := cmp.Diff(want, show(Parse(text, Env{CWD: "/w", Home: "/h"}))); d != "" {
			t.Errorf("%s\n%s", text, d)
		}
	}
}

func FuzzParse(f *testing.F) {
	// No text makes it panic, and the text of a step is never longer than all of it.
	for _, u := range units {
		f.Add(strings.Repeat(u, 3))
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, s := range Parse(text, Env{CWD: "/w", Home: "/h"}).Steps {
			if s.Kind == Command && len(s.Words) == 0 {
				t.Fatalf("a command without words in %q", text)
			}
		}
	})
}
