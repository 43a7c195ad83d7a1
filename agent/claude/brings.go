package claude

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"vyre"
	"vyre/agent"
)

// Brings implements agent.Carrier. Whatever the bytes are, it words them: what it does
// not know it shows as it stands.
func (*Provider) Brings(files []agent.FolderFile) agent.Brings {
	var b brings
	acting := map[string]bool{} // skills that act, by folder
	for _, f := range files {
		if path.Base(f.Name) == "SKILL.md" && acts(f.Bytes) {
			acting[path.Dir(f.Name)] = true
		}
	}
	for _, f := range files {
		b.file = f.Name
		switch place := placeOf(f.Name); {
		case place == "settings":
			b.settings(f.Bytes)
		case place == "mcp":
			b.servers(f.Bytes)
		case place == "hooks" || place == "workflows" || place == "launch.json":
			b.program(f)
		case place == "skills" && !strings.HasSuffix(f.Name, ".md"):
			if !slices.ContainsFunc(slices.Collect(maps.Keys(acting)), func(dir string) bool { return strings.HasPrefix(f.Name, dir+"/") }) {
				continue // it is run by a command that is asked about
			}
			b.program(f)
		case strings.HasSuffix(f.Name, ".md") && acts(f.Bytes):
			b.rights(f)
		default:
			b.text(f)
			continue
		}
		b.out.Acts = append(b.out.Acts, f.Name)
	}
	return b.out
}

// placeOf says what a file is by where it lies.
func placeOf(name string) string {
	if path.Base(name) == ".mcp.json" {
		return "mcp"
	}
	_, below, _ := strings.Cut("/"+name, "/.claude/")
	if below == "settings.json" || below == "settings.local.json" {
		return "settings"
	}
	first, _, _ := strings.Cut(below, "/")
	return first
}

type brings struct {
	out  agent.Brings
	file string
}

func (b *brings) add(kind vyre.ThingKind, format string, args ...any) {
	b.out.Things = append(b.out.Things, vyre.BroughtThing{Kind: kind, File: b.file, Words: fmt.Sprintf(format, args...)})
}

// program is a file that is run.
func (b *brings) program(f agent.FolderFile) {
	b.add(vyre.ThingProgram, "the file %s (%d bytes)", f.Name, len(f.Bytes))
}

// rights are words for the agent that come with hooks, tools or servers.
func (b *brings) rights(f agent.FolderFile) {
	b.add(vyre.ThingPermission, "words with rights of their own:\n%s", strings.TrimSpace(string(front(f.Bytes))))
}

func (b *brings) text(f agent.FolderFile) {
	b.add(vyre.ThingText, "%s", strings.TrimSuffix(path.Base(f.Name), ".md"))
}

// settings words a settings.json.
func (b *brings) settings(raw []byte) {
	f := fieldsOf(raw)
	if f == nil {
		b.add(vyre.ThingSetting, "no JSON object, as it stands: %s", raw)
		return
	}
	for _, k := range slices.Sorted(maps.Keys(f)) {
		switch {
		case k == "$schema":
		case k == "hooks":
			b.hooks(f[k])
		case k == "env":
			b.variables(f[k])
		case k == "permissions":
			b.permissions(f[k])
		case strings.Contains(strings.ToLower(k), "mcp"): // which servers go ahead unasked
			b.add(vyre.ThingPermission, "%s: %s", k, compact(f[k]))
		case runs(k):
			b.add(vyre.ThingProgram, "%s: %s", k, plain(f[k]))
		default:
			b.add(vyre.ThingSetting, "%s: %s", k, compact(f[k]))
		}
	}
}

// runs reports whether a setting of that name names a command.
func runs(key string) bool {
	k := strings.ToLower(key)
	return slices.ContainsFunc([]string{"helper", "refresh", "export", "statusline", "command", "wrapper", "shell", "suggestion", "script"},
		func(w string) bool { return strings.Contains(k, w) })
}

// hooks words each command that runs by itself.
func (b *brings) hooks(raw json.RawMessage) {
	events := fieldsOf(raw)
	if events == nil {
		b.add(vyre.ThingHook, "%s", compact(raw))
		return
	}
	for _, event := range slices.Sorted(maps.Keys(events)) {
		var groups []fields
		if json.Unmarshal(events[event], &groups) != nil {
			b.add(vyre.ThingHook, "%s: %s", event, compact(events[event]))
			continue
		}
		for _, g := range groups {
			var list []fields
			where := event
			if m := g.peek("matcher"); m != "" {
				where += " (" + m + ")"
			}
			if json.Unmarshal(g["hooks"], &list) != nil || len(list) == 0 {
				b.add(vyre.ThingHook, "%s: %s", event, compact(member(g)))
				continue
			}
			for _, h := range list {
				b.add(vyre.ThingHook, "%s: %s", where, hookWords(h))
			}
		}
	}
}

// hookWords is a hook's command, and whatever else it says.
func hookWords(h fields) string {
	h = maps.Clone(h)
	cmd, ok := h.take("command")
	if !ok {
		return compact(member(h))
	}
	if h.peek("type") == "command" {
		delete(h, "type")
	}
	if len(h) == 0 {
		return cmd
	}
	return cmd + "  " + compact(member(h))
}

