package policy

import (
	"testing"

	"vyre"
)

func TestJudgeAsksByDefault(t *testing.T) {
	// A call that no rule knows is asked, and an outward act waits at the gate.
	call := Call{Tool: "x", Acts: []vyre.Act{{Kind: vyre.ActOther, CWD: "/w"}}, CWD: "/w"}
	if v := Judge(call, Facts{}); v.Verdict != vyre.VerdictAsk || v.By != ByPerson || v.Why == "" {
		t.Errorf("%+v", v)
	}
	gate := func(Call) (string, bool) { return "use gate.request", true }
	if v := Judge(call, Facts{Outward: gate}); v.Verdict != vyre.VerdictDeny || v.By != ByGate || v.Why != "use gate.request" {
		t.Errorf("%+v", v)
	}
}
