package policy

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"vyre"
)

// Outward says which calls of an agent leave the machine by a tool made for it, and so
// wait at the gate. The zero value knows the words below alone.
//
// It is about what somebody configured as a sender: an agent that runs curl is asked
// about it like every command, and is not known to send (docs/guide/gate.md).
type Outward struct {
	Tools  []string // further tools, as patterns of the provider's names of them (mcp__chat__*)
	Except []string // tools that are none, whatever their names say
}

// useGate is what an agent is told.
const useGate = "this leaves the machine, and only a person lets that happen: use gate.request"

// outwardWords are verbs by which tools of servers send something to others, or
// change what others see. One of them anywhere in a name makes the tool a sender.
var outwardWords = []string{
	"send", "post", "publish", "merge", "reply", "comment", "tweet", "invite", "submit", "notify", "announce",
	"forward", "broadcast", "share", "deploy", "release", "push", "transfer", "pay", "charge", "purchase", "upload",
}

// readingWords begin the names of tools that only look, whatever else is in them:
// get_post, list_releases.
var readingWords = []string{
	"get", "list", "search", "read", "find", "fetch", "view", "show", "count", "describe", "query", "lookup", "check", "download", "draft",
}

// Judge says whether the call is an outward act, and what to do instead.
func (o Outward) Judge(c Call) (why string, ok bool) {
	if c.Source == "vyre" || matchesAny(o.Except, c.Tool) {
		return "", false
	}
	sends := slices.ContainsFunc(c.Acts, func(a vyre.Act) bool { return a.Kind == vyre.ActSend })
	if sends || matchesAny(o.Tools, c.Tool) {
		return useGate, true
	}
	if server, configured := strings.CutPrefix(c.Source, "config:"); configured && sender(bare(c.Tool, server)) {
		return useGate, true
	}
	return "", false
}

// sender reports whether a tool's own name says that it sends.
func sender(name string) bool {
	words := wordsOf(name)
	if len(words) == 0 || slices.Contains(readingWords, words[0]) {
		return false
	}
	return slices.ContainsFunc(words, func(w string) bool {
		return slices.Contains(outwardWords, w) || slices.Contains(outwardWords, strings.TrimSuffix(w, "s")) ||
			slices.Contains(outwardWords, strings.TrimSuffix(w, "es"))
	})
}

// bare is a tool's name without what a provider puts before it for its server. A
// server's own name says nothing: all of a server called post-office would send.
func bare(tool, server string) string {
	if i := strings.LastIndex(tool, "__"); i >= 0 {
		return tool[i+2:]
	}
	return strings.TrimLeft(strings.TrimPrefix(tool, server), "_.:/-")
}

// wordsOf cuts a name up at everything that is no letter, and where a capital begins.
func wordsOf(name string) []string {
	var b strings.Builder
	small := false
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r):
			b.WriteByte(' ')
		case unicode.IsUpper(r) && small:
			b.WriteByte(' ')
			b.WriteRune(unicode.ToLower(r))
		default:
			b.WriteRune(unicode.ToLower(r))
		}
		small = unicode.IsLower(r)
	}
	return strings.Fields(b.String())
}

func matchesAny(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		ok, err := path.Match(p, name)
		return ok && err == nil
	})
}
