package policy

import (
	"path"
	"slices"
	"strings"
)

// gitReader is git where it only looks. Its pager is not started without a
// terminal; the ways in which it runs other programs by flags (--ext-diff,
// --textconv, -O, --exec-path, -c) are not among these, and its own settings are
// the floor's: who may write .git/config decides what git runs.
var gitReader = reader{flags: "--no-pager -P -C= --no-optional-locks --literal-pathspecs", sub: map[string]reader{
	"status":       {flags: "-s -b -u? -z -v --short --branch --porcelain? --long --ignored? --untracked-files? --no-renames --show-stash --ahead-behind"},
	"log":          {flags: gitLog},
	"show":         {flags: gitLog},
	"diff":         {flags: gitLog + " --cached --staged --merge-base --exit-code --quiet"},
	"diff-tree":    {flags: gitLog + " -r -t --root --no-commit-id"},
	"diff-index":   {flags: gitLog + " --cached"},
	"diff-files":   {flags: gitLog},
	"whatchanged":  {flags: gitLog},
	"shortlog":     {flags: "-s -n -e -c --summary --numbered --email --all --since= --until= --no-merges"},
	"rev-list":     {flags: gitLog + " --objects --count --left-right --max-age= --min-age= --disk-usage"},
	"rev-parse":    {flags: "--show-toplevel --abbrev-ref --short? --verify --git-dir --git-common-dir --is-inside-work-tree --is-bare-repository --show-prefix --show-cdup --symbolic-full-name --absolute-git-dir --is-shallow-repository --quiet -q --all --branches --show-superproject-working-tree"},
	"branch":       {flags: "-a -r -v -l --list --all --remotes --show-current --verbose --contains= --no-contains= --merged? --no-merged? --sort= --format= --points-at= --column? --no-color --color?", check: listOnly("--list", "--contains", "--merged", "--no-merged", "--points-at")},
	"tag":          {flags: "-l -n? --list --sort= --contains= --merged? --points-at= --format= --column? -n", check: listOnly("-l", "--list", "--contains", "--points-at", "-n")},
	"remote":       {flags: "-v --verbose", check: gitRemote},
	"stash":        {sub: map[string]reader{"list": {flags: gitLog}, "show": {flags: gitLog}}},
	"worktree":     {sub: map[string]reader{"list": {flags: "--porcelain -v -z"}}},
	"reflog":       {flags: gitLog, check: gitReflog},
	"ls-files":     {flags: "-c -d -m -o -i -s -u -k -t -v -z --cached --deleted --modified --others --ignored --stage --unmerged --exclude= --exclude-standard --full-name --error-unmatch --eol --directory -x= --deduplicate"},
	"ls-tree":      {flags: "-r -t -d -l -z --name-only --name-status --long --full-name --full-tree --abbrev? --object-only --format="},
	"cat-file":     {flags: "-t -s -p -e --batch-check? --allow-unknown-type"},
	"show-ref":     {flags: "--head --heads --tags --branches -d -s -q --hash? --verify --abbrev?"},
	"for-each-ref": {flags: "--count= --sort= --format= --contains= --merged? --no-merged? --points-at="},
	"describe":     {flags: "--tags --all --always --long --abbrev= --match= --exact-match --dirty? --contains --first-parent --exclude="},
	"blame":        {flags: "-L= -w -M? -C? -e -l -s -t -p -f -n --porcelain --line-porcelain --since= --date= --show-email --root"},
	"merge-base":   {flags: "--all --is-ancestor --fork-point --octopus --independent -a"},
	"name-rev":     {flags: "--name-only --tags --always --refs="},
	"grep": {deep: true, flags: "-n -i -l -L -c -w -v -h -H -E -F -P -G -I -a -e= -A= -B= -C= -W -p -q -o -z -r --cached --untracked --no-index --line-number --ignore-case --files-with-matches --files-without-match --name-only --count " +
		"--word-regexp --invert-match --extended-regexp --fixed-strings --perl-regexp --show-function --function-context --heading --break --context= --after-context= --before-context= --max-depth= --and --or --not --all-match --color? --no-color --column --only-matching -m= --max-count="},
	"count-objects": {flags: "-v -H --verbose --human-readable"},
	"check-ignore":  {flags: "-v -q -n -z --verbose --no-index --non-matching"},
	"check-attr":    {flags: "-a -z --all --cached"},
	"version":       {flags: "--build-options"},
	"config":        {flags: "--get", max: 1, check: gitConfig},
	"cherry":        {flags: "-v --abbrev="},
	"range-diff":    {flags: gitLog},
}}

