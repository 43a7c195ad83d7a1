package cli

import "strings"

// confineChecks say how sessions are shut in, and what is missing for more.
func confineChecks(st *statusOutput) []check {
	if st == nil || st.Confinement.Setting == "" {
		return nil
	}
	c := st.Confinement
	first := check{"confine", checkOK, "sessions are shut in: " + strings.Join(c.Parts, ", "), ""}
	switch {
	case c.Setting == "off":
		return []check{{"confine", checkNote, "sessions are not shut in (sessions.confine is off)", "Set it to auto."}}
	case len(c.Parts) == 0:
		first.State, first.Detail = checkNote, "sessions are not shut in: this machine gives nothing for it"
	case !c.Whole:
		first.State, first.Detail = checkNote, first.Detail+"; not all of it"
	}
	if c.Setting == "require" && !c.Whole {
		first.State, first.Hint = checkBad, "sessions.confine is require, so none can start. Set it to auto, or give what is missing."
	}
	if c.Debug {
		first.State, first.Detail = checkNote, first.Detail+"; sessions.debug lets them trace themselves"
	}
	checks := []check{first}
	for _, m := range c.Missing {
		checks = append(checks, check{"confine", checkNote, "no " + m.What + ": " + m.Why, m.Fix})
	}
	return checks
}
