//go:build !linux

package shim

import "time"

// monotonic is a clock that all processes of the machine share, in nanoseconds.
func monotonic() int64 { return time.Now().UnixNano() }
