//go:build !linux

package confine

import (
	"runtime"
	"syscall"
)

// Start runs the command. Nothing is shut in on this system, and a plan that wants
// it is refused: Examine says that no part can be had.
func Start(_ string, p Plan, c Command, files []uintptr) (int, Held, error) {
	if p.Parts != 0 {
		return 0, Held{}, &Error{Text: "this system has nothing to do it with", Confined: true}
	}
	pid, err := syscall.ForkExec(c.Path, c.Args, &syscall.ProcAttr{
		Dir: c.Dir, Env: c.Env, Files: files, Sys: &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		err = &Error{Text: err.Error()}
	}
	return pid, Held{}, err
}

// Stage is never reached on this system.
func Stage([]string) int { return 2 }

// Examine says that nothing can be had here.
func Examine(string, string) Report {
	return Report{
		System: runtime.GOOS, Yama: -1, Parts: []string{},
		Missing: []Missing{{"confinement", "sessions are not confined on this system", "run vyre on Linux"}},
	}
}
