// Package devices declares the tools by which a person sees and changes what can
// act as them: passkeys, sessions of the page, and the pairing of a phone.
//
// It owns the shapes and the words. What a passkey is worth internal/identity/passkey
// decides, what a session is worth internal/identity. It must not know doors or other
// modules. It starts no goroutine and keeps no state. Test it through a registry.
package devices
