// Package signin declares sign_in.code: the one-time code that opens the page.
//
// It owns the address's form. The code is answered to the person who asked and
// kept as a hash; it goes to no log and no event. The package must not know how
// the page trades it. It starts no goroutine. Test it through a registry.
package signin
