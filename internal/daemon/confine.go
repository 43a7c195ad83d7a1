package daemon

import (
	"bytes"
	"os"
	"strconv"

	"vyre/internal/config"
	"vyre/internal/module/system"
	"vyre/internal/shim"
)

// confinement is how sessions are shut in, by the settings.
func confinement(s config.Sessions, home string) shim.Confinement {
	memory := int64(s.MemoryMB) << 20
	if memory == 0 {
		memory = machineMemory() / 10 * 9
	}
	return shim.Confinement{
		Require: s.Confine == "require", Off: s.Confine == "off", Debug: s.Debug,
		Sockets: config.RuntimeDirs(home), Pids: int64(s.Pids), Memory: memory,
	}
}

// confinementReport is what the status says of it.
func (h *house) confinementReport() system.Confinement {
	out := system.Confinement{Setting: h.cfg.Sessions.Confine, Debug: h.cfg.Sessions.Debug, Parts: h.shims.Parts().Names(), Missing: []system.Missing{}}
	r, err := h.shims.Report()
	if err != nil {
		out.Missing = append(out.Missing, system.Missing{What: "all of it", Why: "this build has no session's parent", Fix: "make build"})
		return out
	}
	for _, m := range r.Missing {
		out.Missing = append(out.Missing, system.Missing(m))
	}
	out.Whole = h.shims.Parts().Has(r.Can()) && r.Whole()
	return out
}

// machineMemory is how much memory this machine has, in bytes; 0 where it is not told.
func machineMemory() int64 {
	b, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	for line := range bytes.Lines(b) {
		f := bytes.Fields(line)
		if len(f) >= 2 && string(f[0]) == "MemTotal:" {
			kib, err := strconv.ParseInt(string(f[1]), 10, 64)
			if err != nil {
				return 0
			}
			return kib << 10
		}
	}
	return 0
}
