package cgroup

import "errors"

// ErrNone means that this machine gives us no control group.
var ErrNone = errors.New("no control group to be had")

// ErrOther means that the path holds another group than the one meant.
var ErrOther = errors.New("not the control group that was recorded")

// Group is one control group.
type Group struct {
	Path string // absolute
	ID   uint64 // its inode; 0 means: not known, any group of this path
}
