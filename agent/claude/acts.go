package claude

import (
	"encoding/json"
	"slices"
	"strings"

	"vyre"
	"vyre/agent"
)

// toolActs says what each of the agent's own tools does, and in which members of
// its input it says to what (names as in 2.1.332). Any other tool is unknown.
var toolActs = map[string]toolAct{
	"Bash":         {kind: vyre.ActCommand, command: "command", shell: "bash", plain: []string{"description", "timeout", "run_in_background"}},
	"Monitor":      {kind: vyre.ActCommand, command: "command", shell: "bash", plain: []string{"description", "timeout_ms", "persistent"}},
	"PowerShell":   {kind: vyre.ActCommand, command: "command", shell: "powershell", plain: []string{"description", "timeout", "run_in_background"}},
	"Write":        {kind: vyre.ActWrite, paths: []string{"file_path"}, must: true},
	"Edit":         {kind: vyre.ActWrite, paths: []string{"file_path"}, must: true},
	"MultiEdit":    {kind: vyre.ActWrite, paths: []string{"file_path"}, must: true},
	"NotebookEdit": {kind: vyre.ActWrite, paths: []string{"notebook_path"}, must: true},
	"Read":         {kind: vyre.ActRead, paths: []string{"file_path"}, must: true},
	"NotebookRead": {kind: vyre.ActRead, paths: []string{"notebook_path"}, must: true},
	"LS":           {kind: vyre.ActRead, paths: []string{"path"}},
	"Glob":         {kind: vyre.ActRead, paths: []string{"path"}, pattern: "pattern"},
	"Grep":         {kind: vyre.ActRead, paths: []string{"path"}},
	"WebFetch":     {kind: vyre.ActFetch, url: "url"},
	"WebSearch":    {kind: vyre.ActFetch},
	"Agent":        {kind: vyre.ActAgent},
	"Task":         {kind: vyre.ActAgent}, // its name in lists of tools
	"TodoWrite":    {kind: vyre.ActInert},
	"TaskCreate":   {kind: vyre.ActInert},
	"TaskUpdate":   {kind: vyre.ActInert},
	"TaskList":     {kind: vyre.ActInert},
	"TaskGet":      {kind: vyre.ActInert},
	"TaskOutput":   {kind: vyre.ActInert}, // of its own work in the background
	"TaskStop":     {kind: vyre.ActInert},
	"ToolSearch":   {kind: vyre.ActInert},
}

// toolAct is a row of toolActs.
type toolAct struct {
	kind    vyre.ActKind
	command string   // the member with a command line
	shell   string   // whose language it is in
	plain   []string // members that don't change what a command does; another one does
	pattern string   // the member with a pattern of names, which may begin with a folder
	paths   []string // the members with a path
	must    bool     // without its path the call is not known; else it is about the folder
	url     string
}

// Acts implements agent.Provider. Only the agent's own tools are known: a tool of
// a server may bear any name.
func (*Provider) Acts(tool, source string, input json.RawMessage, cwd string) []agent.Act {
	other := []agent.Act{{Kind: vyre.ActOther, CWD: cwd, Source: source}}
	row, known := toolActs[tool]
	in := fieldsOf(input)
	if !known || source != "builtin" || in == nil {
		return other
	}
	acts := []agent.Act{{Kind: row.kind, CWD: cwd, Source: source}}
	a := &acts[0]
	if row.command != "" {
		text, ok := in.take(row.command)
		if !ok {
			return other
		}
		a.Command, a.Shell = text, row.shell
		for m := range in {
			if !slices.Contains(row.plain, m) { // such as the one that leaves the agent's sandbox
				acts = append(acts, other...)
				a = &acts[0]
				break
			}
		}
	}
	for _, m := range row.paths {
		if path, ok := in.take(m); ok {
			a.Paths = append(a.Paths, path)
		} else if _, there := in[m]; there || row.must {
			return other
		}
	}
	a.Edits = edits(tool, in)
	if row.pattern != "" {
		base, ok := patternBase(in.peek(row.pattern))
		if !ok {
			return other
		}
		if base != "" {
			a.Paths = append(a.Paths, base)
		}
	}
	if row.kind == vyre.ActRead && len(a.Paths) == 0 {
		a.Paths = []string{cwd}
	}
	if row.url != "" {
		url, ok := in.take(row.url)
		if !ok {
			return other
		}
		a.URL = url
	}
	return acts
}

// patternBase is the folder that a pattern of names begins with, or "" for one that
// stays where it is.
func patternBase(p string) (base string, ok bool) {
	if strings.Contains(p, "..") || strings.HasPrefix(p, "~") || strings.Contains(p, "{/") || strings.Contains(p, ",/") {
		return "", false
	}
	if !strings.HasPrefix(p, "/") {
		return "", true
	}
	if i := strings.IndexAny(p, "*?[{(!+@"); i >= 0 {
		p = p[:i]
	}
	return p[:strings.LastIndexByte(p, '/')+1], true
}
