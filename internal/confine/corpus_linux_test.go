package confine

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// task is an ordinary thing that a developer's agent does. Its script ends with exit
// code 0 when it worked.
type task struct {
	name   string
	needs  string // programs, by name
	script string
}

const commitAs = `git config user.email a@example.invalid; git config user.name A; `

// tasks is what sessions could do before they were shut in, and must still.
var tasks = []task{
	{"npm install of a folder", "npm", `mkdir lib app; echo '{"name":"lib","version":"1.0.0","main":"i.js"}' > lib/package.json; echo 'module.exports=7' > lib/i.js; cd app; echo '{"name":"app","version":"1.0.0"}' > package.json; npm install --no-audit --no-fund --offline ../lib; node -e 'if(require("lib")!==7)process.exit(1)'`},
	{"npm pack and install of a tarball", "npm", `mkdir lib app; echo '{"name":"lib","version":"1.0.0","main":"i.js"}' > lib/package.json; echo 'module.exports=7' > lib/i.js; (cd lib && npm pack); cd app; echo '{"name":"app","version":"1.0.0"}' > package.json; npm install --no-audit --no-fund --offline ../lib/lib-1.0.0.tgz; node -e 'if(require("lib")!==7)process.exit(1)'`},
	{"npm run with a script", "npm", `echo '{"name":"a","version":"1.0.0","scripts":{"build":"echo built > out"}}' > package.json; npm run build; grep built out`},
	{"node and worker threads", "node", `node -e 'const {Worker}=require("worker_threads"); new Worker("require(\"fs\").writeFileSync(\"out\",\"x\")",{eval:true}).on("exit",c=>process.exit(c))'; test -s out`},
	{"node and child processes", "node", `node -e 'require("child_process").execFileSync("/bin/sh",["-c","kill -0 $PPID"])'`},
	{"node watches a file", "node", `echo a > f; node -e 'const fs=require("fs"); const w=fs.watch("f",()=>{w.close();process.exit(0)}); setTimeout(()=>fs.writeFileSync("f","b"),20); setTimeout(()=>process.exit(1),5000)'`},
	{"node serves on loopback", "node", `node -e 'const http=require("http"); const s=http.createServer((q,r)=>r.end("hi")).listen(0,"127.0.0.1",()=>http.get({port:s.address().port},r=>process.exit(r.statusCode===200?0:1)))'`},
	{"node serves on a socket in /tmp", "node", `p=$(mktemp -u /tmp/vyre-dev-XXXXXX); node -e 'const net=require("net"); const s=net.createServer(c=>c.end("x")).listen(process.argv[1],()=>net.connect(process.argv[1]).on("data",()=>{s.close();process.exit(0)}))' "$p"; rm -f "$p"`},
	{"go build and run", "go", `printf 'module m\ngo 1.24\n' > go.mod; printf 'package main\nfunc main(){println("x")}\n' > m.go; GOFLAGS=-mod=mod go build -o m . && ./m`},
	{"go test", "go", `printf 'module m\ngo 1.24\n' > go.mod; printf 'package m\nimport "testing"\nfunc TestX(t *testing.T){}\n' > m_test.go; go test ./...`},
	{"go vet and fmt", "go gofmt", `printf 'module m\ngo 1.24\n' > go.mod; printf 'package m\n' > m.go; go vet ./... && gofmt -l .`},
	{"go mod with a folder", "go", `mkdir lib; printf 'module example.invalid/lib\ngo 1.24\n' > lib/go.mod; printf 'package lib\nconst X=1\n' > lib/l.go; printf 'module m\ngo 1.24\n' > go.mod; printf 'package main\nimport "example.invalid/lib"\nfunc main(){println(lib.X)}\n' > m.go; go mod edit -require=example.invalid/lib@v0.0.0 -replace=example.invalid/lib=./lib && go run .`},
	{"git init and commit", "git", `git init -q .; ` + commitAs + `echo a > a; git add a; git commit -qm one; git log --oneline | grep one`},
	{"git branch, merge, tag", "git", `git init -q -b main .; ` + commitAs + `echo a > a; git add a; git commit -qm one; git checkout -qb b; echo b > b; git add b; git commit -qm two; git checkout -q main; git merge -q --no-ff -m m b; git tag v1; test -f b`},
	{"git rebase", "git", `git init -q -b main .; ` + commitAs + `echo a > a; git add a; git commit -qm one; git checkout -qb b; echo b > b; git add b; git commit -qm two; git checkout -q main; echo c > c; git add c; git commit -qm three; git checkout -q b; git rebase -q main; test -f c`},
	{"git stash", "git", `git init -q .; ` + commitAs + `echo a > a; git add a; git commit -qm one; echo b > a; git stash -q; grep a a; git stash pop -q; grep b a`},
	{"git push to a local remote", "git", `git init -q --bare r.git; git init -q -b main w; cd w; ` + commitAs + `echo a > a; git add a; git commit -qm one; git remote add origin ../r.git; git push -q -u origin main; git -C ../r.git log --oneline main | grep one`},
	{"git clone and pull", "git", `git init -q -b main r; cd r; ` + commitAs + `echo a > a; git add a; git commit -qm one; cd ..; git clone -q r c; cd r; echo b > b; git add b; git commit -qm two; cd ../c; git pull -q; test -f b`},
	{"git worktree", "git", `git init -q -b main r; cd r; ` + commitAs + `echo a > a; git add a; git commit -qm one; git worktree add -q ../t -b x; test -f ../t/a; git worktree remove ../t; test ! -e ../t`},
	{"git hooks run", "git", `git init -q .; ` + commitAs + `printf '#!/bin/sh\necho ran > hooked\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit; echo a > a; git add a; git commit -qm one; grep ran hooked`},
	{"git submodule", "git", `git init -q -b main s; (cd s; ` + commitAs + `echo a > a; git add a; git commit -qm one); git init -q -b main r; cd r; ` + commitAs + `git -c protocol.file.allow=always submodule --quiet add ../s sub; git commit -qm two; test -f sub/a`},
	{"git gc and bisect", "git", `git init -q -b main .; ` + commitAs + `for i in 1 2 3 4; do echo $i > a; git add a; git commit -qm $i; done; git gc -q; git bisect start HEAD HEAD~3; git bisect run sh -c 'test $(cat a) -lt 3' > /dev/null; git bisect reset`},
	{"make with parallel jobs", "make", `printf 'all: a b\na:\n\techo a > a\nb:\n\techo b > b\n' > Makefile; make -j2; test -f a -a -f b`},
	{"gcc compiles and runs", "gcc", `printf '#include <stdio.h>\nint main(){puts("x");return 0;}\n' > m.c; gcc -o m m.c && ./m | grep x`},
	{"gcc with threads", "gcc", `printf '#include <pthread.h>\nvoid*f(void*a){return a;}\nint main(){pthread_t t;return pthread_create(&t,0,f,0)||pthread_join(t,0);}\n' > m.c; gcc -pthread -o m m.c && ./m`},
	{"cargo builds", "cargo", `cargo init -q --vcs none --name m . && cargo build -q --offline && ./target/debug/m`},
	{"python virtual environment", "python3", `python3 -m venv --without-pip v && ./v/bin/python -c 'import sys; sys.exit(sys.prefix == sys.base_prefix)'`},
	{"python pools of processes", "python3", `printf 'from multiprocessing import Pool\ndef f(x): return x*x\nif __name__=="__main__":\n  with Pool(2) as p: assert p.map(f,[1,2])==[1,4]\n' > m.py; python3 m.py`},
	{"python serves files", "python3", `printf 'import http.server,threading,urllib.request as u\ns=http.server.ThreadingHTTPServer(("127.0.0.1",0),http.server.SimpleHTTPRequestHandler)\nthreading.Thread(target=s.serve_forever,daemon=True).start()\nassert u.urlopen("http://127.0.0.1:%%d/m.py"%%s.server_port).status==200\n' > m.py; python3 m.py 2> /dev/null`},
	{"perl", "perl", `perl -e 'open F,">","x" or die; print F "y"; close F' && test -s x`},
	{"tar packs and unpacks", "tar gzip", `mkdir d; echo a > d/a; tar czf d.tgz d; rm -r d; tar xzf d.tgz; grep a d/a`},
	{"zip and unzip", "zip unzip", `echo a > a; zip -q a.zip a; rm a; unzip -q a.zip; grep a a`},
	{"sed, awk, sort, uniq", "sed awk", `printf 'b 2\na 1\na 1\n' > f; sed -i s/b/c/ f; sort f | uniq -c | awk '$1==2 && $2=="a" {ok=1} END {exit !ok}'`},
	{"find and xargs", "find xargs", `mkdir -p a/b; touch a/b/x a/y; find a -type f -print0 | xargs -0 rm; test -z "$(find a -type f)"`},
	{"grep over a tree, diff, patch", "grep diff patch", `mkdir d; echo one > d/a; cp -r d e; echo two > e/a; diff -u d/a e/a > p || true; patch -s d/a p; grep -rq two d`},
	{"rsync of folders", "rsync", `mkdir a; echo x > a/f; rsync -a a/ b/; test -f b/f`},
	{"files of one's own in /tmp", "mktemp", `t=$(mktemp -d); echo x > $t/f; chmod 600 $t/f; ln -s $t/f l; grep x l; rm -r $t`},
	{"a lock and a fifo", "flock mkfifo", `flock l true; mkfifo p; (echo x > p &); grep x p`},
	{"jobs in the background and their end", "sleep", `sleep 100 & p=$!; kill -0 $p; kill $p; ! wait $p; (setsid sleep 100 & echo $! > pid); kill $(cat pid)`},
	{"signals and traps", "sh", `sh -c 'trap "exit 7" TERM; kill -TERM $$; sleep 5' || test $? = 7`},
	{"processes are listed", "ps", `ps -ef > l; test $(wc -l < l) -gt 2; ps -o pid= -p $$`},
	{"limits and nice", "nice", `ulimit -n 512; nice -n 5 true; (ulimit -c 0; true)`},
	{"a server in the background is asked", "python3 curl", `python3 -u -m http.server --bind 127.0.0.1 0 > log 2>&1 & p=$!; for i in $(seq 50); do port=$(sed -n 's/.*port \([0-9]*\).*/\1/p' log); test -n "$port" && break; sleep 0.1; done; curl -sf http://127.0.0.1:$port/ > /dev/null; kill $p`},
	{"a docker client", "docker", `DOCKER_HOST=unix://$WORLD/docker.sock docker ps | grep IMAGE`},
	{"the ssh agent", "ssh-add ssh-agent", `SSH_AUTH_SOCK=$WORLD/agent.sock ssh-add -l | grep ED25519`},
	{"ssh reads its settings", "ssh", `ssh -G example.invalid > /dev/null`},
	{"ssh keys are made and used", "ssh-keygen", `ssh-keygen -q -t ed25519 -N '' -f k; echo x > f; ssh-keygen -q -Y sign -f k -n file f; test -f f.sig`},
	{"tmux of its own", "tmux", `tmux -L t$$ -f /dev/null new-session -d 'echo x > out; sleep 100'; for i in $(seq 50); do test -s out && break; sleep 0.1; done; tmux -L t$$ kill-server; grep x out`},
	{"a terminal of its own", "script", `script -qec 'tty' /dev/null | grep pts`},
	{"a version manager is sourced", "bash", `mkdir -p nv/v1/bin; printf '#!/bin/sh\necho v1\n' > nv/v1/bin/tool; chmod +x nv/v1/bin/tool; echo 'use() { PATH=$PWD/nv/$1/bin:$PATH; }' > nv/nv.sh; bash -c '. nv/nv.sh; use v1; tool | grep v1'`},
	{"random, checksums, openssl", "openssl sha256sum", `head -c 100 /dev/urandom | sha256sum; openssl genpkey -algorithm ed25519 -out k.pem`},
	{"a database in a file", "sqlite3", `sqlite3 d 'create table t(x); insert into t values(7); select x from t' | grep 7`},
	{"names are looked up", "getent", `getent passwd root; getent hosts localhost`},
	{"standard files are written again", "sh", `echo x > /dev/stdout; echo y > /dev/stderr; echo z > /dev/null; echo w > /dev/fd/1`},
	{"memory that is shared", "python3", `python3 -c 'from multiprocessing import shared_memory as s; m=s.SharedMemory(create=True,size=10); m.close(); m.unlink()'`},
	{"the home folder's own settings", "git", `echo 'alias x=y' > $HOME/.profile-of-mine; git config --global user.name B; git config --global user.name | grep B`},
	{"a worktree of vyre's", "git", `cd $VYRE/worktrees/a; git init -q .; ` + commitAs + `echo a > a; git add a; git commit -qm one`},
	{"a move between folders", "perl", `mkdir a b; echo x > a/f; perl -e 'rename("a/f","b/f") or die; link("b/f","a/g") or die'`},
}

