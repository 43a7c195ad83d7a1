package policy

import (
	"slices"
	"strings"
)

// refusedReason returns why a name may never reach an agent, whoever sets it,
// or "" where no class refuses it. Names that were reviewed one by one (the
// allowlist's) pass before this is asked.
func refusedReason(name string) string {
	for _, c := range refusedClasses {
		for _, n := range c.names {
			prefix, family := strings.CutSuffix(n, "*")
			if n == name || family && strings.HasPrefix(name, prefix) {
				return c.why
			}
		}
	}
	return ""
}

// RefusedNames lists what the classes refuse, whoever sets it: the names as they
// are, and of each family one member that nobody has thought of yet. It is for tests
// that start real agents.
func RefusedNames() []string {
	var out []string
	for _, c := range refusedClasses {
		for _, n := range c.names {
			if prefix, family := strings.CutSuffix(n, "*"); family {
				n = strings.TrimSuffix(prefix, "_") + "_NOBODY_THOUGHT_OF"
			}
			if !allowed(n) {
				out = append(out, n)
			}
		}
	}
	return out
}

// refusedClasses holds even for [providers.<name>.env].
var refusedClasses = []group{
	{"it loads code into every program", []string{
		"LD_*", "DYLD_*", "GCONV_PATH", "OPENSSL_CONF", "OPENSSL_MODULES", "OPENSSL_ENGINES",
		"NODE_OPTIONS", "NODE_PATH", "NODE_REPL_EXTERNAL_MODULE", "NODE_CHANNEL_FD", "NODE_INSPECTOR_IPC", "ELECTRON_*", "BUN_*",
		"PYTHON*", "PERL5*", "PERLLIB", "RUBYOPT", "RUBYLIB", "RUBY_*", "LUA_*", "PHPRC", "PHP_INI_SCAN_DIR",
		"R_PROFILE", "R_PROFILE_USER", "R_ENVIRON", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "CLASSPATH",
		"MAVEN_OPTS", "MAVEN_ARGS", "GRADLE_OPTS", "JAVA_OPTS",
		"DOTNET_*", "CORECLR_*", "COR_*", "COMPlus_*", "APPDOMAIN_MANAGER_*",
		"ERL_FLAGS", "ERL_AFLAGS", "ERL_ZFLAGS",
	}},
	{"it runs a command of its own when another program starts", []string{
		"BASH_ENV", "ENV", "PROMPT_COMMAND", "PS0", "PS1", "PS4", "ZDOTDIR", "SHELLOPTS", "BASHOPTS", "BASH_FUNC_*",
		"BASH_LOADABLES_PATH", "IFS", "CDPATH", "GLOBIGNORE", "FPATH", "LESSOPEN", "LESSCLOSE", "MANPAGER", "MANOPT",
		"SSH_ASKPASS", "SUDO_ASKPASS", "GOFLAGS", "GOENV", "CC", "CXX", "LD", "AR", "RUSTC_WRAPPER", "RUSTC", "RUSTFLAGS", "RUSTDOC",
		"CARGO_BUILD_*", "CARGO_TARGET_*", "CARGO_ALIAS_*", "MAKEFLAGS", "GNUMAKEFLAGS", "MFLAGS", "HGRCPATH", "KRB5_CONFIG",
		"GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES",
	}},
	{"it says where a package manager gets packages, or what it runs with them", []string{
		"NPM_CONFIG_*", "npm_config_*", "YARN_*", "PNPM_*", "COREPACK_*", "PIP_*", "PIPX_*", "UV_*", "POETRY_*",
		"BUNDLE_*", "COMPOSER_*", "HOMEBREW_*", "CONAN_*", "VCPKG_*",
	}},
	{"it names a program to run in place of another", []string{
		"ESBUILD_BINARY_PATH", "PUPPETEER_EXECUTABLE_PATH", "PLAYWRIGHT_*", "CHROME_PATH", "DS_CHROMIUM_PATH",
		"COMPUTER_USE_SWIFT_NODE_PATH", "SDK_NATIVE_BIN", "CLAUDE_CODE_EXECPATH", "CLAUDE_CODE_GIT_BASH_PATH",
		"CLAUDE_CODE_POLICY_HELPER_*", "CLAUDE_CODE_PROCESS_WRAPPER", "CLAUDE_CODE_SHELL", "CLAUDE_CODE_SHELL_*",
		"CLAUDE_CODE_TEAMMATE_COMMAND", "CLAUDE_PTY_*",
	}},
	{"it gives the agent settings, plugins or hooks that nobody was shown", []string{
		"CLAUDE_ENV_FILE", "CLAUDE_CODE_MANAGED_*", "CLAUDE_CODE_MOCK_*", "CLAUDE_CODE_PLUGIN_*", "CLAUDE_PLUGIN_*",
		"CLAUDE_CODE_SHOWN_PLUGINS_DIR", "CLAUDE_CODE_DISABLE_ADMIN_ENV_UNION", "CLAUDE_CODE_SYNC_PLUGIN*", "CLAUDE_CODE_DESKTOP_*", "CLAUDE_CODE_USE_COWORK_PLUGINS",
		"CLAUDE_CODE_ENABLE_FUNCTION_HOOKS", "CLAUDE_SCRIPT_HOOK_ACK", "CLAUDE_CODE_SCRIPT_CAPS", "CLAUDE_PROJECT_DIR",
		"CLAUDE_CODE_ADDITIONAL_DIRECTORIES_*", "CLAUDE_STAGE_FILE_ROOT",
	}},
	{"it turns off how the other side of a connection is checked", []string{
		"NODE_TLS_REJECT_UNAUTHORIZED", "GIT_SSL_NO_VERIFY",
	}},
	{"it changes what git does or whom it asks, and was not reviewed by name", []string{"GIT_*"}},
	{"it makes a program believe that it runs inside another agent", []string{
		"CLAUDECODE", "CLAUDE_PID", "CLAUDE_EFFORT", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_CHILD_SESSION",
		"CLAUDE_CODE_MESSAGING_*", "CLAUDE_CODE_SSE_PORT", "CLAUDE_CODE_HOST_*", "CLAUDE_CODE_PROJECT_DIR_NAME", "CLAUDE_AGENT_SDK_*", "AI_AGENT",
		"CODEX_SANDBOX*", "CODEX_THREAD_ID", "CODEX_CI", "CODEX_INTERNAL_*", "GEMINI_CLI", "GEMINI_CLI_*", "OPENCODE", "OPENCODE_*",
		"CURSOR_AGENT", "CURSOR_TRACE_ID", "CURSOR_SESSION_ID", "COPILOT_AGENT_*", "AMP_*", "GOOSE_*", "AGENT_SESSION_ID",
	}},
	{"it changes what the agent asks, runs again by itself or says to us", []string{
		"IS_SANDBOX", "CLAUDE_CODE_RESUME_*", "CLAUDE_CODE_EMIT_*", "CLAUDE_CODE_SDK_*", "CLAUDE_CODE_STARTUP_FAILURE_RESULTS",
		"CLAUDE_CODE_EVEN_MORE_*", "CLAUDE_CODE_EVAL_*", "CLAUDE_CODE_IGNORE_PERSISTED_TRUST", "CLAUDE_CODE_SANDBOX*",
		"CLAUDE_CODE_DISABLE_INLINE_SHELL_RM_PROMPT", "CLAUDE_CODE_DISABLE_DANGEROUS_RM_TIMEOUT", "CLAUDE_CODE_DISABLE_POWERSHELL_CMD_RM_DENY",
		"CLAUDE_CODE_DISABLE_HOOK_FORWARDING", "CLAUDE_CODE_DISABLE_PERMISSION_PROMPT_NOTIFY_HOOKS", "CLAUDE_CODE_DISABLE_ULTRAREVIEW_TRUST_CHECK",
		"CLAUDE_CODE_AUTO_MODE_*", "CLAUDE_CHROME_PERMISSION_MODE", "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP",
	}},
	{"the agent's vendor sets it in a part of its own machinery, which this is not", []string{
		"CLAUDE_BG_*", "CLAUDE_BRIDGE_*", "CLAUDE_CODE_BRIDGE_*", "CLAUDE_CODE_RELAUNCH_*", "CLAUDE_RELAUNCH_*", "CLAUDE_RUNNER_*",
		"CLAUDE_CODE_RUNNER_*", "SELF_HOSTED_*", "CLAUDE_INTERNAL_*", "CLAUDE_CODE_REMOTE*", "CLAUDE_REMOTE_*", "CLAUDE_SSH_*", "CLAUDE_CODE_CCR_*", "CCR_*",
		"CLAUDE_CODE_MCP_SERVE_*", "CLAUDE_CODE_SPAWNED_BY_SERVER", "CLAUDE_CODE_AGENT_PROXY_*", "CLAUDE_CODE_COORDINATOR_*",
		"CLAUDE_CODE_LAUNCHER_*", "CLAUDE_CODE_STARTER_*", "CLAUDE_SESSION_INGRESS_*", "SESSION_INGRESS_URL",
		"CLAUDE_CODE_API_KEY_FILE_DESCRIPTOR", "CLAUDE_CODE_OAUTH_TOKEN_FILE_DESCRIPTOR", "CLAUDE_CODE_WEBSOCKET_AUTH_FILE_DESCRIPTOR",
		"CLAUDE_CODE_GATEWAY_TOKEN_FILE_DESCRIPTOR",
	}},
	{"it is Vyre's own; only Vyre sets it", []string{"VYRE_*"}},
	{"it lets a program act in the person's terminal", []string{"TMUX", "TMUX_*", "STY", "ZELLIJ*", "KITTY_LISTEN_ON", "WEZTERM_UNIX_SOCKET"}},
	{"it reaches a service that starts programs outside the session", []string{
		"DBUS_SESSION_BUS_ADDRESS", "DBUS_SYSTEM_BUS_ADDRESS", "DBUS_STARTER_*", "SYSTEMD_*", "NOTIFY_SOCKET", "LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES",
		"VSCODE_*",
	}},
}

