package shim

// CgroupParent is the control group under which sessions get their own, or ""
// where this machine allows none.
func (l *Launcher) CgroupParent() string { return l.parent }
