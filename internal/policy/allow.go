package policy

import "strings"

// allowed says of a name of the login shell's environment whether it was
// reviewed and may reach an agent. Anything else may not: a session runs what a
// model writes, so it gets what programs need to work and no more.
func allowed(name string) bool {
	for _, g := range allowlist {
		for _, n := range g.names {
			if prefix, ok := strings.CutSuffix(n, "*"); ok {
				// A family takes new members over time, so a member that looks
				// like a credential is not one that was reviewed.
				if strings.HasPrefix(name, prefix) && !looksSecret(name) {
					return true
				}
			} else if n == name {
				return true
			}
		}
	}
	return false
}

// group is a set of reviewed names with the reason why they pass.
type group struct {
	why   string
	names []string
}

// allowlist is the whole of what passes from the login shell. A name ending in
// * is a family.
var allowlist = []group{
	{"who and where the person is", []string{
		"HOME", "USER", "LOGNAME", "SHELL", "PATH", "MANPATH", "INFOPATH", "HOSTNAME",
		"TMPDIR", "TEMP", "TMP", "XDG_*", "__CF_USER_TEXT_ENCODING",
	}},
	{"language, time and looks", []string{
		"LANG", "LANGUAGE", "LC_*", "LOCALE_ARCHIVE", "TZ", "TERM", "COLORTERM", "TERMINFO",
		"LS_COLORS", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE",
	}},
	{"the person's signing agent: the key stays in it; a session can use it while it is unlocked", []string{
		"SSH_AUTH_SOCK", "GNUPGHOME",
	}},
	{"how this network is reached", []string{
		"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "FTP_PROXY",
		"http_proxy", "https_proxy", "all_proxy", "no_proxy", "ftp_proxy",
	}},
	{"which certificates this network needs", []string{
		"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE",
		"CURL_CA_BUNDLE", "GIT_SSL_CAINFO", "NIX_SSL_CERT_FILE", "PIP_CERT",
	}},
	{"version managers and tool homes: without them PATH names programs that don't start", []string{
		"NVM_DIR", "NVM_BIN", "NVM_INC", "FNM_DIR", "FNM_MULTISHELL_PATH", "FNM_ARCH", "FNM_VERSION_FILE_STRATEGY",
		"N_PREFIX", "NODENV_ROOT", "VOLTA_HOME", "PNPM_HOME", "BUN_INSTALL", "DENO_DIR", "DENO_INSTALL",
		"PYENV_ROOT", "PYENV_VERSION", "PYENV_SHELL", "VIRTUAL_ENV", "CONDA_PREFIX", "CONDA_DEFAULT_ENV", "CONDA_EXE",
		"CONDA_PYTHON_EXE", "MAMBA_ROOT_PREFIX", "POETRY_HOME", "PIPX_HOME", "PIPX_BIN_DIR", "UV_CACHE_DIR",
		"RBENV_ROOT", "RBENV_VERSION", "RBENV_SHELL", "GEM_HOME", "GEM_PATH", "ASDF_*", "MISE_*", "SDKMAN_DIR",
		"CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN", "JAVA_HOME", "JENV_ROOT", "M2_HOME", "MAVEN_HOME",
		"GRADLE_HOME", "GRADLE_USER_HOME", "ANDROID_HOME", "ANDROID_SDK_ROOT", "ANDROID_NDK_HOME",
		"GOPATH", "GOROOT", "GOBIN", "GOCACHE", "GOMODCACHE", "GOPROXY", "GONOPROXY", "GOPRIVATE", "GOSUMDB",
		"GONOSUMDB", "GOTOOLCHAIN", "GOENV_ROOT", "GO111MODULE", "DOTNET_ROOT", "OPAMROOT", "STACK_ROOT",
		"HOMEBREW_PREFIX", "HOMEBREW_CELLAR", "HOMEBREW_REPOSITORY", "NIX_PATH", "NIX_PROFILES",
	}},
	{"whose name a commit bears", []string{
		"GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "GIT_TERMINAL_PROMPT",
	}},
	{"how a program prints", []string{"PYTHONUNBUFFERED", "PYTHONIOENCODING", "PYTHONUTF8", "PYTHONDONTWRITEBYTECODE"}},
	{"the screen, for programs that open a window", []string{"DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY"}},
	{"where the agent keeps its own settings and history", []string{"CLAUDE_CONFIG_DIR"}},
}
