package policy

import (
	"strings"
	"testing"

	"vyre"
)

// plain is a disk without links where every path is as it is written.
type plain struct{}

func (plain) Real(p string) (string, bool) { return p, true }
func (plain) ID(string) (FileID, uint64)   { return FileID{}, 0 }
func judgeBash(text string, grants ...func(Call, Part) (string, bool)) Verdict {
	f := Facts{Home: "/home/u", VyreHome: "/home/u/.local/state/vyre", Configs: []string{"/home/u/.claude"}, Files: plain{}, Own: []string{"/home/u/.local/state/vyre/worktrees/t1"}}
	if len(grants) > 0 {
		f.Granted = grants[0]
	}
	return Judge(Call{
		Tool: "Bash", Source: "builtin", Project: "/home/u/proj", CWD: "/home/u/proj",
		Acts: []vyre.Act{{Kind: vyre.ActCommand, Command: text, Shell: "bash", CWD: "/home/u/proj", Source: "builtin"}},
	}, f)
}

func TestFloorOfCommands(t *testing.T) {
	// What nobody may is denied whatever form it has, what is always asked about is asked by the floor, and only what reads is allowed.
	for text, want := range map[string]struct {
		v  vyre.Verdict
		by By
	}{
		`ls -la`:                                         {vyre.VerdictAllow, ByReadonly},
		`git status && git diff | head -50`:              {vyre.VerdictAllow, ByReadonly},
		`timeout 5 git status 2>/dev/null`:               {vyre.VerdictAllow, ByReadonly},
		`if [ -f a ]; then cat a; fi`:                    {vyre.VerdictAllow, ByReadonly},
		`npm test`:                                       {ask, ByPerson},
		`echo x >& f`:                                    {ask, ByPerson},
		`git log --output=x`:                             {ask, ByPerson},
		`echo x > .claude/settings.json`:                 {deny, ByFloor},
		`cd .claude && echo x > settings.json`:           {deny, ByFloor},
		`cd src; cd ..; tee .mcp.json`:                   {deny, ByFloor},
		`p=.claude/settings.json; echo x > "$p"`:         {deny, ByFloor},
		`bash -c 'bash -c "echo x > .mcp.json"'`:         {deny, ByFloor},
		`echo "x > .mcp.json" | sh`:                      {deny, ByFloor},
		`sed -i s/a/b/ .Claude/Settings.json`:            {deny, ByFloor},
		`echo x >> ~/.bashrc`:                            {deny, ByFloor},
		`echo x > $HOME/.profile`:                        {deny, ByFloor},
		`rm -rf ~`:                                       {deny, ByFloor},
		`mv ~/.claude /tmp/x`:                            {deny, ByFloor},
		`cat /home/u/.local/state/vyre/private/x`:        {deny, ByFloor},
		`echo a > /proc/self/cwd/.mcp.json`:              {deny, ByFloor},
		`echo x > .git/config`:                           {ask, ByFloor},
		`git config user.name x`:                         {ask, ByFloor},
		`git -c core.pager=x log`:                        {ask, ByFloor},
		`crontab -`:                                      {ask, ByFloor},
		`LD_PRELOAD=x ls`:                                {ask, ByFloor},
		`cat a | tee /dev/null`:                          {ask, ByPerson},
		`sudo ls`:                                        {ask, ByFloor},
		`cat ~/.ssh/id_rsa`:                              {ask, ByFloor},
		`git commit -m "on .claude/settings.json"`:       {ask, ByPerson},
		`touch /home/u/.local/state/vyre/worktrees/t1/a`: {ask, ByPerson},
		`touch /home/u/.local/state/vyre/worktrees/t1/.claude/x.json`: {deny, ByFloor},
	} {
		if v := judgeBash(text); v.Verdict != want.v || v.By != want.by {
			t.Errorf("%s: %s by %s (%s), want %s by %s", text, v.Verdict, v.By, v.Why, want.v, want.by)
		}
	}
}

