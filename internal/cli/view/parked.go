package view

import "vyre"

// parked says what a thread does about a limit, or that it is over.
func (l *Live) parked(d vyre.ThreadParked) {
	until := ""
	if d.Until != 0 {
		until = " until " + d.Until.Std().Local().Format("2006-01-02 15:04")
	}
	switch {
	case d.Fallback != "":
		l.note("goes on with the credential " + d.Fallback + until)
	case d.Why == vyre.ParkedLimit:
		l.note("waits for the provider's limit" + until)
	case d.Why == vyre.ParkedSpace:
		l.note("waits for room on the disk" + until)
	default:
		l.note("goes on")
	}
}