// services makes what tasks talk to, outside of the confinement.
func services(t *testing.T, w *world) {
	t.Helper()
	l, err := net.Listen("unix", w.root+"/docker.sock")
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{Handler: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Api-Version", "1.41")
		if strings.HasSuffix(r.URL.Path, "/containers/json") {
			_, _ = io.WriteString(rw, "[]")
			return
		}
		_, _ = io.WriteString(rw, "OK")
	})}
	done := make(chan struct{})
	go func() { _ = srv.Serve(l); close(done) }()
	t.Cleanup(func() { _ = srv.Close(); <-done })
	if _, err := exec.LookPath("ssh-agent"); err != nil {
		return
	}
	ctx, cancel := context.WithCancel(t.Context())
	agent := exec.CommandContext(ctx, "ssh-agent", "-D", "-a", w.root+"/agent.sock")
	if err := agent.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cancel(); _ = agent.Wait() })
	add := fmt.Sprintf(`while [ ! -S %[1]s/agent.sock ]; do sleep 0.01; done; ssh-keygen -q -t ed25519 -N '' -f %[1]s/key && SSH_AUTH_SOCK=%[1]s/agent.sock ssh-add -q %[1]s/key`, w.root)
	if out, err := exec.CommandContext(ctx, "/bin/sh", "-c", add).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// do runs a task in a folder of its own.