// gitLog is what log, show and diff have in common. --output, -o, --ext-diff,
// --textconv, -O and --show-signature (which runs gpg) are not here.
const gitLog = "-n= -# -p -u -s -U= -S= -G= -L= -M? -C? -B? -D -R -a -b -w -W -z -m -c -i -E -F -P -g -q -r -l= " +
	"--oneline --stat? --shortstat --numstat --dirstat? --summary --name-only --name-status --patch --no-patch --graph --decorate? --no-decorate --all --branches? --tags? --remotes? --glob= --first-parent --merges --no-merges " +
	"--reverse --follow --since= --after= --until= --before= --author= --committer= --grep= --all-match --invert-grep --max-count= --skip= --format= --pretty? --abbrev-commit --no-abbrev-commit --abbrev? --date= --relative-date " +
	"--diff-filter= --find-renames? --find-copies? --no-renames --word-diff? --word-diff-regex= --color? --no-color --color-words? --color-moved? --unified= --raw --full-index --binary --check --no-prefix --src-prefix= --dst-prefix= " +
	"--ignore-all-space --ignore-space-change --ignore-blank-lines --ignore-space-at-eol --ignore-cr-at-eol --function-context --minimal --patience --histogram --diff-algorithm= --inter-hunk-context= --relative? --no-ext-diff --no-textconv " +
	"--cc --combined-all-paths --diff-merges= --left-right --cherry-pick --cherry-mark --cherry --boundary --simplify-by-decoration --full-history --ancestry-path --topo-order --date-order --author-date-order --walk-reflogs --no-walk? --not --source --notes? --no-notes " +
	"--pickaxe-all --pickaxe-regex --compact-summary --exit-code --quiet --text --submodule? --ignore-submodules? --no-expand-tabs --expand-tabs? --parents --children --regexp-ignore-case --extended-regexp --fixed-strings --perl-regexp --no-mailmap --use-mailmap --count"

// gitFormats refuses formats that make git run a program that checks signatures.
func gitFormats(words []string) string {
	if slices.ContainsFunc(words, func(w string) bool { return strings.Contains(w, "%G") || strings.Contains(w, "signature") }) {
		return "its format makes git run a program that checks signatures"
	}
	return ""
}

// listOnly lets operands pass only where a flag makes them patterns of a list.
func listOnly(marks ...string) func(flags, operands []string) string {
	return func(flags, operands []string) string {
		if len(operands) == 0 {
			return ""
		}
		for _, f := range flags {
			name, _, _ := strings.Cut(f, "=")
			if slices.Contains(marks, name) {
				return ""
			}
		}
		return "with a name it makes something"
	}
}

// gitConfig lets names be read that hold no command and no credential.
func gitConfig(flags, operands []string) string {
	if len(flags) == 1 && len(operands) == 1 && slices.ContainsFunc([]string{"user.name", "user.email", "remote.*.url", "branch.*.remote", "branch.*.merge", "core.bare", "init.defaultbranch"}, func(p string) bool {
		ok, _ := path.Match(p, operands[0])
		return ok
	}) {
		return ""
	}
	return "git's settings name programs that it runs"
}

func gitRemote(_, operands []string) string {
	if len(operands) == 0 || operands[0] == "get-url" {
		return ""
	}
	return "it changes a remote, or asks it"
}

func gitReflog(_, operands []string) string {
	if len(operands) > 0 && slices.Contains([]string{"expire", "delete", "drop", "write"}, operands[0]) {
		return "it changes the reflog"
	}
	return ""
}
