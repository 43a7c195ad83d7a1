package shim

import "vyre/internal/engine"

// The engine's ports are kept: it declares them, this package must not change them.
var (
	_ engine.Launcher = (*Launcher)(nil)
	_ engine.Process  = (*process)(nil)
)
