// Package engine owns live threads.
package engine
