// Package asks declares threads.asks and threads.answer: what an agent asks, and
// a person's verdict.
//
// It owns the two tools' inputs and checks; the engine decides atomically with
// the log and sees to it that an answer reaches its agent once. It must not know
// doors or other modules. It starts no goroutine and keeps no state.
//
// threads.answer is PERSON_ONLY: the registry refuses every caller whose door did
// not prove a person, so no input can claim to be one. Test it through a
// registry.
package asks
