package policy

import "vyre"

const (
	deny = vyre.VerdictDeny
	ask  = vyre.VerdictAsk
)

// places is the floor's map: what no agent may write whoever says yes, what is
// always asked, and what may not be read. Within one anchor the first row that a
// name fits decides, so exceptions stand before what they are exceptions of.
var places = []place{
	// Agents' own settings. Who writes these decides what is asked at all.
	{anywhere, []string{".claude/worktrees/**"}, "", "", "is a work tree"},
	{anywhere, []string{".claude/plans", ".claude/plans/*.md"}, "", "", "is a plan"},
	{anywhere, []string{".claude/projects/*/memory", ".claude/projects/*/memory/*.md"}, "", "", "is what the agent keeps in mind"},
	{anywhere, []string{".claude/.credentials.json"}, deny, ask, "holds the agent's credential"},
	{anywhere, []string{".claude/claude.md", ".claude/rules/*.md"}, ask, "", "is read by every later session as instructions"},
	{anywhere, []string{".claude/**"}, deny, "", "decides what an agent may do without asking (settings, hooks, agents, commands, skills)"},
	{anywhere, []string{".claude.json", ".claude.json.*"}, deny, ask, "holds the agent's permissions, servers and sign-in"},
	{anywhere, []string{".mcp.json"}, deny, "", "names programs that every session starts"},
	{anywhere, []string{"managed-settings.json", "managed-mcp.json", "managed-settings.d/**"}, deny, "", "is the agent's managed settings"},
	{anywhere, []string{".codex/auth.json", ".gemini/oauth_creds.json", ".qwen/oauth_creds.json"}, deny, ask, "holds an agent's credential"},
	{anywhere, []string{".codex/**", ".gemini/**", ".qwen/**", ".opencode/**", ".goose/**", ".cursor/mcp.json", ".cursor/cli.json", ".cursor/hooks.json", ".cursor/hooks/**"}, deny, "", "decides what another agent may do without asking"},
	{anywhere, []string{"opencode.json", "opencode.jsonc", ".goosehints"}, deny, "", "decides what another agent may do without asking"},
	{anywhere, []string{"claude.md", "claude.local.md", "agents.md", "gemini.md", ".cursorrules", ".cursor/rules/**"}, ask, "", "is read by every later session as instructions"},
	{inHome, []string{".config/opencode/**", ".config/goose/**", ".config/claude/**", ".config/codex/**", ".local/share/opencode/auth.json"}, deny, ask, "decides what an agent may do without asking"},
	{inConfig, []string{"plans", "plans/*.md", "projects/*/memory", "projects/*/memory/*.md"}, "", "", "is a plan or what the agent keeps in mind"},
	{inConfig, []string{".credentials.json", "auth.json"}, deny, ask, "holds the agent's credential"},
	{inConfig, []string{"**"}, deny, "", "is in the folder of an agent's settings"},
	{inSystem, []string{"etc/claude-code/**", "etc/codex/**", "etc/opencode/**", "library/application support/claudecode/**"}, deny, "", "is an agent's managed settings"},

	// Vyre's own state.
	{inVyre, []string{"private/**"}, deny, deny, "is Vyre's private state"},
	{inVyre, []string{"config.toml"}, deny, "", "is Vyre's settings"},
	{inVyre, []string{"bin/**", "agents/**"}, deny, "", "holds programs that Vyre starts"},

	// Files that every new shell or sign-in runs.
	{inHome, []string{
		".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".bashrc.d/**", ".profile", ".zshrc", ".zshenv", ".zprofile",
		".zlogin", ".zlogout", ".config/zsh/**", ".kshrc", ".mkshrc", ".cshrc", ".tcshrc", ".login", ".logout", ".config/fish/**", ".config/nushell/**",
		".config/powershell/**", ".xonshrc", ".xprofile", ".xinitrc", ".xsession", ".xsessionrc", ".pam_environment", ".config/environment.d/**",
	}, deny, "", "runs in your next shell, and there it is you"},
	{inSystem, []string{"etc/profile", "etc/profile.d/**", "etc/bash.bashrc", "etc/bashrc", "etc/zsh/**", "etc/zshrc", "etc/zshenv", "etc/zprofile", "etc/environment", "etc/ld.so.preload"}, deny, "", "runs in everybody's next shell"},

	// What runs programs later, or changes whom programs talk to: never without a question.
	{anywhere, []string{".git/**", ".git", ".gitmodules", ".githooks/**", ".husky/**", ".pre-commit-config.yaml", "lefthook.yml", ".lefthook.yml"}, ask, "", "can make git run programs"},
	{inHome, []string{".gitconfig", ".config/git/**"}, ask, "", "can make git run programs"},
	{anywhere, []string{"package.json"}, ask, "", "names scripts that npm runs by itself"},
	{anywhere, []string{".envrc", ".direnv/**", ".mise.toml", "mise.toml", ".tool-versions"}, ask, "", "runs when somebody enters the folder"},
	{anywhere, []string{".vscode/tasks.json", ".vscode/launch.json", ".vscode/settings.json", ".vscode/mcp.json", ".devcontainer/**", ".devcontainer.json", ".idea/runconfigurations/**", "*.code-workspace"}, ask, "", "can run programs when an editor opens the folder"},
	{anywhere, []string{".github/workflows/**", ".github/actions/**", ".gitlab-ci.yml", ".circleci/**"}, ask, "", "runs with the project's secrets elsewhere"},
	{anywhere, []string{".cargo/config", ".cargo/config.toml", ".npmrc", ".yarnrc", ".yarnrc.yml", ".pnpmfile.cjs", "sitecustomize.py"}, ask, "", "changes what build tools run"},
	{anywhere, []string{"*.service", "*.timer", "*.socket", "*.plist"}, ask, "", "may be a unit that starts programs"},
	{inHome, []string{
		".ssh/**", ".gnupg/**", ".aws/**", ".kube/**", ".azure/**", ".config/gcloud/**", ".config/gh/**", ".docker/**", ".password-store/**",
		".local/share/keyrings/**", "library/keychains/**", ".netrc", ".git-credentials", ".pypirc", ".npmrc", ".config/git/credentials",
	}, ask, ask, "holds credentials, or decides whom programs trust"},
	{inHome, []string{".mozilla/**", ".config/google-chrome/**", ".config/chromium/**", ".config/bravesoftware/**", "library/application support/google/chrome/**", "library/cookies/**"}, ask, ask, "holds a browser's sign-ins"},
	{inHome, []string{".bash_history", ".zsh_history", ".python_history", ".psql_history", ".mysql_history", ".node_repl_history"}, ask, ask, "holds what you typed"},
	{inHome, []string{".config/systemd/**", ".config/autostart/**", ".local/share/systemd/**", "library/launchagents/**", ".config/cron/**", ".crontab"}, ask, "", "starts programs by itself"},
	{inHome, []string{"bin/**", ".local/bin/**", "go/bin/**", ".cargo/bin/**", ".bun/bin/**", ".npm-global/bin/**"}, ask, "", "is a folder of programs that you call by name"},
	{inHome, []string{".inputrc", ".vimrc", ".vim/**", ".config/nvim/**", ".emacs", ".emacs.d/**", ".config/emacs/**", ".tmux.conf", ".config/tmux/**", ".screenrc", ".lesskey", ".lessfilter", ".gdbinit", ".config/go/env", "library/application support/go/env", ".config/pip/**", ".pip/**", ".config/direnv/**"}, ask, "", "makes a program that you use run something"},
	{inSystem, []string{"etc/shadow", "etc/gshadow", "etc/sudoers", "etc/sudoers.d/**", "root/.ssh/**"}, ask, ask, "decides who may do what on this machine"},
	{inSystem, []string{"proc/*/environ", "proc/*/mem", "proc/*/fd/**", "proc/*/cwd", "proc/*/cwd/**", "proc/*/root", "proc/*/root/**", "proc/*/task/**", "proc/kcore", "dev/mem", "dev/kmem", "dev/sd*", "dev/vd*", "dev/nvme*", "dev/disk*", "dev/mapper/**"}, ask, ask, "shows or changes what programs or disks hold"},
	{inSystem, []string{
		"etc/**", "usr/**", "bin/**", "sbin/**", "lib/**", "lib64/**", "boot/**", "opt/**", "var/spool/cron/**", "var/spool/at/**", "sys/**", "proc/**", "dev/**",
		"library/launchagents/**", "library/launchdaemons/**", "system/**",
	}, ask, "", "belongs to the system"},
	{anywhere, []string{".env.example", ".env.sample", ".env.template", ".env.dist", ".env.defaults"}, "", "", "is an example"},
	{anywhere, []string{".env", ".env.*"}, "", ask, "often holds credentials"},
}
