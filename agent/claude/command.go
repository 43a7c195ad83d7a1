package claude

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"vyre"
	"vyre/agent"
)

var uuidPattern = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)

// Command implements agent.Provider. The arguments are those of the official
// SDK (0.3.332): flags and values joined with "=".
func (*Provider) Command(o agent.Options) (agent.Command, error) {
	mode, err := check(o)
	if err != nil {
		return agent.Command{}, err
	}
	args := []string{
		"--output-format", "stream-json", "--verbose", "--input-format", "stream-json",
		"--thinking-display=summarized",
	}
	args = append(args, bounds(o)...)
	if o.Model != "" {
		args = append(args, "--model="+o.Model)
	}
	args = append(args, "--permission-prompt-tool=stdio")
	switch {
	case o.ForkOf != "":
		args = append(args, "--resume="+o.ForkOf)
	case o.Resume:
		args = append(args, "--resume="+o.NativeID)
	}
	if o.Bare {
		args = append(args, "--tools=", "--strict-mcp-config")
	}
	args = append(args, sources(o)...)
	args = append(args, "--permission-mode="+mode, "--include-partial-messages",
		"--forward-subagent-text", "--replay-user-messages")
	if o.ForkOf != "" {
		args = append(args, "--fork-session")
	}
	if o.ResumeAt != "" {
		args = append(args, "--resume-session-at="+o.ResumeAt)
	}
	if !o.Resume && o.NativeID != "" {
		args = append(args, "--session-id="+o.NativeID)
	}
	c := agent.Command{Path: o.Binary, Args: args, Dir: o.CWD, Env: environment(o)}
	if o.Credential != nil {
		c.OneShot = [][]byte{slices.Clone(o.Credential.Value)}
	}
	return c, nil
}

// bounds are how hard the model thinks and what the process may use.
func bounds(o agent.Options) []string {
	var args []string
	if o.Effort != "" {
		args = append(args, "--effort="+o.Effort)
	}
	if o.MaxTurns > 0 {
		args = append(args, "--max-turns="+strconv.Itoa(o.MaxTurns))
	}
	if o.BudgetMicros > 0 {
		args = append(args, fmt.Sprintf("--max-budget-usd=%d.%06d", o.BudgetMicros/1e6, o.BudgetMicros%1e6))
	}
	return args
}

// check refuses what can't be said on the command line.
func check(o agent.Options) (mode string, err error) {
	mode, ok := nativeMode(o.Mode)
	if err := checkMore(o); err != nil {
		return "", err
	}
	switch {
	case !ok:
		return "", vyre.Invalid("mode", "there is no mode %q; the modes are ask, edits and plan", o.Mode)
	case !filepath.IsAbs(o.CWD):
		return "", vyre.Invalid("cwd", "the folder must be an absolute path")
	case !filepath.IsAbs(o.Binary):
		return "", vyre.Invalid("binary", "the agent's program must be an absolute path")
	case strings.ContainsAny(o.Model, "\x00\n"):
		return "", vyre.Invalid("model", "a model is a single word")
	case o.NativeID != "" && !uuidPattern.MatchString(o.NativeID):
		return "", vyre.Invalid("native_id", "a session of Claude Code is named by a UUID")
	case o.Resume && o.NativeID == "":
		return "", vyre.Invalid("native_id", "there is no session to resume")
	case o.Credential != nil && descriptorName(o.Credential.Kind) == "":
		return "", vyre.Invalid("credential", "Claude Code takes no credential of kind %q", o.Credential.Kind)
	}
	return mode, nil
}

