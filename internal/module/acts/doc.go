// Package acts declares the tools by which a person touches a passkey for an act:
// one that waits is shown, touched on a page, runs once, and is waited for where it
// was begun.
//
// It owns the shapes; what a touch is worth internal/identity/passkey decides, in
// the registry's call path. It must not know other modules: an act runs by the
// registry's Call, as the caller that raised it. It starts no goroutine and keeps no
// state. Test it through a registry.
package acts
