package policy

import (
	"strings"

	"vyre/internal/policy/shell"
)

// wrapper is a command that runs the command behind it.
type wrapper struct {
	flags string // as in reader; another flag: what it runs is not known
	skip  int    // operands of its own before the command
	sets  bool   // NAME=value words come first
	ask   string // always asked, and why
	reads bool   // it adds nothing: what only reads still does
	fed   bool   // it adds words that come from its input
}

var wrappers = map[string]wrapper{
	"timeout":  {flags: "-s= -k= -v --foreground --preserve-status --signal= --kill-after=", skip: 1, reads: true},
	"gtimeout": {flags: "-s= -k= -v --foreground --preserve-status --signal= --kill-after=", skip: 1, reads: true},
	"time":     {flags: "-p -v -l", reads: true}, "nice": {flags: "-n= -# --adjustment=", reads: true}, "ionice": {flags: "-c= -n= -t", reads: true},
	"nohup": {reads: true}, "stdbuf": {flags: "-o= -e= -i=", reads: true}, "command": {flags: "-p", reads: true}, "builtin": {reads: true},
	"env": {flags: "-i -0 -u= --ignore-environment --unset=", sets: true, reads: true}, "exec": {flags: "-c -l"}, "caffeinate": {flags: "-i -d -m -s -u -t=", reads: true},
	"xargs":  {flags: "-0 -r -t -n= -P= -L= -d= -I= -s= -a= -x --null --no-run-if-empty --max-args= --max-procs= --delimiter=", reads: true, fed: true},
	"sudo":   {flags: "-n -E -H -u= -g= -S -k -b", sets: true, ask: "runs as another user"},
	"doas":   {flags: "-n -u=", ask: "runs as another user"},
	"setsid": {flags: "-f -w -c"}, "chronic": {}, "unbuffer": {}, "arch": {flags: "-x86_64 -arm64"}, "flock": {flags: "-n -x -s -w=", skip: 1}, "busybox": {}, "toybox": {},
	"setarch": {skip: 1, flags: "-R"}, "taskset": {flags: "-c -p", skip: 1}, "chrt": {flags: "-i -b -f -r", skip: 1}, "unshare": {flags: "-U -r -m -n -p -f -u -i -C --fork"}, "strace": {flags: "-f -e= -o= -p= -s=", ask: "looks into other programs"},
}

// shellNames run text as a shell does; with -c and literal text that text is
// judged like the line itself.
var shellNames = set("sh", "bash", "dash", "zsh", "ash", "ksh", "mksh")

// coders run what they are given as code of their own: where one is at work, the
// whole text is searched for the names of protected files.
var coders = set(
	"sh", "bash", "dash", "zsh", "ash", "ksh", "mksh", "fish", "csh", "tcsh", "pwsh", "python", "python2", "python3", "pypy3", "ipython", "node", "nodejs", "deno", "bun", "tsx", "ts-node",
	"perl", "ruby", "php", "lua", "luajit", "tclsh", "expect", "Rscript", "julia", "groovy", "jshell", "scala", "osascript", "awk", "gawk", "mawk", "nawk", "sed", "gsed", "ed", "ex", "vi", "vim", "nvim", "emacs", "nano",
	"eval", "source", ".", "xargs", "parallel", "watch", "script", "m4", "sqlite3", "gdb", "lldb", "socat", "nc", "ssh", "docker", "podman", "trap", "exec",
)

// writer says which words of a command are files that it changes.
type writer struct {
	last  bool   // the last operand alone; else every one
	flags string // flags whose value is such a file, in the form of a reader's row
	tree  bool   // with a folder it changes what is in it
}

var writers = map[string]writer{
	"tee": {}, "rm": {tree: true}, "rmdir": {}, "unlink": {}, "shred": {}, "truncate": {}, "touch": {}, "mkdir": {}, "mknod": {}, "mkfifo": {}, "chmod": {tree: true}, "chown": {tree: true}, "chgrp": {tree: true},
	"chattr": {tree: true}, "setfattr": {}, "setfacl": {tree: true}, "chflags": {tree: true}, "xattr": {}, "mv": {tree: true}, "ln": {}, "link": {}, "symlink": {}, "rename": {}, "cp": {last: true, flags: "-t= --target-directory="},
	"gcp": {last: true}, "install": {last: true, flags: "-t= --target-directory="}, "rsync": {last: true}, "scp": {last: true}, "ditto": {last: true}, "pax": {}, "cpio": {}, "dd": {}, "split": {}, "csplit": {}, "sponge": {}, "fallocate": {},
	"sort": {flags: "-o= --output="}, "uniq": {}, "shuf": {}, "curl": {flags: "-o= --output= -c= --cookie-jar= -D= --dump-header= --output-dir="}, "wget": {flags: "-O= --output-document= -P= --directory-prefix= -o= -a="}, "aria2c": {},
	"sed": {}, "gsed": {}, "awk": {}, "gawk": {}, "perl": {}, "ruby": {}, "ed": {}, "ex": {}, "vi": {}, "vim": {}, "nvim": {}, "nano": {}, "emacs": {}, "patch": {}, "tar": {}, "bsdtar": {}, "unzip": {}, "7z": {}, "gzip": {}, "gunzip": {}, "xz": {},
	"zip": {}, "bzip2": {}, "zstd": {}, "openssl": {flags: "-out="}, "gpg": {flags: "-o= --output="}, "iconv": {flags: "-o= --output="}, "jq": {}, "yq": {}, "xxd": {}, "base64": {}, "uudecode": {}, "objcopy": {}, "strip": {}, "as": {}, "ld": {},
	"gcc": {flags: "-o="}, "cc": {flags: "-o="}, "mount": {}, "umount": {}, "losetup": {}, "find": {tree: true}, "tree": {flags: "-o="}, "script": {}, "sqlite3": {}, "dos2unix": {}, "unix2dos": {}, "prettier": {}, "gofmt": {}, "black": {}, "eslint": {}, "ruff": {},
	"clang-format": {}, "trash": {tree: true}, "trash-put": {tree: true}, "gio": {}, "xdg-open": {}, "pv": {}, "logger": {}, "nl": {}, "mktemp": {}, "logrotate": {}, "flock": {}, "ssh-keygen": {flags: "-f="}, "read": {}, "exec": {}, "ar": {}, "m4": {}, "pr": {}, "git": {},
}

