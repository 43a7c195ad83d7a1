package engine

import (
	"encoding/json"
	"fmt"
	"strings"

	"vyre"
)

// headings of what a folder brings.
var headings = map[vyre.ThingKind]string{
	vyre.ThingHook:       "Commands that run by themselves",
	vyre.ThingProgram:    "Other programs that are run",
	vyre.ThingServer:     "Servers that are started or called",
	vyre.ThingAddress:    "Where requests go",
	vyre.ThingVariable:   "Variables of the agent's environment",
	vyre.ThingPermission: "What the agent may do unasked, and may not",
	vyre.ThingSetting:    "Other settings",
	vyre.ThingText:       "Words for the agent (their text may change)",
}

// displayOf is the whole of what a folder brings, for reading.
func displayOf(b vyre.Brought) string {
	var s strings.Builder
	s.WriteString(b.Path + "\n")
	last := vyre.ThingKind("")
	for _, t := range b.Things {
		if t.Kind != last {
			fmt.Fprintf(&s, "\n%s:\n", headings[t.Kind])
			last = t.Kind
		}
		fmt.Fprintf(&s, "- %s  [%s]\n", strings.ReplaceAll(t.Words, "\n", "\n  "), t.File)
	}
	s.WriteString("\nPrograms that these run are not part of what you see: what lies elsewhere may change.")
	return s.String()
}

// inputOf is the same for programs.
func inputOf(b vyre.Brought) json.RawMessage {
	in := struct {
		Path     string              `json:"path"`
		Provider string              `json:"provider"`
		Digest   string              `json:"digest"`
		Files    []vyre.BroughtFile  `json:"files"`
		Things   []vyre.BroughtThing `json:"things"`
	}{b.Path, b.Provider, b.Digest, b.Files, b.Things}
	if in.Files == nil {
		in.Files = []vyre.BroughtFile{}
	}
	raw, err := json.Marshal(in)
	if err != nil {
		panic("engine: what a folder brings is plain data: " + err.Error())
	}
	return raw
}

// summary counts things, the weightiest first: "2 hooks, 1 server".
func summary(things []vyre.BroughtThing) string {
	n := map[vyre.ThingKind]int{}
	for _, t := range things {
		n[t.Kind]++
	}
	var words []string
	for _, k := range vyre.ThingKinds {
		if n[k] > 0 {
			words = append(words, count(n[k], string(k)))
		}
	}
	if len(words) == 0 {
		return "settings"
	}
	return strings.Join(words, ", ")
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	if what == string(vyre.ThingAddress) {
		what += "e"
	}
	return fmt.Sprintf("%d %ss", n, what)
}
