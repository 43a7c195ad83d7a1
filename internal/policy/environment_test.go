package policy

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestEnvironment(t *testing.T) {
	// The agent gets reviewed names, the settings as written and ours; ours wins, the login shell loses.
	env, refused := Environment(
		[]string{"PATH=/a", "PATH=/b", "HOME=/h", "LC_ALL=C", "EDITOR=vi", "https_proxy=http://p", "NODE_OPTIONS=--x", "CLAUDECODE=1", "MY_VAR=1"},
		map[string]string{"ANTHROPIC_BASE_URL": "http://127.0.0.1:1", "HOME": "/other", "LD_PRELOAD": "x", "GIT_AUTHOR_NAME": "N"},
		[]string{"VYRE_SOCKET=/s", "EDITOR=true"},
	)
	want := []string{
		"ANTHROPIC_BASE_URL=http://127.0.0.1:1", "EDITOR=true", "GIT_AUTHOR_NAME=N", "HOME=/other",
		"LC_ALL=C", "PATH=/b", "VYRE_SOCKET=/s", "https_proxy=http://p",
	}
	if d := cmp.Diff(want, env); d != "" {
		t.Fatal(d)
	}
	var names []string
	for _, r := range refused {
		names = append(names, r.From+":"+r.Name)
		if r.Reason == "" {
			t.Errorf("%s is refused without a reason", r.Name)
		}
	}
	if d := cmp.Diff([]string{"login:CLAUDECODE", "login:EDITOR", "login:MY_VAR", "login:NODE_OPTIONS", "provider:LD_PRELOAD"}, names); d != "" {
		t.Fatal(d)
	}
}

func TestEnvironmentLeaksNothing(t *testing.T) {
	// No credential and no host agent's mark of the daemon's own environment is in any agent's.
	canaries := []string{
		"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN", "OPENAI_API_KEY", "GITHUB_TOKEN", "GH_TOKEN", "NPM_TOKEN",
		"AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE", "GOOGLE_APPLICATION_CREDENTIALS", "MY_SECRET", "DATABASE_URL", "DB_PASSWORD",
		"MISE_GITHUB_TOKEN", "ASDF_GITHUB_API_KEY", "XDG_SECRET", "CLAUDECODE", "CLAUDE_CODE_MESSAGING_TOKEN", "CLAUDE_CODE_ENTRYPOINT", "AI_AGENT",
		"VYRE_HOME", "VYRE_SOCKET", "LD_LIBRARY_PATH", "BASH_ENV", "ENV", "GIT_DIR", "GIT_SSH_COMMAND", "PYTHONSTARTUP", "PERL5OPT", "RUBYOPT",
		"JAVA_TOOL_OPTIONS", "DBUS_SESSION_BUS_ADDRESS", "TMUX", "BASH_FUNC_ls%%", "npm_config_registry", "GOFLAGS", "lowercase_token",
	}
	var login []string
	for _, c := range canaries {
		login = append(login, c+"=canary")
	}
	env, refused := Environment(login, nil, nil)
	if len(env) != 0 {
		t.Errorf("these passed: %v", env)
	}
	if len(refused) != len(canaries) {
		t.Errorf("%d were refused with a reason, want %d", len(refused), len(canaries))
	}
}

func TestProviderClasses(t *testing.T) {
	// The settings may say what the vendor offers, but not how programs start.
	for name, pass := range map[string]bool{
		"ANTHROPIC_BASE_URL": true, "ANTHROPIC_API_KEY": true, "ANTHROPIC_MODEL": true, "CLAUDE_CODE_MAX_RETRIES": true, "CLAUDE_CONFIG_DIR": true,
		"MY_VAR": true, "NODE_EXTRA_CA_CERTS": true, "GIT_SSL_CAINFO": true, "HTTPS_PROXY": true, "PATH": true,
		"LD_PRELOAD": false, "DYLD_INSERT_LIBRARIES": false, "NODE_OPTIONS": false, "BASH_ENV": false, "ENV": false, "GIT_SSH_COMMAND": false,
		"GIT_CONFIG_COUNT": false, "PYTHONSTARTUP": false, "PERL5OPT": false, "RUBYOPT": false, "JAVA_TOOL_OPTIONS": false, "CLAUDECODE": false,
		"VYRE_SOCKET": false, "VYRE_HOME": false, "IS_SANDBOX": false, "CLAUDE_CODE_RESUME_INTERRUPTED_TURN": false, "A=B": false, "": false,
	} {
		env, refused := Environment(nil, map[string]string{name: "v"}, nil)
		if got := len(env) == 1; got != pass || len(refused) == 1 == pass {
			t.Errorf("%q: passed %v, want %v (%v)", name, got, pass, refused)
		}
	}
	if got := Exposed(map[string]string{"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": "u"}); !slices.Equal(got, []string{"ANTHROPIC_API_KEY"}) {
		t.Errorf("exposed: %v", got)
	}
}

