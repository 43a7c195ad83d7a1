// Package termtest gives tests a pseudo terminal. It must not be imported by
// anything but tests. It starts no goroutine.
package termtest