func checkMore(o agent.Options) error {
	switch {
	case o.ForkOf != "" && !uuidPattern.MatchString(o.ForkOf):
		return vyre.Invalid("fork_of", "a session of Claude Code is named by a UUID")
	case o.ForkOf != "" && (o.Resume || o.NativeID == "" || o.NativeID == o.ForkOf):
		return vyre.Invalid("fork_of", "a fork begins under an id of its own")
	case o.ResumeAt != "" && !o.Resume && o.ForkOf == "":
		return vyre.Invalid("resume_at", "only a conversation that is resumed or forked can be cut")
	case o.ResumeAt != "" && !uuidPattern.MatchString(o.ResumeAt):
		return vyre.Invalid("resume_at", "this names no row of a history")
	case o.MaxTurns < 0:
		return vyre.Invalid("max_turns", "a bound can't be negative")
	case o.BudgetMicros < 0:
		return vyre.Invalid("budget_micros", "a bound can't be negative")
	}
	for _, t := range o.Tools {
		if !toolName.MatchString(t.Name) {
			return vyre.Invalid("tools", "%q is no name of a tool: a-z, 0-9 and _, at most 64", t.Name)
		}
	}
	for _, h := range o.Hooks {
		if _, ok := hookNames[h]; !ok {
			return vyre.Invalid("hooks", "there is no hook of kind %q", h)
		}
	}
	return checkEffort(o.Effort)
}

var toolName = regexp.MustCompile(`^[a-z0-9_]{1,64}$`)

func descriptorName(k agent.CredentialKind) string {
	switch k {
	case agent.CredentialAPIKey:
		return "CLAUDE_CODE_API_KEY_FILE_DESCRIPTOR"
	case agent.CredentialOAuthToken:
		return "CLAUDE_CODE_OAUTH_TOKEN_FILE_DESCRIPTOR"
	}
	return ""
}

// dropped never reach the agent: what another agent's shell left there, what
// changes how it runs, and what would start it in a state that nobody asked for.
var dropped = []string{
	"NODE_OPTIONS", "DEBUG", "CLAUDECODE", "AI_AGENT", "IS_SANDBOX",
	"CLAUDE_PID", "CLAUDE_EFFORT", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_CHILD_SESSION",
	"CLAUDE_CODE_CHILD_NOTES_DIR", "CLAUDE_CODE_SESSION_ATTENDED", "CLAUDE_CODE_EXECPATH",
	"CLAUDE_CODE_MESSAGING_SOCKET", "CLAUDE_CODE_MESSAGING_TOKEN", "CLAUDE_CODE_SSE_PORT",
	"CLAUDE_CODE_RESUME_INTERRUPTED_TURN", "CLAUDE_CODE_RESUME_REASON",
	"CLAUDE_CODE_ENTRYPOINT", "CLAUDE_AGENT_SDK_VERSION",
	"CLAUDE_CODE_SDK_READS_SESSION_STATE", "CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS",
	"CLAUDE_CODE_API_KEY_FILE_DESCRIPTOR", "CLAUDE_CODE_OAUTH_TOKEN_FILE_DESCRIPTOR",
	"CLAUDE_CODE_GATEWAY_TOKEN_FILE_DESCRIPTOR", "CLAUDE_CODE_WEBSOCKET_AUTH_FILE_DESCRIPTOR",
}

// credentials give way to the one that was handed over.
var credentials = []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"}

// optOuts are the vendor's own switches for traffic beside the model.
var optOuts = []string{
	"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_TELEMETRY=1",
	"DISABLE_ERROR_REPORTING=1", "DISABLE_FEEDBACK_COMMAND=1", "CLAUDE_CODE_DISABLE_FEEDBACK_SURVEY=1",
}

// environment is o.Env with what the protocol needs.
func environment(o agent.Options) []string {
	own := []string{
		"CLAUDE_CODE_ENTRYPOINT=sdk-ts", "CLAUDE_AGENT_SDK_VERSION=" + sdkVersion,
		"CLAUDE_CODE_SDK_READS_SESSION_STATE=1", "BUN_ENABLE_CRASH_REPORTING=0",
		"DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING=true",
	}
	if !o.NonessentialTraffic {
		own = append(own, optOuts...)
	}
	if !o.Bare && !o.FolderSettings {
		own = append(own, folderText)
	}
	out := slices.Clone(dropped)
	if o.Credential != nil {
		out = append(out, credentials...)
		own = append(own, descriptorName(o.Credential.Kind)+"=3")
	}
	for _, kv := range own {
		name, _, _ := strings.Cut(kv, "=")
		out = append(out, name)
	}
	env := slices.DeleteFunc(slices.Clone(o.Env), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return slices.Contains(out, name)
	})
	return append(env, own...)
}
