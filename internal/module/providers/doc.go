// Package providers declares providers.list: which agents this machine can run,
// with what, and what they offer.
//
// It owns the shape of that list: it asks each provider what it is and the
// machine where its program lies. It must not know any agent's protocol. It
// starts no goroutine; looking at a program runs it once, bounded by its driver.
// Test it through a registry.
package providers
