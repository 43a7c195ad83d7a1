package fake

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const maxBody = 64 << 20

// messages answers POST /v1/messages by the script.
func (a *API) messages(w http.ResponseWriter, r *http.Request) {
	req, pos, ok := a.read(w, r)
	if !ok {
		return
	}
	steps, scripted := parse(pos.human)
	if !scripted || len(req.Tools) == 0 {
		steps = []step{{kind: stepSay, text: defaultText(pos.human)}}
	}
	rd, more := at(rounds(steps), pos.results)
	if !more {
		rd = round{steps: []step{{kind: stepSay, text: "Done."}}}
	}
	rep := &reply{
		api: a, ctx: r.Context(), key: pos.human,
		vars:   vars{result: pos.last, cwd: req.cwd()},
		usage:  defaultUsage,
		header: http.Header{},
	}
	for _, s := range rd.steps {
		if s.kind == stepUsage {
			rep.usage = s.usage
		}
		if s.kind == stepLimit && s.text == "warning" {
			maps.Copy(rep.header, limitHeaders(s))
		}
	}
	if req.Stream {
		rep.out = &stream{w: w, model: req.Model}
	} else {
		rep.out = &whole{w: w, model: req.Model}
	}
	rep.play(rd)
}

func (a *API) read(w http.ResponseWriter, r *http.Request) (*request, position, bool) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		writeError(w, http.StatusRequestEntityTooLarge, "request_too_large", "the request is too large")
		return nil, position{}, false
	}
	var req request
	if err := json.Unmarshal(body, &req); err != nil {
		writeError(w, http.StatusBadRequest, "invalid_request_error", "the request is not what the Messages API takes")
		return nil, position{}, false
	}
	pos := req.locate()
	key := r.Header.Get("X-Api-Key")
	if key == "" {
		key = strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	}
	a.note(Request{
		At: time.Now(), Path: r.URL.Path, Model: req.Model, Human: pos.human, Results: pos.results,
		Main: len(req.Tools) > 0, Key: key, Body: body,
	})
	return &req, pos, true
}

func (a *API) countTokens(w http.ResponseWriter, r *http.Request) {
	req, _, ok := a.read(w, r)
	if !ok {
		return
	}
	n := len(req.System)
	for _, m := range req.Messages {
		n += len(m.Content.text())
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]int{"input_tokens": n/4 + 1})
}

// defaultText answers what is no script.
func defaultText(human string) string {
	switch {
	case strings.Contains(human, background):
		return "Noted: the background task ended."
	case strings.Contains(human, "summary of the conversation"):
		return "A conversation with a scripted model."
	}
	return friendly
}

// limitHeaders are what a subscription's limit looks like.
func limitHeaders(s step) http.Header {
	at := time.Now().Add(time.Hour).Truncate(time.Hour)
	if s.d > 0 {
		at = time.Now().Add(s.d)
	}
	reset := strconv.FormatInt(at.Unix(), 10)
	h := http.Header{}
	word, used := "allowed_warning", "0.92"
	if s.text == "rejected" {
		word, used = "rejected", "1.0"
	}
	for k, v := range map[string]string{
		"status": word, "reset": reset, "representative-claim": "five_hour",
		"5h-status": word, "5h-utilization": used, "5h-reset": reset, "5h-surpassed-threshold": "0.9",
	} {
		h.Set("Anthropic-Ratelimit-Unified-"+k, v)
	}
	return h
}
