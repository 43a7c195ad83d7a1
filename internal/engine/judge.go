package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"path/filepath"
	"slices"

	"vyre"
	"vyre/agent"
	"vyre/internal/policy"
)

// Rules judge the calls of agents. The daemon wires them from policy, what is known of
// the machine, and the grants that hold. Methods may be called from any goroutine.
type Rules interface {
	// Judge says what the rules make of a call now. It looks at the disk and never waits
	// for anything else.
	Judge(c policy.Call) policy.Verdict
	// Holds reports whether just this is granted in a project already.
	Holds(project string, s vyre.GrantSpec) bool
	// Given takes note of grants that the engine committed.
	Given(list []vyre.Grant)
}

// judged is a call with what the rules make of it.
type judged struct {
	policy.Call
	verdict policy.Verdict
	sure    bool // it is known where the call would run
}

// forbidden reports whether it may not happen, whoever says yes.
func (j judged) forbidden() bool { return j.verdict.Verdict == vyre.VerdictDeny }

// insists reports whether the rules want a person asked, whatever else would let it pass.
func (j judged) insists() bool {
	return j.verdict.Verdict == vyre.VerdictAsk && j.verdict.By == policy.ByFloor
}

// judge asks the rules about a call. The folder that an agent's commands run in moves
// with them, so it is the one that the call's hook told.
func (o *owner) judge(call, tool, source string, input json.RawMessage) judged {
	th := o.book.thread
	cwd, sure := o.where(call)
	j := judged{sure: sure, Call: policy.Call{
		Tool: tool, Source: source, Thread: o.id, Project: or(th.Project, th.CWD), Provider: th.Provider,
		Mode: th.Mode, CWD: th.CWD,
	}}
	p, err := o.e.provider(th.Provider)
	if o.e.cfg.Rules == nil || err != nil {
		j.verdict = policy.Verdict{Verdict: vyre.VerdictAsk, By: policy.ByPerson}
		return j
	}
	j.Acts = p.Acts(tool, source, input, cwd)
	j.verdict = o.e.cfg.Rules.Judge(j.Call)
	return j
}

// where says in which folder a call runs, and whether that is known.
func (o *owner) where(call string) (cwd string, sure bool) {
	if o.run == nil {
		return o.book.thread.CWD, false
	}
	if cwd, told := o.run.folders[call]; told && cwd != "" {
		return cwd, true
	}
	return o.book.thread.CWD, !o.hooked()
}

// hooked reports whether the agent waits for us before each of its calls.
func (o *owner) hooked() bool {
	for _, k := range o.run.opts.Hooks {
		if k == agent.HookPreTool && len(o.run.opts.HookTools) == 0 {
			return true
		}
	}
	return false
}

// beyond reports whether an agent asks because a call would only read, but outside its
// folder and project: what of the machine a session may see is the person's to say.
func (j judged) beyond(ev agent.Ask) bool {
	if j.verdict.By != policy.ByReadonly || !ev.Outside && ev.Blocked == "" {
		return false
	}
	return ev.Outside || !slices.ContainsFunc([]string{j.CWD, j.Project}, func(dir string) bool {
		rel, err := filepath.Rel(dir, ev.Blocked)
		return err == nil && filepath.IsLocal(rel)
	})
}

// alike is one word for all asks about the same act: what would be done, where in the
// project, by whose tool.
func (j judged) alike(input json.RawMessage) string {
	type act struct {
		vyre.Act
		Where string
	}
	acts := make([]act, len(j.Acts))
	whole := len(j.Acts) == 0
	for i, a := range j.Acts {
		rel, err := filepath.Rel(j.CWD, a.CWD)
		if err != nil {
			rel = a.CWD
		}
		a.CWD = ""
		acts[i] = act{a, rel}
		whole = whole || a.Kind != vyre.ActCommand // only of a command the act says all
	}
	if !whole {
		input = nil
	}
	b, err := json.Marshal(struct {
		Project, Tool, Source string
		Acts                  []act
		Input                 json.RawMessage
	}{j.Project, j.Tool, j.Source, acts, input})
	if err != nil {
		return ""
	}
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:16])
}
