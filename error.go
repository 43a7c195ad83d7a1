package vyre

import (
	"errors"
	"fmt"
	"maps"
)

// Code is one of the closed list of errors that may reach a caller. Codes cross
// the wire: they are added, never renamed.
type Code string

// The catalogue. What each means at a door is in Catalogue.
const (
	CodeInvalid               Code = "invalid"
	CodeUnauthenticated       Code = "unauthenticated"
	CodeDenied                Code = "denied"
	CodePersonOnly            Code = "person_only"
	CodePresenceRequired      Code = "presence_required"
	CodePersonSessionRequired Code = "person_session_required"
	CodeNotFound              Code = "not_found"
	CodeConflict              Code = "conflict"
	CodeHandoffRequired       Code = "handoff_required"
	CodeGap                   Code = "gap"
	CodeTooLarge              Code = "too_large"
	CodeBusy                  Code = "busy"
	CodeLimit                 Code = "limit"
	CodeUnavailable           Code = "unavailable"
	CodeMacOffline            Code = "mac_offline"
	CodeTimeout               Code = "timeout"
	CodeNoSpace               Code = "no_space"
	CodeNoCredential          Code = "no_credential"
	CodeInternal              Code = "internal"
)

// CodeInfo says what a code is at each door.
type CodeInfo struct {
	Code      Code
	HTTP      int  // status of the HTTP and socket doors
	RPC       int  // JSON-RPC error code
	Exit      int  // exit code of the command line
	Retryable bool // the same call may work later, unchanged
	Meaning   string
	Hint      string // what helps when the error itself names nothing better
}

// Catalogue holds every code once, in the order of the reference page.
var Catalogue = []CodeInfo{
	{CodeInvalid, 400, -32602, 2, false, "The input was refused whole; nothing changed.", "Correct the field that the message names."},
	{CodeUnauthenticated, 401, -32000, 3, false, "The door could not tell who calls.", "Run `vyre open` at a terminal and sign in with the address it gives."},
	{CodeDenied, 403, -32000, 3, false, "This caller may not use this tool on this thing.", "Ask the person to do it, or to grant it."},
	{CodePersonOnly, 403, -32000, 3, false, "Only a person may do this, and the call could not be shown to be a person's.", "Do it on the page or in a terminal that no agent started."},
	{CodePresenceRequired, 403, -32000, 3, false, "This act needs a fresh touch of a passkey.", "Do it on the page, where the touch can be given."},
	{CodePersonSessionRequired, 403, -32000, 3, false, "This act needs a signed-in page.", "Run `vyre open` and sign in."},
	{CodeNotFound, 404, -32000, 4, false, "There is no such thing, or this caller may not know of it.", "Check the id with the matching list tool."},
	{CodeConflict, 409, -32000, 5, false, "It was already decided, used or held otherwise; the details say how.", "Read the details; the first decision stands."},
	{CodeHandoffRequired, 409, -32000, 5, false, "Another provider or node holds this thread.", "Move the thread first."},
	{CodeGap, 410, -32000, 5, false, "The cursor can't be served: what followed it is gone, or it is not of this log.", "Load the present state and read on from the head."},
	{CodeTooLarge, 413, -32000, 2, false, "The input is larger than this door takes.", "Send less, or by reference to a file."},
	{CodeBusy, 429, -32000, 6, true, "Every place is taken.", "Wait until a session is idle, or stop one."},
	{CodeLimit, 429, -32000, 6, true, "A limit of the provider or of this home is reached.", "Wait until the time that the details name."},
	{CodeUnavailable, 503, -32000, 7, true, "Something this needs can't be reached or started.", "The message says what; `vyre doctor` looks at the rest."},
	{CodeMacOffline, 503, -32000, 7, true, "The machine that owns this is not connected.", "Wake that machine; the question stays open there."},
	{CodeTimeout, 503, -32000, 7, true, "No answer came within the bound.", "Try again; a repeated call with the same key is safe."},
	{CodeNoSpace, 503, -32000, 7, true, "The disk is full: nothing was acknowledged, reading works.", "Free some space; what waits goes on by itself."},
	{CodeNoCredential, 424, -32000, 7, false, "The agent has no credential to work with.", "Sign the agent in, or put its key into the vault."},
	{CodeInternal, 500, -32603, 1, false, "A fault of ours.", "Look at `vyre doctor` and the daemon's log; please report it."},
}

// Info returns the catalogue's entry; an unknown code is treated as internal.
func (c Code) Info() CodeInfo {
	for _, i := range Catalogue {
		if i.Code == c {
			return i
		}
	}
	return Catalogue[len(Catalogue)-1]
}

// Error is the one error type that a door shows. Message is for the caller and
// holds no path of ours, no stack and no secret; Err is for our log only.
type Error struct {
	Code    Code
	Message string
	Hint    string         // empty: the catalogue's
	Field   string         // the input field at fault, as in the schema ("a.b"), or empty
	Details map[string]any // more that a program may use, or nil
	Err     error          // the cause, never shown
}

func (e *Error) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%s: %s: %v", e.Code, e.Message, e.Err)
	}
	return fmt.Sprintf("%s: %s", e.Code, e.Message)
}

func (e *Error) Unwrap() error { return e.Err }

// Errorf makes an Error whose message the caller sees. A cause is added with
// Because and is not shown.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Invalid refuses an input, naming the field.
func Invalid(field, format string, args ...any) *Error {
	return &Error{Code: CodeInvalid, Field: field, Message: field + ": " + fmt.Sprintf(format, args...)}
}

// NotFound says that there is no such thing.
func NotFound(what, id string) *Error {
	return Errorf(CodeNotFound, "no %s %q", what, id)
}

// WithHint replaces the catalogue's hint.
func (e *Error) WithHint(hint string) *Error { e.Hint = hint; return e }

// WithDetail adds one detail.
func (e *Error) WithDetail(key string, value any) *Error {
	if e.Details == nil {
		e.Details = map[string]any{}
	}
	e.Details[key] = value
	return e
}

// Because keeps the cause for our log.
func (e *Error) Because(err error) *Error { e.Err = err; return e }

// AsError returns the *Error in err's chain; anything else becomes an internal
// error whose text is not shown.
func AsError(err error) *Error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return &Error{Code: CodeInternal, Message: "something went wrong inside the daemon", Err: err}
}

// CodeOf returns the code of err, CodeInternal for a foreign one, "" for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	return AsError(err).Code
}

// Envelope is the shape of an error on every door: {"error":{…}}.
type Envelope struct {
	Error EnvelopeError `json:"error"`
}

// EnvelopeError is the inside of Envelope.
type EnvelopeError struct {
	Code      Code           `json:"code"`
	Message   string         `json:"message"`
	Hint      string         `json:"hint"`
	Retryable bool           `json:"retryable"`
	Details   map[string]any `json:"details"`
}

// EnvelopeOf renders err as callers see it.
func EnvelopeOf(err error) Envelope {
	e := AsError(err)
	info := e.Code.Info()
	d := map[string]any{}
	maps.Copy(d, e.Details)
	if e.Field != "" {
		d["field"] = e.Field
	}
	hint := e.Hint
	if hint == "" {
		hint = info.Hint
	}
	return Envelope{EnvelopeError{Code: e.Code, Message: e.Message, Hint: hint, Retryable: info.Retryable, Details: d}}
}
