// Package vault declares the vault.* tools: a person puts secrets in and deletes
// them; no tool gives a value out.
//
// It owns the tools' inputs: it seals through internal/vault and writes
// ciphertext through the store; a value exists here only while the call runs. It
// must not know who uses an item. It starts no goroutine. Test it through a
// registry.
package vault
