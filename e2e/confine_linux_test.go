package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vyre"
)

// What the real agent's own Bash finds and tries in its session: Vyre's private state,
// its socket and those of other sessions are not there, the agent's message socket is
// off, and neither the agent, its parent, the daemon nor the rules can be got at.
func TestSessionIsShutIn(t *testing.T) {
	h := newHome(t)
	other := h.begin("say here")
	h.finished(other, 1)
	h.write("attack.sh", attackScript)
	h.write("peers", fmt.Sprintf("%d %d %d %s\n", h.cmd.Process.Pid, h.shimPID(other), h.agentPID(other), h.dir))
	id := h.begin(fmt.Sprintf("tool Bash {\"command\":%q}\nsay tried", "sh ./attack.sh > attack.out 2>&1"))
	h.mustAnswer(h.ask(id), vyre.Allow, nil)
	h.finished(id, 1)
	out := h.read("attack.out")
	t.Log(out)
	if strings.Contains(out, "ACCEPTED") || strings.Count(out, " refused") < 18 {
		t.Errorf("not all was refused")
	}
	for _, want := range []string{"CapEff:	0000000000000000", "NoNewPrivs:	1", "Seccomp:	2", "private: 0 entries", "sockets: s "} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q", want)
		}
	}
	if strings.Contains(out, ".sock") && !strings.Contains(out, "messages: off") {
		t.Error("the agent's message socket is on")
	}
	confined := []string(nil)
	for _, e := range h.events() {
		if e.Kind == vyre.EvThreadStarted && e.Thread == id {
			var started vyre.ThreadStarted
			h.data(e, &started)
			confined = started.Confined
			if len(started.Open) > 0 {
				t.Errorf("open: %q", started.Open)
			}
		}
	}
	for _, part := range []string{"mount", "caps", "files", "scope", "calls"} {
		if !slices.Contains(confined, part) {
			t.Errorf("thread.started does not name %s: %q", part, confined)
		}
	}
	if h.thread(other).State != vyre.StateIdle {
		t.Errorf("the other session is %s", h.thread(other).State)
	}
	for _, e := range h.events() {
		if e.Kind == vyre.EvThreadBreach {
			t.Errorf("a breach: %s", e.Data)
		}
	}
}

// attackScript prints what is there, and for each attempt whether it was refused.
const attackScript = `
read DAEMON SHIM OTHER VYRE < peers
AGENT=$PPID
while [ "$(cat /proc/$AGENT/comm)" != claude ]; do AGENT=$(awk '/PPid/{print $2}' /proc/$AGENT/status); done
MYSHIM=$(awk '/PPid/{print $2}' /proc/$AGENT/status)
grep -E 'CapEff|NoNewPrivs|Seccomp:' /proc/self/status
echo "private: $(ls -A $VYRE/private | wc -l) entries"
echo "sockets: $(ls -A $(dirname $(dirname $(dirname $VYRE_SOCKET))) | tr '\n' ' ')"
echo "messages: ${CLAUDE_CODE_MESSAGING_SOCKET:-off}"
try() { name=$1; shift; if "$@" > /dev/null 2> err; then echo "$name ACCEPTED"; else echo "$name refused: $(tail -1 err)"; fi; }
py() { python3 -c "import os,sys,ctypes,signal
libc=ctypes.CDLL(None,use_errno=True)
def call(*a):
    if libc.syscall(*a)<0: raise OSError(ctypes.get_errno(),os.strerror(ctypes.get_errno()))
$1" "$2"; }
try database cat $VYRE/private/vyre.db
try database-by-parent cat /proc/$MYSHIM/root$VYRE/private/vyre.db
try settings sh -c "echo x > $VYRE/config.toml"
try program sh -c "echo x > $VYRE/bin/x"
try daemon-socket curl -s --unix-socket $(dirname $(dirname $(dirname $VYRE_SOCKET)))/daemon.sock http://localhost/v1/whoami
try end-parent kill -TERM $MYSHIM
try end-daemon kill -CONT $DAEMON
try end-other kill -TERM $OTHER
try environment-of-other cat /proc/$OTHER/environ
try memory-of-agent py 'os.open("/proc/"+sys.argv[1]+"/mem",os.O_RDWR)' $AGENT
try input-of-agent sh -c "echo forged > /proc/$AGENT/fd/0"
try take-input-of-agent py 'call(438,os.pidfd_open(int(sys.argv[1])),0,0)' $AGENT
try trace-agent py 'call(101,16,int(sys.argv[1]),0,0)' $AGENT
try write-agent py 'call(311,int(sys.argv[1]),0,0,0,0,0)' $AGENT
try umount umount $VYRE/private
try bind mount --bind / /mnt
try user-namespace unshare -Ur true
try mount-namespace unshare -m true
try control-group sh -c 'for g in /sys/fs/cgroup /sys/fs/cgroup/unified; do test -e $g/cgroup.procs && exec sh -c "echo 0 > $g/cgroup.procs"; done; exit 1'
try sysctl sh -c 'echo x > /proc/sys/kernel/core_pattern'
try other-sessions ls $(dirname $(dirname $VYRE_SOCKET))/$OTHER
`
