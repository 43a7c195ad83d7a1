// Package registry holds everything Vyre can do. A tool is declared once, with
// its name, summary, input and output types and who may call it; every door
// binds a caller and forwards to Call.
//
// It owns the order of a call: find the tool, authorise the caller by the table
// in reach.go, decode the input strictly, ask the
// Prover where the act needs a proof of its own, run the handler, have the Recorder
// write down what was changed and what was refused to its caller, encode the output.
// It owns the schemas, the goldens, the reference pages and the OpenAPI
// document, all made from the same declarations.
//
// It must not know any module, the engine, the store or a door.
//
// It starts no goroutine. Define and DefineEvent are for wiring, before the
// first Call, from one goroutine; after that a Registry doesn't change and every
// method may be called from any goroutine. Schemas and decoding plans are made
// at first use, so an idle daemon holds none of them.
//
// Guarantees: a handler runs only after the whole input was found good, so a
// refused input changed nothing; whatever a handler returns or panics with
// reaches the caller as a *vyre.Error. Nothing of it is on disk.
//
// To test against it, make a Registry, define a tool with a function of your
// own and Call it.
package registry
