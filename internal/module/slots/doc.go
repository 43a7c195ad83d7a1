// Package slots holds the tool sessions.slots: who holds a place for parallel work,
// who waits for one, and taking and giving back a teammate's.
//
// It owns the tool's input and its checks. It must not know how places are given:
// internal/engine/slots does, inside the engine. It starts no goroutine and keeps no
// state. Test it through a registry.
package slots
