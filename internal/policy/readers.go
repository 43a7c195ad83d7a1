package policy

// readers is the read-only class: the commands that may go ahead unasked, each
// with the flags that were looked at. A flag that is not here is asked about. What
// runs programs (find -exec, rg --pre, git's own helpers), writes (sort -o, the
// second operand of uniq) or sends is left out.
var readers = map[string]reader{
	// Words alone.
	"echo": {flags: "*", said: true}, "true": {flags: "*", said: true}, "false": {flags: "*", said: true}, ":": {flags: "*", said: true},
	"printf": {flags: "*", said: true, check: noPrintfV}, "pwd": {flags: "-L -P", max: -1}, "exit": {max: 1}, "return": {max: 1}, "sleep": {max: 1},
	"break": {max: 1}, "continue": {max: 1}, "wait": {max: -1}, "basename": {flags: "*", said: true}, "dirname": {flags: "*", said: true},
	"seq": {flags: "-w -s= -f="}, "test": {flags: "*", check: noTestV}, "[": {flags: "*", check: noTestV}, "set": {flags: "-e -u -x -o= -eu -ex -eux +x +e", check: setOptions},
	"cd": {flags: "-P -L", max: 1}, "pushd": {max: 1}, "expr": {flags: "*"}, "clear": {max: -1}, "printenv": {check: plainVars}, "nproc": {flags: "--all", max: -1},
	"whoami": {max: -1}, "id": {flags: "-u -g -n -G -un"}, "groups": {}, "uname": {flags: "*", max: -1}, "arch": {max: -1}, "hostname": {flags: "-f -s -i -I", max: -1},
	"date": {flags: "-u -I? -R --utc --iso-8601? --rfc-3339= -d= --date= -r=", max: 1, check: dateFormat}, "uptime": {flags: "-p -s", max: -1}, "tty": {max: -1}, "locale": {flags: "-a", max: -1},
	"free": {flags: "-h -m -g -b -k -t -w", max: -1}, "lscpu": {max: -1}, "lsblk": {flags: "-f -o= -a -n -l -p"}, "getconf": {},
	"which": {flags: "-a"}, "command": {flags: "-v -V", said: true}, "type": {flags: "-a -t -p -P"}, "whereis": {flags: "-b -m -s"}, "hash": {max: -1},

	// Names and sizes.
	"ls": {flags: "*", names: true}, "stat": {flags: "*", names: true}, "file": {flags: "-b -i -L -h -k -s --mime --mime-type --mime-encoding --brief", names: true},
	"du": {flags: "*", names: true}, "df": {flags: "*", names: true}, "wc": {flags: "*", names: true}, "realpath": {flags: "*", names: true}, "readlink": {flags: "*", names: true},
	"md5sum": {flags: "*", names: true}, "sha1sum": {flags: "*", names: true}, "sha256sum": {flags: "*", names: true}, "sha512sum": {flags: "*", names: true}, "b2sum": {flags: "*", names: true},
	"shasum": {flags: "*", names: true}, "cksum": {flags: "*", names: true}, "md5": {flags: "*", names: true},
	"tree": {flags: "-a -d -f -L= -I= -P= -h -s -D -F -C -n -i -J -X --dirsfirst --gitignore --noreport --prune -p -u -g --du", names: true},

	// Contents.
	"cat": {flags: "*"}, "head": {flags: "*"}, "tail": {flags: "*"}, "nl": {flags: "*"}, "tac": {flags: "*"}, "rev": {flags: "*"}, "cut": {flags: "*"},
	"tr": {flags: "*"}, "fold": {flags: "*"}, "fmt": {flags: "*"}, "expand": {flags: "*"}, "unexpand": {flags: "*"}, "paste": {flags: "*"}, "join": {flags: "*"},
	"comm": {flags: "*"}, "column": {flags: "*"}, "cmp": {flags: "*"}, "od": {flags: "*"}, "hexdump": {flags: "*"}, "strings": {flags: "-a -n= -t= -e= -f -#"},
	"uniq": {flags: "-c -d -u -i -D -f= -s= -w= -z --count --repeated --unique", max: 1}, "xxd": {flags: "-p -l= -s= -c= -g= -b -u -i", max: 1},
	"base64": {flags: "-d -D --decode -w= --wrap= -i", max: 1}, "sort": {flags: "-n -r -u -h -V -f -b -d -g -i -M -s -z -R -c -k= -t= --reverse --unique --numeric-sort --human-numeric-sort --version-sort --key= --field-separator= --stable --ignore-case --check"},
	"diff": {deep: true, flags: "-u -U= -c -C= -r -q -w -b -B -i -N -y -a -s -t -x= -W= -# --unified? --recursive --brief --side-by-side --ignore-all-space --ignore-space-change --ignore-blank-lines --color? --width= --exclude= --suppress-common-lines --new-file --report-identical-files --strip-trailing-cr"},
	"grep": {flags: "*", check: grepFile}, "egrep": {flags: "*", check: grepFile}, "fgrep": {flags: "*", check: grepFile}, "jq": {flags: "*", check: jqInPlace},
	"zcat": {flags: "-f"}, "iconv": {flags: "-f= -t= -l -c --from-code= --to-code="},
	"rg": {deep: true, flags: "-n -N -i -S -s -w -x -v -c -l -o -q -H -I -a -u -U -F -P -L -p -. -e= -f= -g= -t= -T= -A= -B= -C= -m= -r= -M= -j= -d= -E= -0 -h -V " +
		"--line-number --no-line-number --ignore-case --smart-case --case-sensitive --word-regexp --line-regexp --invert-match --count --count-matches --files --files-with-matches --files-without-match " +
		"--only-matching --quiet --with-filename --no-filename --text --multiline --multiline-dotall --fixed-strings --pcre2 --follow --hidden --no-ignore --no-ignore-vcs --no-heading --heading --vimgrep " +
		"--regexp= --file= --glob= --iglob= --type= --type-not= --after-context= --before-context= --context= --max-count= --max-depth= --max-columns= --replace= --color= --colors= --sort= --sortr= --threads= " +
		"--stats --json --trim --passthru --null --type-list --column --no-messages --no-config --encoding= --max-filesize= --crlf --version --help --unrestricted --pretty --byte-offset --max-columns-preview"},
	"find": {names: true, flags: "-H -L -P -D= -name= -iname= -path= -ipath= -wholename= -iwholename= -regex= -iregex= -regextype= -type= -xtype= -maxdepth= -mindepth= -size= -empty -newer= -anewer= -cnewer= -mtime= -mmin= -ctime= -cmin= -atime= -amin= -newermt= -newerct= " +
		"-perm= -user= -group= -uid= -gid= -nouser -nogroup -inum= -links= -samefile= -lname= -ilname= -readable -writable -executable -prune -print -print0 -printf= -ls -quit -true -false -not -and -or -a -o -depth -d -xdev -mount -follow -daystart -noleaf -E -x -s"},
	"fd": {names: true, flags: fdFlags}, "fdfind": {names: true, flags: fdFlags},
	"locate": {flags: "-i -n= -l= -c -r= -b"}, "tar": {check: tarList, flags: "-t -z -j -J -v -f= --list --file= --gzip --zstd -tf= -tzf= -tvf= -tzvf= -tvzf= -tjf= -tJf= -tjvf="},
	"unzip": {flags: "-l -v -Z -Z1 -t", check: unzipList}, "zipinfo": {flags: "-1 -s -m -l -v -h -t"}, "gzip": {flags: "-l -t -v --list --test", check: needs("-l", "--list", "-t", "--test", "-lv", "-tv")},
	"readelf": {flags: "-h -S -s -d -l -a -n -V -W -h"},
	"sed":     {flags: "-n -E -r -e= -s -z -u --quiet --silent --regexp-extended --expression=", check: sedScript}, "awk": {flags: "-F= -v=", check: awkScript}, "gawk": {flags: "-F= -v=", check: awkScript}, "mawk": {flags: "-F= -v=", check: awkScript},

	// The machine.
	"ps": {flags: "-e -f -A -a -x -u= -p= -o= -C= -l -w -H -L -ef -aux --sort= --forest --no-headers --ppid= --pid=", max: 1, check: psWord}, "pgrep": {flags: "-f -l -a -x -u= -n -o -c -P="},
	"lsof": {flags: "-i? -n -P -p= -u= -t -a -c= -nP -iTCP -sTCP:LISTEN"}, "ss": {flags: "-l -t -n -p -u -a -4 -6 -x -s -H -e -m"}, "netstat": {flags: "-a -n -t -u -l -p -r -s -e -4 -6", max: -1},
	"systemctl": {flags: "--user --no-pager --system", sub: map[string]reader{
		"status": {flags: "--no-pager -l --user -n="}, "is-active": {flags: "--user -q"}, "is-enabled": {flags: "--user -q"}, "list-units": {flags: "--user --no-pager --all --type= --state= --failed"},
		"list-timers": {flags: "--user --no-pager --all"}, "list-unit-files": {flags: "--user --no-pager --state= --type="}, "show": {flags: "--user -p= --property= --no-pager --value"},
	}},

	// Programs that say what they are.
	"go":  {sub: map[string]reader{"version": {max: -1}, "env": {flags: "-json", check: goEnv}, "help": {}}},
	"git": gitReader,
}

