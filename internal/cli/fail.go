package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"vyre"
	"vyre/internal/cli/term"
)

// exit is an error that was told already; the code is all that is left to say.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// fail tells an error and returns the exit code.
func (a *app) fail(err error) int {
	if err == nil {
		return 0
	}
	if e, ok := errors.AsType[exit](err); ok {
		return int(e)
	}
	e := a.errorOf(err)
	if a.json {
		a.envelope(e)
	} else {
		a.say(e)
	}
	return e.Code.Info().Exit
}

// errorOf gives every error a code: what cobra finds wrong with the arguments is
// invalid, what the system refuses a command is told as it is.
func (a *app) errorOf(err error) *vyre.Error {
	if e, ok := errors.AsType[*vyre.Error](err); ok {
		return e
	}
	if !a.ran {
		return vyre.Errorf(vyre.CodeInvalid, "%s", strings.TrimSpace(err.Error())).WithHint("`vyre help` lists the commands.")
	}
	return vyre.Errorf(vyre.CodeUnavailable, "%s", err.Error())
}

// say writes the message, and the hint below it.
func (a *app) say(e *vyre.Error) {
	s := a.noteStyle()
	env := vyre.EnvelopeOf(e).Error
	fmt.Fprintln(a.Err, s.Bad("vyre: ")+term.Clean(env.Message))
	if env.Hint != "" {
		fmt.Fprintln(a.Err, s.Dim("      "+term.Clean(env.Hint)))
	}
}

// envelope writes the error as every door does.
func (a *app) envelope(e *vyre.Error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(vyre.EnvelopeOf(e)) != nil { // details that can't be written
		e.Details = nil
		b.Reset()
		_ = enc.Encode(vyre.EnvelopeOf(e))
	}
	out := b.Bytes()
	if a.noteStyle().TTY {
		out = term.JSON(out)
	}
	_, _ = a.Err.Write(out)
}

// note tells something on standard error.
func (a *app) note(format string, args ...any) {
	fmt.Fprintln(a.Err, term.Clean(fmt.Sprintf(format, args...)))
}
