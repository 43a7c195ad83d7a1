package policy

import (
	"slices"
	"strings"
)

// prefix is a beginning of commands that a person may grant: what may follow it
// neither names another program to run nor leaves the project. Flags that are not
// listed are asked; one that ends in = takes a value.
type prefix struct {
	words string // "*" is any one word, which the grant names
	flags string
}

var (
	goFlags  = "-v -race -short -failfast -json -cover -benchmem -run= -skip= -bench= -benchtime= -count= -timeout= -parallel= -p= -cpu= -shuffle= -tags= -list="
	pyFlags  = "-v -vv -q -x -s -l --lf --ff --co -k= -m= --maxfail= --tb= --durations="
	rustFlag = "--release --lib --bins --tests --all --workspace --all-features --no-run --no-fail-fast -q -v -p= --package= --features= --test="
)

// prefixes were reviewed one by one. Left out on purpose: go's -exec, -toolexec,
// -vettool, -o and profiles, cargo's --config, pytest's -p, -c and -o, npm's --prefix
// and --script-shell; and make, whose further words are further targets.
var prefixes = []prefix{
	{"go test", goFlags},
	{"go vet", "-v -tags="},
	{"go build", "-v -race -tags="},
	{"gofmt", "-l -d -s -w"},
	{"go fmt", ""},
	{"npm test", ""},
	{"npm run *", ""},
	{"pnpm test", ""},
	{"pnpm run *", ""},
	{"yarn test", ""},
	{"yarn run *", ""},
	{"bun test", ""},
	{"cargo test", rustFlag},
	{"cargo build", rustFlag},
	{"cargo check", rustFlag},
	{"cargo clippy", rustFlag},
	{"cargo fmt", "--all --check"},
	{"pytest", pyFlags},
	{"python -m pytest", pyFlags},
	{"python3 -m pytest", pyFlags},
	{"mypy", "--strict"},
	{"ruff check", "--fix -q"},
	{"ruff format", "--check -q"},
	{"tsc", "--noEmit --watch"},
	{"jest", "--ci --runInBand -t= --coverage"},
	{"vitest run", "-t="},
	{"eslint", "--fix --quiet"},
	{"prettier", "--check --write -c -l -w"},
	{"git add", "-A -u -n -v --all"},
	{"git commit", "-a -q -s -v -m= -am= --amend --no-edit --all"},
}

// prefixOf finds the row that words are an instance of, whole.
func prefixOf(words []string) (prefix, bool) {
	for _, p := range prefixes {
		want := strings.Fields(p.words)
		if len(want) == len(words) && slices.EqualFunc(want, words, func(w, have string) bool {
			return w == have || w == "*" && plainWord(have)
		}) {
			return p, true
		}
	}
	return prefix{}, false
}

// begins reports whether a command begins with a granted prefix and goes on with
// nothing but what may follow it.
func begins(granted, args []string) bool {
	p, ok := prefixOf(granted)
	if !ok || len(args) < len(granted) || !slices.Equal(granted, args[:len(granted)]) {
		return false
	}
	flags := strings.Fields(p.flags)
	for rest := args[len(granted):]; len(rest) > 0; rest = rest[1:] {
		w := rest[0]
		if w == "--" { // what follows is no flag of this program, and may be none of another
			return !slices.ContainsFunc(rest[1:], func(w string) bool { return !plainWord(w) })
		}
		if !strings.HasPrefix(w, "-") {
			if !plainWord(w) {
				return false
			}
			continue
		}
		name, value, has := strings.Cut(w, "=")
		switch {
		case has && slices.Contains(flags, name+"="):
			if strings.ContainsFunc(value, hiddenValue) {
				return false
			}
		case has:
			return false
		case slices.Contains(flags, name):
		case slices.Contains(flags, name+"="):
			if rest = rest[1:]; len(rest) == 0 || strings.ContainsFunc(rest[0], hiddenValue) || strings.HasPrefix(rest[0], "-") {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// hiddenValue is hidden, but for the lines of a message.
func hiddenValue(r rune) bool { return r != '\n' && hidden(r) }

// plainWord reports whether an argument is no flag, sets nothing, and names nothing
// outside the folder it is used in.
func plainWord(w string) bool {
	if w == "" || strings.ContainsFunc(w, hidden) || strings.ContainsAny(w, "=@~\\") || strings.Contains(w, "://") {
		return false
	}
	return w[0] != '-' && w[0] != '/' && !slices.Contains(strings.Split(w, "/"), "..")
}

func knownPrefixes() string {
	out := make([]string, len(prefixes))
	for i, p := range prefixes {
		out[i] = p.words
	}
	return strings.Join(out, ", ")
}