func TestRefusedClasses(t *testing.T) {
	// Nothing that changes how programs run reaches an agent, whoever sets it: by list and by prefix, also members that come later.
	for class, names := range map[string][]string{
		"code":             {"LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES", "PYTHONPATH", "PYTHONHOME", "PYTHONANYTHING", "PERL5OPT", "PERL5ANY", "RUBYOPT", "LUA_PATH", "LUA_INIT_5_4"},
		"runtimes":         {"NODE_OPTIONS", "BUN_INSPECT_PRELOAD", "DOTNET_STARTUP_HOOKS", "DOTNET_ANY", "COR_PROFILER", "CORECLR_PROFILER", "COMPlus_ANY", "APPDOMAIN_MANAGER_ASM", "APPDOMAIN_MANAGER_TYPE", "JAVA_TOOL_OPTIONS"},
		"git":              {"GIT_SSH_COMMAND", "GIT_EXTERNAL_DIFF", "GIT_PAGER", "GIT_EDITOR", "GIT_EXEC_PATH", "GIT_CONFIG_COUNT", "GIT_ANYTHING"},
		"shells":           {"BASH_ENV", "ENV", "PROMPT_COMMAND", "PS4", "BASH_FUNC_ls%%", "LESSOPEN", "CLAUDE_CODE_SHELL", "CLAUDE_CODE_SHELL_PREFIX"},
		"env file":         {"CLAUDE_ENV_FILE"},
		"settings":         {"CLAUDE_CODE_MANAGED_SETTINGS_PATH", "CLAUDE_CODE_REMOTE_SETTINGS_PATH", "CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD"},
		"plugin dirs":      {"CLAUDE_CODE_PLUGIN_DIRS", "CLAUDE_CODE_PLUGIN_SEED_DIR", "CLAUDE_PLUGIN_ROOT"},
		"package managers": {"npm_config_registry", "NPM_CONFIG_SCRIPT_SHELL", "YARN_RC_FILENAME", "PIP_INDEX_URL", "UV_INDEX_URL", "PNPM_ANY", "BUNDLE_GEMFILE"},
		"binary paths":     {"CLAUDE_CODE_EXECPATH", "CLAUDE_CODE_PROCESS_WRAPPER", "ESBUILD_BINARY_PATH", "CHROME_PATH"},
		"asking":           {"IS_SANDBOX", "CLAUDE_CODE_EVEN_MORE_ANYTHING", "CLAUDE_CODE_SANDBOXED"},
	} {
		for _, name := range names {
			if env, _ := Environment([]string{name + "=v"}, map[string]string{name: "v"}, nil); len(env) != 0 {
				t.Errorf("%s: %s passed", class, name)
			}
		}
	}
	// What a person's terminal needs and a session has no use for stays out of it, but may be set for it.
	for _, name := range []string{"EDITOR", "VISUAL", "PAGER", "LESS", "CODEX_HOME", "ANTHROPIC_BASE_URL"} {
		if env, _ := Environment([]string{name + "=v"}, nil, nil); len(env) != 0 {
			t.Errorf("%s passed from the login shell", name)
		}
		if env, _ := Environment(nil, map[string]string{name: "v"}, nil); len(env) != 1 {
			t.Errorf("%s can't be set", name)
		}
	}
}

func TestLacks(t *testing.T) {
	// An environment without a home, or without a way to find programs, is not one to start an agent in.
	for want, env := range map[string][]string{
		"HOME": {"PATH=/bin", "XHOME=/h"}, "PATH": {"HOME=/h", "PATH="}, "": {"HOME=/h", "PATH=/bin"},
	} {
		if got := Lacks(env); got != want {
			t.Errorf("%v lacks %q, want %q", env, got, want)
		}
	}
}

func TestEnvironmentIsWellFormed(t *testing.T) {
	// Whatever comes in, what goes out is sorted, names nothing twice and fits an exec.
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.OneOf(rapid.SampledFrom([]string{"PATH", "HOME", "LD_X", "", "LC_ALL", "A B"}), rapid.String())
		env, _ := Environment(
			rapid.SliceOf(rapid.Map(name, func(n string) string { return n + "=v" })).Draw(t, "login"),
			rapid.MapOf(name, rapid.String()).Draw(t, "provider"),
			[]string{"VYRE_THREAD=x"},
		)
		var names []string
		for _, kv := range env {
			n, v, ok := strings.Cut(kv, "=")
			if !ok || n == "" || strings.Contains(v, "\x00") {
				t.Fatalf("malformed %q", kv)
			}
			names = append(names, n)
		}
		if !slices.IsSorted(names) || len(slices.Compact(names)) != len(env) {
			t.Fatalf("not sorted or not unique: %q", env)
		}
	})
	long := strings.Repeat("x", 200_000)
	if env, refused := Environment([]string{"PATH=" + long}, map[string]string{"X": long}, nil); len(env) != 0 || len(refused) != 2 {
		t.Errorf("a variable too long for exec passed: %d, %v", len(env), refused)
	}
}

func TestTablesAreClean(t *testing.T) {
	// Each list says why, and no reviewed name is listed twice.
	seen := map[string]bool{}
	for _, g := range slices.Concat(allowlist, refusedClasses, leftOut) {
		if g.why == "" {
			t.Errorf("no reason for %v", g.names)
		}
		for _, n := range g.names {
			if seen[n] {
				t.Errorf("%s is listed twice", n)
			}
			seen[n] = true
		}
	}
}
