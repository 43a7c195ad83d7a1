package cli

import "vyre"

// The inputs and outputs of tools, as the commands use them. Fields that a
// command does not need are left out.
type (
	listInput struct {
		State    string `json:"state,omitempty"`
		Project  string `json:"project,omitempty"`
		Archived *bool  `json:"archived,omitempty"`
		Limit    int    `json:"limit,omitempty"`
		Next     string `json:"next,omitempty"`
	}
	threadInput struct {
		Thread vyre.ThreadID `json:"thread"`
	}
	asksInput struct {
		Thread vyre.ThreadID `json:"thread,omitempty"`
		State  string        `json:"state,omitempty"`
		Limit  int           `json:"limit,omitempty"`
		Next   string        `json:"next,omitempty"`
	}
	itemsInput struct {
		Thread   vyre.ThreadID `json:"thread"`
		After    vyre.ItemID   `json:"after,omitempty"`
		Before   vyre.ItemID   `json:"before,omitempty"`
		SinceRev *vyre.Seq     `json:"since_rev,omitempty"`
		Limit    int           `json:"limit,omitempty"`
	}
	itemsOutput struct {
		Items []vyre.Item `json:"items"`
		Next  string      `json:"next"`
	}
	sendInput struct {
		Thread vyre.ThreadID `json:"thread"`
		Text   string        `json:"text"`
		Mode   string        `json:"mode,omitempty"`
		Key    string        `json:"key,omitempty"`

		Attachments []string `json:"attachments,omitempty"`
	}
	sendOutput struct {
		Message vyre.MessageID `json:"message"`
		Via     vyre.Via       `json:"via"`
	}
	startInput struct {
		Provider     string    `json:"provider"`
		Prompt       string    `json:"prompt,omitempty"`
		CWD          string    `json:"cwd"`
		Model        string    `json:"model,omitempty"`
		Mode         vyre.Mode `json:"mode,omitempty"`
		Name         string    `json:"name,omitempty"`
		Purpose      string    `json:"purpose,omitempty"`
		Once         bool      `json:"once,omitempty"`
		BudgetMicros int64     `json:"budget_micros,omitempty"`

		Attachments []string `json:"attachments,omitempty"`
		Worktree    bool     `json:"worktree,omitempty"`
		Branch      string   `json:"branch,omitempty"`
		Base        string   `json:"base,omitempty"`
	}
	startOutput struct {
		Thread vyre.ThreadID `json:"thread"`
		Turn   vyre.TurnID   `json:"turn"`
	}
	// anything is an output that a command does not look into.
	anything struct{}
)

// statusOutput is what daemon.status says. A daemon that says less is fine.
type statusOutput struct {
	Version     string            `json:"version"`
	PID         int               `json:"pid"`
	URL         string            `json:"url"` // http://localhost:PORT
	Started     vyre.Time         `json:"started"`
	Sessions    int               `json:"sessions"` // live processes
	Threads     int64             `json:"threads"`
	Head        vyre.Seq          `json:"head"`
	DBBytes     int64             `json:"db_bytes"`
	Room        roomShape         `json:"room"`
	Level       string            `json:"level"`
	Cgroup      string            `json:"cgroup"`
	LevelMeans  string            `json:"level_means"`
	LevelWhy    string            `json:"level_why"`
	LevelRaise  string            `json:"level_raise"`
	Doubt       string            `json:"doubt"`
	Confinement confinementShape  `json:"confinement"`
	Credentials []credentialShape `json:"credentials"`
	Environment environmentShape  `json:"environment"`
}

// confinementShape is how sessions are shut in.
type confinementShape struct {
	Setting string         `json:"setting"`
	Debug   bool           `json:"debug"`
	Whole   bool           `json:"whole"`
	Parts   []string       `json:"parts"`
	Missing []missingShape `json:"missing"`
}

type missingShape struct {
	What string `json:"what"`
	Why  string `json:"why"`
	Fix  string `json:"fix"`
}

// credentialShape is what sessions of a provider take. Never a value.
type credentialShape struct {
	Provider string `json:"provider"`
	Kind     string `json:"kind"`
	From     string `json:"from"`
	Item     string `json:"item"`
	Stored   bool   `json:"stored"`
	Fallback string `json:"fallback"`
	Brokered bool   `json:"brokered"`
}

// environmentShape is what sessions get of the login shell's environment.
type environmentShape struct {
	From    string         `json:"from"` // the shell it was captured from
	Names   []string       `json:"names"`
	Refused []refusedShape `json:"refused"`
	Exposed []string       `json:"exposed"` // settings that look like credentials
}

type refusedShape struct {
	Name   string `json:"name"`
	From   string `json:"from"`
	Reason string `json:"reason"`
}

// providerShape is one entry of providers.list.
type providerShape struct {
	Provider  string `json:"provider"`
	Label     string `json:"label"`
	Available bool   `json:"available"`
	Path      string `json:"path"`
	Version   string `json:"version"`
	Warning   string `json:"warning"`
	Error     string `json:"error"` // why it is not available
	Hint      string `json:"hint"`
}

type providersOutput struct {
	Providers []providerShape `json:"providers"`
}

// codeOutput is what sign_in.code gives.
type codeOutput struct {
	Code    string    `json:"code"`
	URL     string    `json:"url"` // http://localhost:PORT/sign-in#code=…
	Expires vyre.Time `json:"expires"`
}