func TestFloorOfFiles(t *testing.T) {
	// File tools are held to the same map: settings are denied, also where they are not there yet; an agent's own places are not.
	for path, want := range map[string]struct {
		write, read vyre.Verdict
	}{
		"/home/u/proj/a.go":                          {ask, vyre.VerdictAllow},
		"/home/u/proj/.claude/settings.local.json":   {deny, vyre.VerdictAllow},
		"/home/u/proj/.CLAUDE/Settings.json":         {deny, vyre.VerdictAllow},
		"/home/u/proj/.claude/hooks/x.sh":            {deny, vyre.VerdictAllow},
		"/home/u/proj/.claude/worktrees/w/a.go":      {ask, vyre.VerdictAllow},
		"/home/u/proj/.claude/worktrees/w/.mcp.json": {deny, vyre.VerdictAllow},
		"/home/u/proj/x/../.mcp.json":                {deny, vyre.VerdictAllow},
		"/home/u/proj/.ｍcp.json":                     {deny, ask},
		"/home/u/.claude.json":                       {deny, ask},
		"/home/u/.claude/plans/p.md":                 {ask, vyre.VerdictAllow},
		"/etc/claude-code/managed-settings.json":     {deny, vyre.VerdictAllow},
		"/home/u/.local/state/vyre/private/vyre.db":  {deny, deny},
		"/home/u/.local/state/vyre/config.toml":      {deny, vyre.VerdictAllow},
		"/home/u/.local/state/vyre/worktrees/t1/a":   {ask, vyre.VerdictAllow},
		"/home/u/proj/package.json":                  {ask, vyre.VerdictAllow},
		"/home/u/.zshrc":                             {deny, vyre.VerdictAllow},
		"/home/u/.ssh/config":                        {ask, ask},
	} {
		for kind, v := range map[vyre.ActKind]vyre.Verdict{vyre.ActWrite: want.write, vyre.ActRead: want.read} {
			got := Judge(Call{CWD: "/home/u/proj", Acts: []vyre.Act{{Kind: kind, Paths: []string{path}, CWD: "/home/u/proj"}}},
				Facts{Home: "/home/u", VyreHome: "/home/u/.local/state/vyre", Configs: []string{"/home/u/.claude"}, Files: plain{}, Own: []string{"/home/u/.local/state/vyre/worktrees/t1"}})
			if got.Verdict != v {
				t.Errorf("%s %s: %s (%s), want %s", kind, path, got.Verdict, got.Why, v)
			}
		}
	}
}

func TestPlacesAreClean(t *testing.T) {
	// Each place says why, is lower case, has at most one * in a component, and ** only at its end: what matching relies on.
	for _, p := range places {
		if p.why == "" {
			t.Errorf("no reason for %v", p.paths)
		}
		for _, s := range p.paths {
			comps := strings.Split(s, "/")
			for i, c := range comps {
				switch {
				case c == "**" && i == len(comps)-1:
				case c == "", c != fold(c), strings.Count(c, "*") > 1:
					t.Errorf("%q of %q", c, s)
				}
			}
		}
	}
	for name, r := range readers {
		if _, ok := writers[name]; ok && r.flags == "*" && r.check == nil && r.max == 0 && r.sub == nil && !r.said && name != "nl" {
			t.Errorf("%s only reads with any flag, and is a command that writes", name)
		}
	}
}

func TestNamesInCode(t *testing.T) {
	// Where code runs, a protected file is known by its name, and a word like it is not one.
	for text, want := range map[string]vyre.Verdict{
		`python3 -c 'open(".bashrc","a")'`:                                           deny,
		`python3 -c 'p=Path.home()/".claude"/"settings.json"'`:                       deny,
		`node -e 'fs.rmSync(".claude")'`:                                             deny,
		`perl -e 'unlink "$ENV{HOME}/.profile"'`:                                     deny,
		`python3 -c 'import os; os.remove("/home/u/.local/state/vyre/config.toml")'`: deny,
		`python3 -c 'print(user.profile, user.login)'`:                               ask,
		`node -e 'console.log(a.claude, b.codexes)'`:                                 ask,
		`python3 -c 'open("/src/vyre/agents/package.json")'`:                         ask,
		`python3 -c 'open("x.claude.json5")'`:                                        ask,
		`git commit -m "$(cat <<'E'
Fix .claude/settings.json
E
)"`: ask,
	} {
		if v := judgeBash(text); v.Verdict != want {
			t.Errorf("%s: %s (%s), want %s", text, v.Verdict, v.Why, want)
		}
	}
}

func TestOtherShellsAreAsked(t *testing.T) {
	// A language that nobody here reads is asked about, and denied where it names what nobody may write.
	for text, want := range map[string]vyre.Verdict{"ls": ask, "Set-Content .claude/settings.json x": deny} {
		v := Judge(Call{CWD: "/w", Acts: []vyre.Act{{Kind: vyre.ActCommand, Command: text, Shell: "powershell", CWD: "/w"}}}, Facts{Files: plain{}})
		if v.Verdict != want {
			t.Errorf("%s: %s (%s), want %s", text, v.Verdict, v.Why, want)
		}
	}
}
