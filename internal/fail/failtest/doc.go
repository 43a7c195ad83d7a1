// Failtest passes a failure point three times, for the tests of package fail.
//
// It owns nothing, must not know anything but that package, starts no goroutine,
// and is built by the test against it.
package main