// leftOut are names that were reviewed and stay with the person's terminal.
// [providers.<name>.env] may set them.
var leftOut = []group{
	{"it opens a program that waits for a person, and a session has no terminal", []string{
		"EDITOR", "VISUAL", "PAGER", "LESS", "BROWSER",
	}},
}

// reasons for names of the login shell that no class refuses.
const (
	whySecret   = "it may hold a credential; sessions get none but their own"
	whyProvider = "it steers the agent; where you want it, set it under [providers.<name>.env]"
	whyUnknown  = "nobody reviewed it; where a session needs it, set it under [providers.<name>.env]"
	whyName     = "it is no variable's name"
	whyLong     = "it is longer than a process can be given"
)

// loginReason returns why a name of the login shell's environment is left out.
func loginReason(name string) string {
	if why := refusedReason(name); why != "" {
		return why
	}
	if looksSecret(name) {
		return whySecret
	}
	for _, g := range leftOut {
		if slices.Contains(g.names, name) {
			return g.why
		}
	}
	if hasAnyPrefix(name, "ANTHROPIC_", "CLAUDE_", "OPENAI_", "CODEX_", "DISABLE_", "MCP_", "BASH_") {
		return whyProvider
	}
	return whyUnknown
}

// looksSecret tells by the name alone; values are never looked at.
func looksSecret(name string) bool {
	n := strings.ToUpper(name)
	if hasAnyPrefix(n, "AWS_", "GOOGLE_", "GCP_", "GCLOUD_", "AZURE_", "ARM_", "DOCKER_", "KUBE", "VAULT_", "OP_", "GH_", "GITHUB_", "GITLAB_", "HF_") {
		return true
	}
	words := strings.FieldsFunc(n, func(r rune) bool { return r == '_' })
	for _, w := range words {
		if slices.Contains([]string{
			"TOKEN", "TOKENS", "KEY", "KEYS", "APIKEY", "SECRET", "SECRETS", "PASSWORD", "PASSWD", "PASS", "PASSPHRASE", "PWD",
			"CREDENTIAL", "CREDENTIALS", "CREDS", "AUTH", "COOKIE", "DSN", "PAT", "PRIVATE", "SIGNATURE", "JWT", "BEARER",
		}, w) {
			return true
		}
	}
	return slices.ContainsFunc([]string{"TOKEN", "SECRET", "PASSWORD", "CREDENTIAL", "APIKEY"}, func(s string) bool { return strings.Contains(n, s) })
}

func hasAnyPrefix(s string, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(s, p) })
}
