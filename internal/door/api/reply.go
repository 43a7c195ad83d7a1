package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"time"

	"vyre"
)

// Bounds of one request.
const (
	bodyTime    = 30 * time.Second
	replyTime   = 30 * time.Second
	contentType = "application/json"
)

func (a *API) tool(w http.ResponseWriter, r *http.Request, c vyre.Caller) {
	name := r.PathValue("name")
	input, err := Body(w, r, a.o.Tools.MaxInput(name))
	if err != nil {
		a.Fail(w, r, err)
		return
	}
	c.Touch = r.Header.Get(TouchHeader)
	out, err := a.o.Tools.Call(r.Context(), c, name, input)
	if err != nil {
		a.Fail(w, r, err)
		return
	}
	a.Reply(w, r, out)
}

// Body reads a JSON body of at most limit bytes. Errors: invalid for another
// content type, too_large, timeout for one that doesn't come.
func Body(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	if t, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || t != contentType {
		return nil, vyre.Errorf(vyre.CodeInvalid, "the content type must be %s", contentType).
			WithHint("Send the header Content-Type: " + contentType + ".")
	}
	tooLarge := vyre.Errorf(vyre.CodeTooLarge, "the body is larger than %d bytes", limit)
	if r.ContentLength > limit {
		return nil, tooLarge
	}
	rc := http.NewResponseController(w)
	_ = rc.SetReadDeadline(time.Now().Add(bodyTime)) // what has no deadlines (a test's recorder) has no slow readers
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	_ = rc.SetReadDeadline(time.Time{}) // a handler may take longer
	if _, over := errors.AsType[*http.MaxBytesError](err); over {
		return nil, tooLarge
	}
	if err != nil {
		return nil, vyre.Errorf(vyre.CodeTimeout, "the body did not come whole").Because(err)
	}
	return body, nil
}

// Reply writes v as JSON with status 200. A json.RawMessage is written as it is.
func (a *API) Reply(w http.ResponseWriter, r *http.Request, v any) {
	if raw, ok := v.(json.RawMessage); ok {
		a.write(w, r, http.StatusOK, raw)
		return
	}
	b, err := marshal(v)
	if err != nil {
		a.Fail(w, r, err)
		return
	}
	a.write(w, r, http.StatusOK, b)
}

// Fail writes an error in its envelope, with the status of the catalogue. An
// error that isn't for callers is logged and shown as internal.
func (a *API) Fail(w http.ResponseWriter, r *http.Request, err error) {
	if _, ours := errors.AsType[*vyre.Error](err); !ours {
		a.o.Log.ErrorContext(r.Context(), "a request failed", "err", err)
	}
	b, bad := marshal(vyre.EnvelopeOf(err))
	if bad != nil { // details that can't be written
		b, _ = marshal(vyre.EnvelopeOf(vyre.Errorf(vyre.CodeOf(err), "%s", vyre.AsError(err).Message)))
	}
	a.write(w, r, vyre.CodeOf(err).Info().HTTP, b)
}

func (a *API) write(w http.ResponseWriter, r *http.Request, status int, body []byte) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(replyTime))
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(status)
	if _, err := w.Write(body); err == nil {
		_, err = w.Write([]byte("\n"))
		if err != nil {
			a.o.Log.DebugContext(r.Context(), "a reply was not taken", "err", err)
		}
	}
}

// marshal writes JSON without escaping HTML, on one line, without its end.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
