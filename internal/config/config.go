package config

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/BurntSushi/toml"

	"vyre"
)

// Config is what a home's settings say. Its tags are the whole description:
// Load checks by them and Reference prints them.
type Config struct {
	// Listen is where the page and the HTTP door are, from VYRE_LISTEN.
	Listen string `toml:"-"`

	Sessions  Sessions            `toml:"sessions" doc:"How sessions live, whatever agent runs in them."`
	Asks      Asks                `toml:"asks" doc:"What an answer rests on."`
	Web       Web                 `toml:"web" doc:"The page for other machines, such as a phone. Without this table it is for this machine alone, at VYRE_LISTEN."`
	Retention Retention           `toml:"retention" doc:"How long what may go is kept, and how much room the home may take. What a person made (threads, messages, the words of the conversation, asks and answers, attachments, worktrees) never goes by itself."`
	Gate      Gate                `toml:"gate" doc:"Acts that leave the machine, and wait for a person."`
	Providers map[string]Provider `toml:"providers" doc:"One table for each agent kind."`
}

// Sessions is the table [sessions].
type Sessions struct {
	Auth             string `toml:"auth" default:"" values:"login|setup-token|api-key" doc:"The credential of sessions, from their next start or resume on: the agent's own sign-in, or the vault item claude-setup-token, or the vault item anthropic-api-key. Unset: setup-token where that item is stored, else login, and the vault is not opened."`
	Fallback         string `toml:"fallback" default:"api-key" values:"api-key|none" doc:"What a thread goes on with when a subscription's limit is reached: the vault item anthropic-api-key, where it is stored, until the limit resets; or nothing, and the thread waits."`
	Broker           bool   `toml:"broker" default:"false" doc:"Keep the credential from the agent: it gets a key of its session's own and a loopback address, where the daemon adds the real one. It is for a credential of the vault; the agent's own sign-in is not Vyre's to keep."`
	Models           Models `toml:"models" doc:"The model of threads by purpose, where nobody set one with sessions.models.set: large, small or the provider's own model id."`
	IdleMinutes      int    `toml:"idle_minutes" default:"10" min:"0" max:"10080" doc:"A session in which nothing happened for so long is stopped; the next message resumes it. 0 never stops one. An open question keeps its session."`
	MaxLive          int    `toml:"max_live" default:"6" min:"1" max:"1000" doc:"How many sessions may run at once. A start beyond it stops the session that was idle longest, or is refused as busy."`
	Subagents        int    `toml:"subagents" default:"16" min:"0" max:"1000" doc:"How many subagents may work at once on this machine; further ones wait in a line. 0 is no bound."`
	SubagentsProject int    `toml:"subagents_project" default:"8" min:"0" max:"1000" doc:"How many subagents may work at once in one project. 0 is no bound."`
	Teammates        int    `toml:"teammates" default:"6" min:"0" max:"1000" doc:"How many teammates (sessions.slots) may work at once on this machine. 0 is no bound."`
	TeammatesProject int    `toml:"teammates_project" default:"3" min:"0" max:"1000" doc:"How many teammates may work at once in one project. 0 is no bound."`
	Confine          string `toml:"confine" default:"auto" values:"auto|require|off" doc:"Whether sessions are shut in: as well as this machine can (auto), only where it can be whole (require: else no session starts), or not at all (off). vyre doctor says what this machine gives."`
	Debug            bool   `toml:"debug" default:"false" doc:"Sessions may trace their own processes (gdb, strace). A command of an agent can then write to the agent itself and answer its own questions, so a terminal's answer counts for less."`
	Pids             int    `toml:"pids" default:"4096" min:"0" max:"4000000" doc:"How many processes and threads a session may have at once, where its control group can be bounded. 0 is no bound."`
	MemoryMB         int    `toml:"memory_mb" default:"0" min:"0" max:"100000000" doc:"How much memory a session may use, where its control group can be bounded; one that needs more is ended by the kernel. 0: nine tenths of the machine's."`
}

// Asks is the table [asks].
type Asks struct {
	Proof string `toml:"proof" default:"gated" values:"gated|always" doc:"When an act that decides (an answer, a mode, a grant) needs a touch of a passkey, once one is enrolled: gated asks for it where a terminal's claim to be the person is in doubt; always asks for it each time, on the page too."`
}

// Models is the table [sessions.models], by purpose.
type Models struct {
	Chat    string `toml:"chat" default:"" check:"model" doc:"Conversations. Unset: large."`
	Agent   string `toml:"agent" default:"" check:"model" doc:"A named agent's own work. Unset: large."`
	Project string `toml:"project" default:"" check:"model" doc:"Work in a project's folder. Unset: large."`
	Capsule string `toml:"capsule" default:"" check:"model" doc:"Quick questions. Unset: small."`
	Job     string `toml:"job" default:"" check:"model" doc:"Threads of one turn. Unset: small."`
	Memory  string `toml:"memory" default:"" check:"model" doc:"Work on what is remembered. Unset: small."`
	Planner string `toml:"planner" default:"" check:"model" doc:"Planning in the background. Unset: small."`
	Learn   string `toml:"learn" default:"" check:"model" doc:"Learning in the background. Unset: small."`
}

// Of returns the model of a purpose, or "".
func (m Models) Of(p vyre.Purpose) string {
	return map[vyre.Purpose]string{
		vyre.PurposeChat: m.Chat, vyre.PurposeAgent: m.Agent, vyre.PurposeProject: m.Project, vyre.PurposeCapsule: m.Capsule,
		vyre.PurposeJob: m.Job, vyre.PurposeMemory: m.Memory, vyre.PurposePlanner: m.Planner, vyre.PurposeLearn: m.Learn,
	}[p]
}

