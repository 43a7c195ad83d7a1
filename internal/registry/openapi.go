package registry

import (
	"net/http"
	"slices"
	"strconv"

	"vyre"
)

// doc is a part of the OpenAPI document; encoding/json orders its keys.
type doc map[string]any

// OpenAPI renders the OpenAPI 3.1 document of the HTTP and socket doors, with every
// tool.
func OpenAPI(r *Registry, version string) ([]byte, error) {
	return OpenAPIFor(r, version, "")
}

// OpenAPIFor is the document as one kind of caller has it: with the tools that such a
// caller may call. An empty kind has all.
func OpenAPIFor(r *Registry, version string, kind vyre.CallerKind) ([]byte, error) {
	paths := doc{
		"/healthz":         doc{"get": plain("Whether the daemon answers; needs no sign-in.", healthSchema(), false)},
		"/v1/whoami":       doc{"get": plain("Who the daemon takes the caller for.", whoSchema(), true)},
		"/v1/openapi.json": doc{"get": plain("This document.", doc{"type": "object"}, true)},
		"/v1/events":       doc{"get": eventsOperation()},
	}
	for _, e := range r.Tools() {
		if kind != "" && !slices.Contains(e.Callers, kind) {
			continue
		}
		paths["/v1/tools/"+e.Name] = doc{"post": operation(e)}
	}
	schemas := doc{"Error": errorSchema(), "Event": eventSchema(r), "Resume": resumeSchema()}
	for _, e := range r.Events() {
		schemas["event."+string(e.Kind)] = e.Data()
	}
	return indent(doc{
		"openapi": "3.1.0",
		"info":    doc{"title": "Vyre", "version": version, "description": "Everything Vyre can do, as it is served on the daemon's HTTP port and unix socket."},
		"paths":   paths,
		"components": doc{
			"schemas":   schemas,
			"responses": doc{"Error": doc{"description": "The call was refused or failed.", "content": content(ref("Error"))}},
			"securitySchemes": doc{
				// The port of the door stands behind the name: vyre_session_7797.
				"session": doc{"type": "apiKey", "in": "cookie", "name": "vyre_session"},
				"proof":   doc{"type": "apiKey", "in": "header", "name": "Vyre-Proof"},
			},
		},
		"security": []doc{{"session": []string{}, "proof": []string{}}},
	})
}

func ref(name string) doc { return doc{"$ref": "#/components/schemas/" + name} }

func content(schema any) doc { return doc{"application/json": doc{"schema": schema}} }

// responses has the good answer, and the envelope for every status of the
// catalogue.
func responses(ok doc) doc {
	out := doc{strconv.Itoa(http.StatusOK): ok}
	for _, i := range vyre.Catalogue {
		out[strconv.Itoa(i.HTTP)] = doc{"$ref": "#/components/responses/Error"}
	}
	return out
}

func operation(e Entry) doc {
	return doc{
		"operationId":     e.Name,
		"summary":         e.Summary,
		"requestBody":     doc{"required": true, "content": content(e.In())},
		"responses":       responses(doc{"description": "Done.", "content": content(e.Out())}),
		"x-vyre-effect":   e.Effect,
		"x-vyre-callers":  e.Callers,
		"x-vyre-presence": e.Presence,
	}
}

func plain(summary string, schema doc, signedIn bool) doc {
	d := doc{"summary": summary, "responses": responses(doc{"description": "Done.", "content": content(schema)})}
	if !signedIn {
		d["security"] = []doc{}
		d["responses"] = doc{"200": doc{"description": "Done.", "content": content(schema)}}
	}
	return d
}

func eventsOperation() doc {
	query := func(name, what string, schema doc) doc {
		return doc{"name": name, "in": "query", "description": what, "schema": schema}
	}
	seq := doc{"type": "integer", "minimum": 0}
	return doc{
		"summary": "The log as server-sent events: first one of type resume, then each event as a message whose id is its seq.",
		"parameters": []doc{
			query("after", "Give the events after this seq; 0 starts at the oldest kept.", seq),
			query("thread", "Only of this thread.", doc{"type": "string", "pattern": idPattern}),
			query("kind", "Only of these kinds; may be repeated.", doc{"type": "array", "items": doc{"type": "string"}}),
			query("follow", "false ends at the head.", doc{"type": "boolean", "default": true}),
			{"name": "Last-Event-ID", "in": "header", "description": "The seq read last; wins over after.", "schema": seq},
		},
		"responses": responses(doc{"description": "The stream.", "content": doc{"text/event-stream": doc{"schema": ref("Event")}}}),
	}
}

func healthSchema() doc {
	return doc{"type": "object", "required": []string{"ok"}, "properties": doc{"ok": doc{"type": "boolean"}}}
}

func whoSchema() doc {
	text := doc{"type": "string"}
	return doc{
		"type":     "object",
		"required": []string{"caller", "kind", "id", "surface", "proof", "level"},
		"properties": doc{
			"caller": text, "kind": doc{"type": "string", "enum": vyre.CallerKinds},
			"id": text, "surface": text, "proof": text, "level": text,
		},
	}
}

func resumeSchema() doc {
	seq := doc{"type": "integer", "minimum": 0}
	return doc{
		"type":        "object",
		"description": "The first message of a stream: whether it can go on from the cursor.",
		"required":    []string{"status", "head", "floor"},
		"properties":  doc{"status": doc{"type": "string", "enum": []string{"ok", "gap"}}, "head": seq, "floor": seq},
	}
}

func eventSchema(r *Registry) doc {
	kinds := []vyre.Kind{}
	for _, e := range r.Events() {
		kinds = append(kinds, e.Kind)
	}
	return doc{
		"type":     "object",
		"required": []string{"seq", "ts", "kind", "data"},
		"properties": doc{
			"seq":    doc{"type": "integer", "minimum": 1},
			"ts":     doc{"type": "string", "format": "date-time"},
			"kind":   doc{"type": "string", "enum": kinds},
			"thread": doc{"type": "string", "pattern": idPattern},
			"turn":   doc{"type": "string", "pattern": turnPattern},
			"data":   doc{"type": "object", "description": "By kind: the schema event.KIND."},
		},
	}
}

func errorSchema() doc {
	var codes []vyre.Code
	for _, i := range vyre.Catalogue {
		codes = append(codes, i.Code)
	}
	text := doc{"type": "string"}
	return doc{
		"type":     "object",
		"required": []string{"error"},
		"properties": doc{"error": doc{
			"type":     "object",
			"required": []string{"code", "message", "hint", "retryable", "details"},
			"properties": doc{
				"code": doc{"type": "string", "enum": codes}, "message": text, "hint": text,
				"retryable": doc{"type": "boolean"}, "details": doc{"type": "object"},
			},
		}},
	}
}
