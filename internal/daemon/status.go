package daemon

import (
	"cmp"
	"context"
	"os"
	"slices"
	"strconv"
	"strings"

	"vyre"
	"vyre/internal/config"
	"vyre/internal/module/system"
	"vyre/internal/shim"
	"vyre/internal/store/sqlite"
)

// Speaks says what this build understands of what an earlier one leaves: the
// versions of the protocol of running sessions' parents, and the number of the
// store's newest migration. An upgrade asks it before anything is stopped.
func Speaks() (oldest, newest, store int) {
	oldest, newest = shim.Protocol()
	return oldest, newest, sqlite.Newest()
}

func shimProtocol() system.Protocol {
	oldest, newest := shim.Protocol()
	return system.Protocol{Oldest: oldest, Newest: newest}
}

// status is what the daemon knows of itself.
func (h *house) status(ctx context.Context, wait bool, socket string) system.Status {
	level := h.peers.Level()
	if h.shims.Level() < level { // what the next session will allow
		level = h.shims.Level()
	}
	return system.Status{
		Version: h.opt.Version, PID: os.Getpid(), Home: h.opt.Home, Listen: h.cfg.Listen, URL: h.http.URL(),
		Socket: socket, Started: vyre.At(h.started), Sessions: len(h.engine.Sessions()), RSSBytes: rss(),
		Program: h.program, Service: h.opt.Getenv(config.ServiceEnv), Store: sqlite.Newest(), Shim: shimProtocol(), Live: h.live(),
		Level: level, LevelMeans: levelMeans[level], Cgroup: h.shims.CgroupParent(),
		Auth: h.cfg.Sessions.Auth, Environment: h.runtime.Environment(ctx, wait),
	}
}

// live lists the sessions and what their parents speak, by thread.
func (h *house) live() []system.Live {
	out := []system.Live{}
	for _, s := range h.engine.Sessions() {
		out = append(out, system.Live{Thread: s.Thread, Session: s.ID, PID: s.PID, Protocol: h.shims.Spoken(s.ID)})
	}
	slices.SortFunc(out, func(a, b system.Live) int { return cmp.Compare(a.Thread, b.Thread) })
	return out
}

// levelMeans says for each level what tells a person from an agent, and what it
// does not stop (docs/guide/security.md).
var levelMeans = map[string]string{
	"L0": "Nothing is known of callers: only the page answers.",
	"L1": "Callers are told apart by their ancestry alone, or an agent runs that Vyre did not start. A command that an agent starts through tmux, ssh or cron is not recognised, nor one that ends its session's parent first.",
	"L2": "Callers are told apart by control group, pidfd and ancestry. A command that an agent starts through tmux, ssh or cron is not recognised.",
}

// rss is the daemon's resident memory in bytes, 0 where the system does not say.
func rss() int64 {
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	f := strings.Fields(string(b))
	if len(f) < 2 {
		return 0
	}
	pages, err := strconv.ParseInt(f[1], 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}
