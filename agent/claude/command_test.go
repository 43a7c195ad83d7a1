package claude_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vyre"
	"vyre/agent"
)

const session = "11111111-1111-4111-8111-111111111111"

const other = "22222222-2222-4222-8222-222222222222"

func fork(o *agent.Options) { o.ForkOf = other }

func options() agent.Options {
	return agent.Options{CWD: "/work", Binary: "/opt/claude", NativeID: session, Env: []string{"PATH=/bin", "HOME=/home/tester"}}
}

func TestCommand(t *testing.T) {
	// The command line is the official SDK's, with thinking asked for in summarised form.
	c, err := provider.Command(options())
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"--output-format", "stream-json", "--verbose", "--input-format", "stream-json",
		"--thinking-display=summarized", "--permission-prompt-tool=stdio",
		"--setting-sources=user", "--add-dir=/work", "--permission-mode=default",
		"--include-partial-messages", "--forward-subagent-text", "--replay-user-messages",
		"--session-id=" + session,
	}
	if d := cmp.Diff(want, c.Args); d != "" {
		t.Errorf("arguments (-want +got):\n%s", d)
	}
	if c.Path != "/opt/claude" || c.Dir != "/work" || c.OneShot != nil {
		t.Errorf("command: %+v", c)
	}
}

func TestCommandOptions(t *testing.T) {
	// Each option shows in the command line in one place.
	for name, c := range map[string]struct {
		set  func(*agent.Options)
		has  string
		hasn string
	}{
		"resume":      {func(o *agent.Options) { o.Resume = true }, "--resume=" + session, "--session-id=" + session},
		"model":       {func(o *agent.Options) { o.Model = "opus" }, "--model=opus", ""},
		"edits":       {func(o *agent.Options) { o.Mode = vyre.ModeEdits }, "--permission-mode=acceptEdits", ""},
		"plan":        {func(o *agent.Options) { o.Mode = vyre.ModePlan }, "--permission-mode=plan", ""},
		"effort":      {func(o *agent.Options) { o.Effort = "high" }, "--effort=high", ""},
		"rounds":      {func(o *agent.Options) { o.MaxTurns = 1 }, "--max-turns=1", ""},
		"budget":      {func(o *agent.Options) { o.BudgetMicros = 1_050_000 }, "--max-budget-usd=1.050000", ""},
		"fork":        {fork, "--fork-session", "--resume=" + session},
		"forked from": {fork, "--resume=" + other, "--session-id=" + other},
		"forked to":   {fork, "--session-id=" + session, ""},
		"cut":         {func(o *agent.Options) { o.Resume, o.ResumeAt = true, other }, "--resume-session-at=" + other, ""},
		"no tools":    {func(o *agent.Options) { o.Bare = true }, "--tools=", ""},
		"bare":        {func(o *agent.Options) { o.Bare = true }, "--setting-sources=", "--setting-sources=user"},
		"seen folder": {func(o *agent.Options) { o.FolderSettings = true }, "--setting-sources=user,project,local", "--add-dir=/work"},
		"bare folder": {func(o *agent.Options) { o.Bare, o.FolderSettings = true, true }, "--setting-sources=", "--setting-sources=user,project,local"},
	} {
		t.Run(name, func(t *testing.T) {
			o := options()
			c.set(&o)
			cmd, err := provider.Command(o)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Contains(cmd.Args, c.has) || slices.Contains(cmd.Args, c.hasn) {
				t.Errorf("arguments: %q", cmd.Args)
			}
		})
	}
}

func TestCommandRefuses(t *testing.T) {
	// What can't be said is refused whole, naming the field.
	for field, set := range map[string]func(*agent.Options){
		"cwd":           func(o *agent.Options) { o.CWD = "work" },
		"binary":        func(o *agent.Options) { o.Binary = "claude" },
		"mode":          func(o *agent.Options) { o.Mode = "bypassPermissions" },
		"native_id":     func(o *agent.Options) { o.NativeID = "--continue" },
		"fork_of":       func(o *agent.Options) { o.ForkOf, o.Resume = other, true },
		"resume_at":     func(o *agent.Options) { o.ResumeAt = other },
		"effort":        func(o *agent.Options) { o.Effort = "huge" },
		"tools":         func(o *agent.Options) { o.Tools = []agent.ToolSpec{{Name: "a b"}} },
		"hooks":         func(o *agent.Options) { o.Hooks = []agent.HookKind{"other"} },
		"max_turns":     func(o *agent.Options) { o.MaxTurns = -1 },
		"budget_micros": func(o *agent.Options) { o.BudgetMicros = -1 },
		"credential":    func(o *agent.Options) { o.Credential = &agent.Credential{Kind: "password"} },
	} {
		o := options()
		set(&o)
		_, err := provider.Command(o)
		if e := vyre.AsError(err); e == nil || e.Code != vyre.CodeInvalid || e.Field != field {
			t.Errorf("%s: got %v", field, err)
		}
	}
}

func TestEnvironment(t *testing.T) {
	// What another agent left in the environment, and what would change how this one
	// starts, is taken out; the vendor's opt-outs are in unless they were declined.
	o := options()
	o.Env = []string{
		"PATH=/bin", "NODE_OPTIONS=x", "DEBUG=1", "CLAUDECODE=1", "CLAUDE_CODE_MESSAGING_TOKEN=x", "IS_SANDBOX=1",
		"CLAUDE_CODE_RESUME_INTERRUPTED_TURN=1", "CLAUDE_CODE_OAUTH_TOKEN_FILE_DESCRIPTOR=9", "ANTHROPIC_API_KEY=mine", "DISABLE_AUTOUPDATER=0",
	}
	c, err := provider.Command(o)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"PATH=/bin", "ANTHROPIC_API_KEY=mine", "CLAUDE_CODE_ENTRYPOINT=sdk-ts", "CLAUDE_AGENT_SDK_VERSION=0.3.332",
		"CLAUDE_CODE_SDK_READS_SESSION_STATE=1", "BUN_ENABLE_CRASH_REPORTING=0", "DISABLE_AUTOUPDATER=1",
		"CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING=true",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1",
		"DISABLE_FEEDBACK_COMMAND=1", "CLAUDE_CODE_DISABLE_FEEDBACK_SURVEY=1",
		"CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD=1",
	}
	if d := cmp.Diff(want, c.Env); d != "" {
		t.Errorf("environment (-want +got):\n%s", d)
	}
	o.NonessentialTraffic = true
	o.Credential = &agent.Credential{Kind: agent.CredentialAPIKey, Value: []byte("sk")}
	c, err = provider.Command(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, kv := range c.Env {
		if strings.HasPrefix(kv, "ANTHROPIC_API_KEY=") || strings.Contains(kv, "NONESSENTIAL") || strings.Contains(kv, "sk") && !strings.Contains(kv, "sdk") {
			t.Errorf("environment holds %q", kv)
		}
	}
	if !slices.Contains(c.Env, "CLAUDE_CODE_API_KEY_FILE_DESCRIPTOR=3") || string(c.OneShot[0]) != "sk" {
		t.Errorf("the credential is not on descriptor 3: %q", c.Env)
	}
}

func TestNoPathSkipsAsks(t *testing.T) {
	// No code of this package names a flag or mode that skips asks.
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, bad := range []string{"dangerously", "skip-permissions", "bypass", "dontAsk", "--allowed"} {
			if strings.Contains(strings.ToLower(string(src)), strings.ToLower(bad)) {
				t.Errorf("%s names %q", f, bad)
			}
		}
	}
}