// variables words what is put into the agent's environment.
func (b *brings) variables(raw json.RawMessage) {
	f := fieldsOf(raw)
	if f == nil {
		b.add(vyre.ThingVariable, "%s", compact(raw))
		return
	}
	for _, k := range slices.Sorted(maps.Keys(f)) {
		kind := vyre.ThingVariable
		if up := strings.ToUpper(k); slices.ContainsFunc([]string{"URL", "ENDPOINT", "HOST", "PROXY", "SOCKET"}, func(w string) bool { return strings.Contains(up, w) }) {
			kind = vyre.ThingAddress
		}
		b.add(kind, "%s", pair(k, plain(f[k])))
	}
}

// pair is NAME=VALUE; the value of what looks like a credential is not written down.
func pair(name, value string) string {
	if secretName(name) {
		return fmt.Sprintf("%s=(%d bytes, not shown)", name, len(value))
	}
	return name + "=" + value
}

func secretName(name string) bool {
	n := strings.ToUpper(name)
	return slices.ContainsFunc([]string{"TOKEN", "SECRET", "PASSW", "PASSPHRASE", "CRED", "KEY", "AUTH", "COOKIE", "HEADERS"},
		func(w string) bool { return strings.Contains(n, w) })
}

func (b *brings) permissions(raw json.RawMessage) {
	f := fieldsOf(raw)
	if f == nil {
		b.add(vyre.ThingPermission, "%s", compact(raw))
		return
	}
	for _, k := range slices.Sorted(maps.Keys(f)) {
		var rules []string
		if json.Unmarshal(f[k], &rules) != nil || rules == nil {
			b.add(vyre.ThingPermission, "%s: %s", k, compact(f[k]))
			continue
		}
		for _, r := range rules {
			b.add(vyre.ThingPermission, "%s %s", k, r)
		}
	}
}

// servers words a .mcp.json.
func (b *brings) servers(raw []byte) {
	f := fieldsOf(raw)
	list := fieldsOf(f["mcpServers"])
	if list == nil {
		b.add(vyre.ThingServer, "as it stands: %s", raw)
		return
	}
	for _, name := range slices.Sorted(maps.Keys(list)) {
		s := fieldsOf(list[name])
		if s == nil {
			b.add(vyre.ThingServer, "%s: %s", name, compact(list[name]))
			continue
		}
		b.add(vyre.ThingServer, "%s: %s", name, serverWords(s))
	}
	delete(f, "mcpServers")
	for _, k := range slices.Sorted(maps.Keys(f)) {
		b.add(vyre.ThingServer, "%s: %s", k, compact(f[k]))
	}
}

func serverWords(s fields) string {
	var words []string
	if cmd, ok := s.take("command"); ok {
		words = append(words, quoted(cmd))
		var args []string
		if json.Unmarshal(s["args"], &args) == nil {
			delete(s, "args")
			for _, a := range args {
				words = append(words, quoted(a))
			}
		}
	} else if url, ok := s.take("url"); ok {
		words = append(words, url)
	}
	for _, k := range []string{"env", "headers"} {
		vars := fieldsOf(s[k])
		if vars == nil {
			continue
		}
		delete(s, k)
		for _, n := range slices.Sorted(maps.Keys(vars)) {
			words = append(words, pair(n, plain(vars[n])))
		}
	}
	if len(s) > 0 {
		words = append(words, compact(member(s)))
	}
	return strings.Join(words, " ")
}

// front is the head of a document in Markdown, between its lines of dashes.
func front(doc []byte) []byte {
	doc = bytes.TrimPrefix(doc, []byte("\xef\xbb\xbf"))
	rest, ok := bytes.CutPrefix(bytes.TrimLeft(doc, " \t\r\n"), []byte("---"))
	if !ok {
		return nil
	}
	head, _, _ := bytes.Cut(rest, []byte("\n---"))
	return head
}

// acts reports whether words for the agent bring more than words. Any mention counts:
// to ask about a harmless document is better than to pass over one that is not.
func acts(doc []byte) bool {
	head := strings.ToLower(string(front(doc)))
	for _, w := range []string{"hooks", "allowed-tools", "allowedtools", "tools", "mcpservers", "permissionmode", "permission-mode", "shell", "\\u", "\\x"} {
		if strings.Contains(head, w) {
			return true
		}
	}
	return bytes.Contains(doc, []byte("!`")) || bytes.Contains(doc, []byte("```!"))
}

// compact is JSON on one line, or the bytes where they are none.
func compact(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	return b.String()
}

// plain is a string's own text, or the JSON of anything else.
func plain(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil && string(raw) != "null" {
		return s
	}
	return compact(raw)
}

func member(f fields) json.RawMessage {
	b, err := json.Marshal(f)
	if err != nil { // members of a decoded object
		return nil
	}
	return b
}

// quoted is a word of a command as a shell would need it.
func quoted(w string) string {
	if w != "" && !strings.ContainsAny(w, " \t\r\n'\"\\$`;&|<>()*?[]{}~#!") {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}
