// Package passkeytest is an authenticator for tests: it makes passkeys and touches
// them as a browser with a security key does (WebAuthn Level 2, ES256, attestation
// "none"), and can do it wrongly on purpose.
//
// It starts no goroutine and keeps its keys in memory.
package passkeytest