// gitSpares are git's verbs that change no file that they name.
var gitSpares = set("add", "commit", "status", "log", "diff", "show", "blame", "ls-files", "grep", "check-ignore", "push", "fetch", "tag", "branch", "rev-parse", "cat-file", "notes", "stage")

// always is what is asked about whatever a grant says.
type always struct {
	names map[string]bool
	verbs map[string]bool // the first operand, if it must be one of these
	why   string
}

var alwaysAsked = []always{
	{set("crontab", "at", "batch", "anacron"), nil, "starts programs later by itself"},
	{set("systemctl"), set("enable", "disable", "link", "edit", "start", "restart", "stop", "mask", "unmask", "daemon-reload", "set-environment", "import-environment", "set-property", "reenable", "revert", "add-wants", "add-requires"), "changes which programs the system starts"},
	{set("systemd-run", "launchctl", "loginctl", "busctl", "dbus-send", "gdbus", "qdbus", "machinectl", "service", "update-rc.d", "chkconfig", "rc-update"), nil, "has programs started outside the session"},
	{set("git"), set("config", "hook", "update-hook", "daemon", "send-email", "difftool", "mergetool", "filter-branch", "bisect", "credential", "credential-store", "credential-cache", "web--browse", "instaweb", "maintenance"), "can make git run programs"},
	{set("npm", "pnpm", "yarn", "bun"), set("pkg", "set-script", "config", "c", "set", "adduser", "login", "token", "publish", "unpublish", "owner", "access"), "changes what npm runs, or whom it speaks for"},
	{set("go"), set("env"), "changes how every later build works"},
	{set("husky", "lefthook", "pre-commit"), nil, "can make git run programs"},
	{set("direnv"), set("allow", "permit", "edit"), "lets a folder run programs when somebody enters it"},
	{set("claude", "codex", "gemini", "opencode", "qwen", "goose", "cursor-agent", "aider", "amp", "copilot"), nil, "starts another agent, or changes how one works"},
	{set("vyre", "vyred", "vyre-shim"), nil, "speaks to Vyre itself"},
	{set("su", "sudo", "doas", "pkexec", "runuser", "visudo", "passwd", "chsh", "usermod", "useradd", "chpasswd", "gpasswd", "vipw"), nil, "acts as another user, or changes one"},
	{set("tmux", "screen", "zellij", "script", "expect", "wezterm", "kitty"), nil, "can type in your terminals"},
	{set("ssh-keygen", "ssh-copy-id", "ssh-add", "gpg", "gpg2", "pass", "security", "secret-tool", "keyring", "op", "bw", "age"), nil, "touches keys and secrets"},
	{set("mount", "umount", "nsenter", "unshare", "chroot", "pivot_root", "ptrace", "gdb", "lldb", "strace", "bpftrace", "insmod", "modprobe", "sysctl", "setcap", "capsh"), nil, "reaches below what the session is held by"},
	{set("alias", "trap", "enable", "complete", "bind", "hash", "shopt"), nil, "changes what later commands mean"},
	{set("defaults"), set("write", "import", "delete"), "changes settings of the system"},
}

// alwaysWhy says why a command is always asked about, or "".
func alwaysWhy(name string, args []string) string {
	verb := verbOf(args)
	for _, a := range alwaysAsked {
		if a.names[name] && (a.verbs == nil || a.verbs[verb]) {
			return a.why
		}
	}
	return ""
}

// quietVar reports whether a variable before a command, with its value, is such a one.
func quietVar(s shell.Set) bool {
	return harmlessEnv[s.Name] && s.Value.Known && !strings.ContainsAny(s.Value.Text, "/$`%") // a path would be read
}

// harmlessEnv are variables that may stand before a command: they change how it
// looks, not what it does.
var harmlessEnv = set("LC_ALL", "LANG", "LC_CTYPE", "LC_COLLATE", "LANGUAGE", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "TERM", "COLUMNS", "LINES", "TZ", "CI", "DEBIAN_FRONTEND", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "RUST_BACKTRACE", "GIT_OPTIONAL_LOCKS", "GIT_TERMINAL_PROMPT", "NODE_ENV", "DEBUG", "VERBOSE")