func (w *world) do(t *testing.T, p Plan, k task, dir string) (string, bool) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	env := []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + w.person, "LC_ALL=C.UTF-8", "WORLD=" + w.root, "VYRE=" + w.home,
		"GOCACHE=" + w.root + "/gocache", "GOPATH=" + w.root + "/gopath", "GOTOOLCHAIN=local", "GOFLAGS=-mod=mod", "GOPROXY=off",
		"CARGO_HOME=" + w.root + "/cargo", "RUSTUP_HOME=" + os.Getenv("RUSTUP_HOME"), "TERM=xterm", "npm_config_cache=" + w.root + "/npm",
	}
	s := start(t, p, Command{Path: "/bin/sh", Args: []string{"sh", "-c", "set -e\n" + k.script}, Env: env, Dir: dir})
	timer := time.AfterFunc(2*time.Minute, func() { _ = killGroup(s.pid) })
	defer timer.Stop()
	out, st := s.wait(t)
	return out, st.Exited() && st.ExitStatus() == 0
}

func TestOrdinaryTasks(t *testing.T) {
	// What a developer's agent does all day works as before: every task that succeeds
	// without a confinement succeeds in it. Those whose programs are not here, or that
	// fail here anyway, are listed and count as not tried.
	w := newWorld(t)
	services(t, w)
	passed, not := 0, []string{}
	for i, k := range tasks {
		if missing := missingOf(k.needs); missing != "" {
			not = append(not, k.name+" (no "+missing+")")
			continue
		}
		_ = os.RemoveAll(w.home + "/worktrees/a")
		_ = os.MkdirAll(w.home+"/worktrees/a", 0o700)
		if out, ok := w.do(t, Plan{}, k, filepath.Join(w.person, fmt.Sprintf("plain%d", i))); !ok {
			not = append(not, k.name+" (fails here without one: "+lastOf(out)+")")
			continue
		}
		_ = os.RemoveAll(w.home + "/worktrees/a/.git")
		if out, ok := w.do(t, w.plan(), k, filepath.Join(w.person, fmt.Sprintf("shut%d", i))); !ok {
			t.Errorf("%s: %s", k.name, out)
			continue
		}
		passed++
	}
	t.Logf("%d of %d work; not tried here: %q", passed, len(tasks), not)
	if passed+len(not) < 50 {
		t.Errorf("only %d tasks", passed+len(not))
	}
	asOrdinary(t)
}

func missingOf(programs string) string {
	for p := range strings.FieldsSeq(programs) {
		if _, err := exec.LookPath(p); err != nil {
			return p
		}
	}
	return ""
}

func lastOf(out string) string {
	lines := strings.Split(strings.TrimSpace(out), "\n")
	last := lines[len(lines)-1]
	return last[:min(len(last), 100)]
}