// Retention is the table [retention].
type Retention struct {
	WordsDays    int `toml:"words_days" default:"1" min:"1" max:"3650" doc:"Words of ended turns as events stay so many days; their items hold the text for ever."`
	EventsDays   int `toml:"events_days" default:"0" min:"0" max:"3650" doc:"Every other event of the log. 0 keeps them for ever. A client whose cursor is older is told so and reads the present state."`
	RawDays      int `toml:"raw_days" default:"30" min:"0" max:"3650" doc:"Bodies of messages of an agent that this version does not know; their names stay. 0 keeps them for ever."`
	OutputsDays  int `toml:"outputs_days" default:"0" min:"0" max:"3650" doc:"Outputs of tools over 64 KB; their beginnings stay in the timeline. 0 keeps them for ever."`
	DiskBudgetMB int `toml:"disk_budget_mb" default:"0" min:"0" max:"100000000" doc:"How much the home may take, worktrees not counted. At 80 % it is told; above it the oldest of what may go goes before its time. 0 sets no budget."`
	FreeFloorMB  int `toml:"free_floor_mb" default:"64" min:"0" max:"1000000" doc:"With less free space than this on the home's disk no new session is started (no_space), so that those that run can go on. 0 starts them whatever is free."`
}

// Gate is the table [gate].
type Gate struct {
	Tools       []string `toml:"tools" check:"pattern" doc:"Further tools of configured servers whose calls leave the machine, as patterns of their names (mcp__chat__*). An agent's call of one is refused, and it is told to use gate.request. Tools whose names say that they send, post, publish, merge and the like are refused without being named here."`
	UndoSeconds int      `toml:"undo_seconds" default:"5" min:"0" max:"3600" doc:"How long after a yes an act is not sent yet, and can be taken back."`
	Except      []string `toml:"except" check:"pattern" doc:"Tools that are none, whatever their names say: they are asked about like every other."`
}

// Provider is one table [providers.<name>].
type Provider struct {
	Runtime             string            `toml:"runtime" default:"" check:"runtime" doc:"The agent's program: pinned (the version this build was measured with, kept in the home), installed (what the login shell's PATH has), or an absolute path. Unset: the pinned one where it is installed, else an installed one."`
	Env                 map[string]string `toml:"env" doc:"Variables for the agent, as written. Names that change how programs run are refused (vyre doctor lists them with the reason); ANTHROPIC_BASE_URL and its like are allowed. Every command the agent runs can read them: a key belongs into the vault."`
	NonessentialTraffic bool              `toml:"nonessential_traffic" default:"false" doc:"Let the agent fetch what its vendor offers beside the model (updates, telemetry, error reports)."`
}

// Runtimes of a provider that are words; anything else is an absolute path.
const (
	RuntimePinned    = "pinned"
	RuntimeInstalled = "installed"
)

// KnownProviders are the names that may stand behind "providers.", sorted.
func KnownProviders() []string { return []string{"claude"} }

// maxFile bounds config.toml.
const maxFile = 1 << 20

// Load reads the home's config.toml and the environment. A missing file is all
// defaults. A fault is invalid, names the key (Field), and nothing holds.
func Load(home string) (Config, error) { return LoadFrom(home, os.Getenv) }

// LoadFrom is Load with the environment given.
func LoadFrom(home string, getenv func(string) string) (Config, error) {
	listen, err := Listen(getenv)
	if err != nil {
		return Config{}, err
	}
	b, err := readFile(Layout{home}.ConfigFile())
	if err != nil {
		return Config{}, err
	}
	c, err := Parse(b)
	c.Listen = listen
	return c, err
}

// Parse reads the text of a config.toml. It is pure.
func Parse(text []byte) (Config, error) {
	c := Config{Listen: DefaultListen}
	raw := map[string]any{}
	if _, err := toml.NewDecoder(bytes.NewReader(text)).Decode(&raw); err != nil {
		return Config{}, syntax(err)
	}
	if err := decode(raw, &c); err != nil {
		return Config{}, err
	}
	return c, c.Web.check()
}

// syntax says where the text is no TOML. The parser's own message quotes the
// text, which may hold a secret, so only its line and key are passed on.
func syntax(err error) error {
	if p, ok := errors.AsType[toml.ParseError](err); ok {
		e := vyre.Errorf(vyre.CodeInvalid, "config.toml: line %d can't be read", p.Position.Line).Because(err)
		if p.LastKey != "" {
			e = vyre.Errorf(vyre.CodeInvalid, "config.toml: line %d can't be read (near %s)", p.Position.Line, p.LastKey).Because(err)
		}
		return e.WithHint("Check quotes, brackets and keys given twice on that line.").WithDetail("line", p.Position.Line)
	}
	return vyre.Errorf(vyre.CodeInvalid, "config.toml can't be read as TOML").Because(err)
}

func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, unreadable(err)
	}
	defer f.Close()
	if fi, err := f.Stat(); err != nil || !fi.Mode().IsRegular() {
		return nil, unreadable(errors.New(filepath.Base(path) + " is not a file"))
	}
	b, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, unreadable(err)
	}
	if len(b) > maxFile {
		return nil, vyre.Errorf(vyre.CodeInvalid, "config.toml is larger than 1 MiB")
	}
	return b, nil
}

func unreadable(err error) error {
	return vyre.Errorf(vyre.CodeUnavailable, "config.toml can't be read").
		WithHint("It must be a file that this user may read, or be absent.").Because(err)
}
