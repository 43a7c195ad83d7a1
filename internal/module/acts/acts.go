package acts

import (
	"context"
	"encoding/json"
	"time"

	"vyre"
	"vyre/internal/identity/passkey"
	"vyre/internal/registry"
)

// Keys holds the acts. internal/identity/passkey implements it.
type Keys interface {
	Acts() []passkey.Act
	Act(ctx context.Context, id string) (passkey.Act, error)
	Challenge(ctx context.Context, id, site string) (json.RawMessage, error)
	Wait(ctx context.Context, ticket string) (passkey.Act, error)
}

// Module holds what the tools need. Call is the registry's own.
type Module struct {
	Keys Keys
	Call func(ctx context.Context, c vyre.Caller, name string, input json.RawMessage) (json.RawMessage, error)
}

// waitTime bounds one held request.
const waitTime = 25 * time.Second

// Register declares the tools and events.
func (m *Module) Register(r *registry.Registry) {
	registry.Define(r, vyre.Tool{
		Name: "acts.list", Effect: vyre.EffectRead, Reach: vyre.ReachPerson,
		Summary: "List the acts that wait for a touch of a passkey, the oldest first.",
	}, m.list)
	registry.Define(r, vyre.Tool{
		Name: "acts.get", Effect: vyre.EffectRead, Reach: vyre.ReachPerson,
		Summary: "Show an act that waits for a touch: all that it would do, and who began it.",
	}, m.get)
	registry.Define(r, vyre.Tool{
		Name: "acts.challenge", Effect: vyre.EffectWrite, Reach: vyre.ReachPerson,
		Summary: "Begin a touch for an act: what the browser needs (PublicKeyCredentialRequestOptions as JSON), for two minutes.",
	}, m.challenge)
	registry.Define(r, vyre.Tool{
		Name: "acts.touch", Effect: vyre.EffectSpawn, Reach: vyre.ReachPerson,
		Summary: "Run an act by the touch that was given for it, once, as its caller, and answer what it answers.",
	}, m.touch)
	registry.Define(r, vyre.Tool{
		Name: "acts.wait", Effect: vyre.EffectRead, Reach: vyre.ReachPerson,
		Summary: "Wait, up to 25 seconds, until an act was touched and is done; the ticket is in the details of presence_required.",
	}, m.wait)
	registry.DefineEvent[vyre.ActRaised](r, "A call from a terminal waits for a touch of a passkey, which can be given on the page.")
	registry.DefineEvent[vyre.ActTouched](r, "A passkey was touched for a call, which runs now.")
}

// ActIn names an act.
type ActIn struct {
	Act string `json:"act" jsonschema:"the act"`
}

// Act is one act as it is shown.
type Act struct {
	Act     string          `json:"act"`
	Tool    string          `json:"tool"`
	Title   string          `json:"title"`
	Text    string          `json:"text" jsonschema:"the whole of what it would do"`
	Input   json.RawMessage `json:"input"`
	By      string          `json:"by"`
	Doubt   string          `json:"doubt" jsonschema:"why its caller's word is not enough, or empty"`
	State   string          `json:"state" jsonschema:"waiting, running, done or expired"`
	Created vyre.Time       `json:"created"`
	Expires vyre.Time       `json:"expires"`
	Sites   []string        `json:"sites" jsonschema:"the addresses of the page where it can be touched"`
}

func shape(a passkey.Act) Act {
	if a.Sites == nil {
		a.Sites = []string{}
	}
	if len(a.Input) == 0 {
		a.Input = json.RawMessage("{}")
	}
	return Act{
		a.ID, a.Tool, a.Shown.Title, a.Shown.Text, a.Input, a.By.String(), a.By.Doubt, a.State,
		vyre.At(a.Created), vyre.At(a.Expires), a.Sites,
	}
}

// ListIn is the empty input of acts.list.
type ListIn struct{}

// ListOut is the output of acts.list.
type ListOut struct {
	Acts []Act `json:"acts"`
}

func (m *Module) list(context.Context, vyre.Caller, ListIn) (ListOut, error) {
	out := ListOut{Acts: []Act{}}
	for _, a := range m.Keys.Acts() {
		out.Acts = append(out.Acts, shape(a))
	}
	return out, nil
}

func (m *Module) get(ctx context.Context, _ vyre.Caller, in ActIn) (Act, error) {
	a, err := m.Keys.Act(ctx, in.Act)
	return shape(a), err
}

// ChallengeIn is the input of acts.challenge.
type ChallengeIn struct {
	Act  string `json:"act" jsonschema:"the act"`
	Site string `json:"site" jsonschema:"the origin of the page that asks, such as http://localhost:7797"`
}

// ChallengeOut is the output of acts.challenge.
type ChallengeOut struct {
	Options json.RawMessage `json:"options"`
}

func (m *Module) challenge(ctx context.Context, _ vyre.Caller, in ChallengeIn) (ChallengeOut, error) {
	options, err := m.Keys.Challenge(ctx, in.Act, in.Site)
	return ChallengeOut{options}, err
}

// TouchIn is the input of acts.touch.
type TouchIn struct {
	Act       string          `json:"act" jsonschema:"the act"`
	Assertion json.RawMessage `json:"assertion" jsonschema:"what the browser made (PublicKeyCredential as JSON)"`
}

// TouchOut is the output of acts.touch.
type TouchOut struct {
	Output json.RawMessage `json:"output" jsonschema:"what the act answered to a page that raised it itself; null for another's"`
}

func (m *Module) touch(ctx context.Context, c vyre.Caller, in TouchIn) (TouchOut, error) {
	a, err := m.Keys.Act(ctx, in.Act)
	if err != nil {
		return TouchOut{}, err
	}
	by := a.By
	by.Touch = passkey.Touch(in.Act, in.Assertion)
	// It runs to its end whatever becomes of the page: who waits is told the outcome.
	out, err := m.Call(context.WithoutCancel(ctx), by, a.Tool, a.Input)
	if err != nil {
		return TouchOut{}, err
	}
	if a.By.Session == "" || a.By.Session != c.Session {
		out = json.RawMessage("null") // it may hold what only the other may see
	}
	return TouchOut{out}, nil
}

// WaitIn is the input of acts.wait.
type WaitIn struct {
	Ticket string `json:"ticket" jsonschema:"the ticket"`
}

// WaitOut is the output of acts.wait.
type WaitOut struct {
	State  string              `json:"state" jsonschema:"waiting, running, done or expired"`
	Output json.RawMessage     `json:"output" jsonschema:"what the act answered, once it is done; else null"`
	Error  *vyre.EnvelopeError `json:"error,omitempty" jsonschema:"how it failed, once it is done"`
}

func (m *Module) wait(ctx context.Context, _ vyre.Caller, in WaitIn) (WaitOut, error) {
	ctx, cancel := context.WithTimeout(ctx, waitTime)
	defer cancel()
	a, err := m.Keys.Wait(ctx, in.Ticket)
	if err != nil {
		return WaitOut{}, err
	}
	out := WaitOut{State: a.State, Output: json.RawMessage("null")}
	if a.Err != nil {
		e := vyre.EnvelopeOf(a.Err).Error
		out.Error = &e
	} else if a.State == passkey.ActDone {
		out.Output = a.Output
	}
	return out, nil
}
