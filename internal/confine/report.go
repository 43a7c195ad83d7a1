package confine

// Report is what this machine can, as facts. The identity ladder makes a level of
// it; here is no judgement but what is missing and how to get it.
type Report struct {
	System string `json:"system"`
	Root   bool   `json:"root"` // sessions run as root: the files of root stay theirs

	Mount    bool   `json:"mount"`    // a mount namespace, tried
	UserNS   bool   `json:"user_ns"`  // it takes a user namespace here
	Landlock int    `json:"landlock"` // version of its interface; 0: none
	Seccomp  bool   `json:"seccomp"`
	Cgroup   string `json:"cgroup"` // below which sessions get a control group, or empty
	Pids     bool   `json:"pids"`   // a session's processes can be counted and bounded
	Memory   bool   `json:"memory"` // so can its memory
	Yama     int    `json:"yama"`   // the kernel's own bound on tracing; -1: none

	Parts   []string  `json:"parts"` // of a confinement, that can be had
	Missing []Missing `json:"missing"`
}

// Missing is one thing that this machine does not give, and what would.
type Missing struct {
	What string `json:"what"`
	Why  string `json:"why"`
	Fix  string `json:"fix"` // one command, or empty where none helps
}

// Can is the parts that this machine gives.
func (r Report) Can() Parts {
	var p Parts
	for _, n := range partNames {
		for _, have := range r.Parts {
			if have == n.name {
				p |= n.part
			}
		}
	}
	return p
}

// Whole reports whether a session can be shut in by every part. Bounds on
// processes and memory protect the machine, not what is kept from a session, and do
// not count.
func (r Report) Whole() bool { return r.Can().Has(All) }

// Versions of Landlock's interface from which on it knows what we ask of it.
const (
	abiFiles = 3 // truncation (Linux 6.2)
	abiScope = 6 // signals and abstract sockets (Linux 6.12)
)

// facts is what was looked at; judge makes a Report of it.
type facts struct {
	system   string
	root     bool
	mount    error // of a trial; nil: it worked
	userns   bool  // it took a user namespace
	apparmor bool  // a security module restricts user namespaces
	cloneOff bool  // kernel.unprivileged_userns_clone is 0
	maxUsers int   // user.max_user_namespaces; -1: unknown
	landlock int
	seccomp  bool
	yama     int

	cgroup       string
	pids, memory bool
	hybrid       bool // controllers belong to version 1 of control groups
}

// judge says which parts the facts give, and why others are missing. It is pure.
func judge(f facts) Report {
	r := Report{
		System: f.system, Root: f.root, Mount: f.mount == nil, UserNS: f.userns, Landlock: f.landlock, Seccomp: f.seccomp,
		Cgroup: f.cgroup, Pids: f.pids, Memory: f.memory, Yama: f.yama, Missing: []Missing{},
	}
	parts := Caps
	lack := func(what, why, fix string) { r.Missing = append(r.Missing, Missing{what, why, fix}) }
	if f.mount == nil {
		parts |= Mount
	} else {
		lack("mount", whyNoMount(f), fixMount(f))
	}
	switch {
	case f.landlock >= abiScope:
		parts |= Files | Scope
	case f.landlock >= abiFiles:
		parts |= Files
		lack("scope", "this kernel's Landlock knows no signals and abstract sockets (it came with Linux 6.12)", "")
	case f.landlock > 0:
		lack("files, scope", "this kernel's Landlock is too old (Linux 6.12 has all of it)", "")
	default:
		lack("files, scope", "this kernel has no Landlock, or it is not turned on", "add landlock to the kernel's lsm= parameter")
	}
	if f.seccomp {
		parts |= Calls
	} else {
		lack("calls", "this kernel takes no system call filter, or none is known for this processor", "")
	}
	if f.root {
		lack("user of their own", "sessions run as root: they can change what root owns, whatever is closed", "run vyre as an ordinary user")
	}
	lackLimits(f, lack)
	if f.yama < 1 {
		lack("Yama", "so a command of the agent can read the agent's own memory, its credential among it", "sysctl -w kernel.yama.ptrace_scope=1")
	}
	r.Parts = parts.Names()
	return r
}

func lackLimits(f facts, lack func(what, why, fix string)) {
	const service = "vyre service install"
	switch {
	case f.cgroup == "":
		lack("limits", "no control group can be made, so processes and memory have no bound", service)
	case f.pids && f.memory:
	case f.hybrid:
		lack("limits", "processes and memory are counted by version 1 of control groups here", "boot with systemd.unified_cgroup_hierarchy=1")
	default:
		lack("limits", "the control group of this service is not given processes and memory to count", service)
	}
}

func whyNoMount(f facts) string {
	switch {
	case f.maxUsers == 0:
		return "user namespaces are turned off (user.max_user_namespaces is 0)"
	case f.cloneOff:
		return "user namespaces are turned off for ordinary users"
	case f.apparmor:
		return "AppArmor gives no rights inside user namespaces"
	}
	return "no mount namespace: " + f.mount.Error()
}

func fixMount(f facts) string {
	switch {
	case f.maxUsers == 0:
		return "sudo sysctl -w user.max_user_namespaces=10000"
	case f.cloneOff:
		return "sudo sysctl -w kernel.unprivileged_userns_clone=1"
	case f.apparmor:
		return "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"
	}
	return ""
}