const fdFlags = "-e= -t= -d= -g -i -s -H -I -u -a -p -F -0 -E= -c= -S= -L -1 --type= --extension= --max-depth= --min-depth= --exact-depth= --hidden --no-ignore --glob --fixed-strings --full-path " +
	"--absolute-path --exclude= --color= --changed-within= --changed-before= --size= --max-results= --follow --ignore-case --case-sensitive"

// versions are programs that may be asked for their version and nothing else.
var versions = set(
	"bash", "bun", "cargo", "clang", "cmake", "composer", "curl", "deno", "docker", "dotnet", "eslint", "ffmpeg", "gcc", "g++", "gem", "gh", "git", "gofmt", "golangci-lint", "gradle",
	"helm", "java", "javac", "jq", "kotlin", "kubectl", "make", "mvn", "mypy", "ninja", "node", "npm", "npx", "openssl", "php", "pip", "pip3", "pnpm", "podman", "poetry", "prettier", "psql", "python", "python3",
	"rg", "ruby", "ruff", "rustc", "rustup", "sqlite3", "swift", "terraform", "tmux", "tsc", "uv", "vim", "yarn", "zsh",
)

func set(names ...string) map[string]bool {
	out := map[string]bool{}
	for _, n := range names {
		out[n] = true
	}
	return out
}
