package gate

import (
	"context"
	"encoding/base64"
	"time"

	"vyre"
	core "vyre/internal/gate"
	"vyre/internal/registry"
	"vyre/internal/store/sqlite"
)

// Gate is the acts. internal/gate implements it.
type Gate interface {
	Request(ctx context.Context, c vyre.Caller, a vyre.GateAct, life time.Duration) (vyre.GateAct, error)
	Approve(ctx context.Context, c vyre.Caller, id vyre.GateID, hash string) (vyre.GateAct, error)
	Deny(ctx context.Context, c vyre.Caller, id vyre.GateID, note string) (vyre.GateAct, error)
	Cancel(ctx context.Context, c vyre.Caller, id vyre.GateID) (vyre.GateAct, error)
	Settle(ctx context.Context, c vyre.Caller, id vyre.GateID, sent bool, note string) (vyre.GateAct, error)
	Warnings(a vyre.GateAct) []string
}

// Store reads acts. internal/store/sqlite implements it.
type Store interface {
	GateAct(ctx context.Context, id vyre.GateID) (vyre.GateAct, error)
	GateActs(ctx context.Context, q sqlite.GateQuery) ([]vyre.GateAct, error)
}

// Module holds what the tools need.
type Module struct {
	Gate  Gate
	Store Store
}

// Register declares the tools and the events.
func (m *Module) Register(r *registry.Registry) {
	registry.Define(r, vyre.Tool{
		Name: "gate.request", Effect: vyre.EffectWrite, Reach: vyre.ReachAny,
		Summary: "Ask for an act that leaves this machine: an HTTP request, or a git push. A person sees exactly what goes out, and it goes out only if they say yes. Look with gate.get how it went.",
	}, m.request)
	registry.Define(r, vyre.Tool{
		Name: "gate.list", Effect: vyre.EffectRead, Reach: vyre.ReachAny,
		Summary: "List acts at the gate, the newest first: yours, or all for a person.",
	}, m.list)
	registry.Define(r, vyre.Tool{
		Name: "gate.get", Effect: vyre.EffectRead, Reach: vyre.ReachAny,
		Summary: "One act at the gate with its whole payload, and how it went.",
	}, m.get)
	registry.Define(r, vyre.Tool{
		Name: "gate.cancel", Effect: vyre.EffectWrite, Reach: vyre.ReachAny,
		Summary: "Take an act back before its first attempt.",
	}, m.cancel)
	registry.Define(r, vyre.Tool{
		Name: "gate.approve", Effect: vyre.EffectSpawn, Reach: vyre.ReachPerson, Decides: true, Presence: true,
		Summary: "Let exactly this act happen: the hash says which bytes go where.",
	}, m.approve)
	registry.Define(r, vyre.Tool{
		Name: "gate.deny", Effect: vyre.EffectWrite, Reach: vyre.ReachPerson,
		Summary: "Say no to an act. It never happens.",
	}, m.deny)
	registry.Define(r, vyre.Tool{
		Name: "gate.settle", Effect: vyre.EffectWrite, Reach: vyre.ReachPerson, Decides: true,
		Summary: "Say of an act whose outcome is unknown whether it was done, once you found out. Nothing is sent.",
	}, m.settle)
	registry.Describe(r, "gate.approve", m.describe)
	m.events(r)
}

func (m *Module) events(r *registry.Registry) {
	registry.DefineEvent[vyre.GateRequested](r, "An act that leaves the machine waits for a person.")
	registry.DefineEvent[vyre.GateDecided](r, "A person let an act happen.")
	registry.DefineEvent[vyre.GateRefused](r, "A person said no to an act.")
	registry.DefineEvent[vyre.GateTakenBack](r, "An act was taken back before its first attempt.")
	registry.DefineEvent[vyre.GateTimedOut](r, "An act's time was over before its first attempt.")
	registry.DefineEvent[vyre.GateBegun](r, "An attempt of an act begins; from here on something may have gone out.")
	registry.DefineEvent[vyre.GateDelivered](r, "An act was done.")
	registry.DefineEvent[vyre.GateUndone](r, "An act was surely not done.")
	registry.DefineEvent[vyre.GateLost](r, "An attempt ended and nobody here can tell whether the act was done.")
}

// RequestIn is the input of gate.request.
type RequestIn struct {
	Kind       vyre.GateKind    `json:"kind" jsonschema:"http (one request) or git.push (one commit to one ref)"`
	Target     string           `json:"target" jsonschema:"http: the address, https (or http to this machine). git.push: the remote's address, https or ssh"`
	Payload    string           `json:"payload,omitempty" jsonschema:"http: the body, exactly as it goes out; at most 256 KiB"`
	Encoding   string           `json:"encoding,omitempty" jsonschema:"of payload: text (default) or base64"`
	Options    vyre.GateOptions `json:"options,omitzero" jsonschema:"http: method, headers, secret {item, header, prefix}, private. git.push: repo, ref, commit, expected"`
	Summary    string           `json:"summary" jsonschema:"what it does and why, for the person who decides; at most 500 bytes"`
	Idempotent bool             `json:"idempotent,omitempty" jsonschema:"the other side takes an Idempotency-Key header: then a lost answer is tried again under the same key"`
	Expires    string           `json:"expires,omitempty" jsonschema:"how long it may wait, like 30m or 24h (default); at most 168h"`
	Key        string           `json:"key,omitempty" jsonschema:"a key of yours: the same key again is the same act"`
}

func (m *Module) request(ctx context.Context, c vyre.Caller, in RequestIn) (Act, error) {
	payload := []byte(in.Payload)
	switch in.Encoding {
	case "", "text":
	case "base64":
		var err error
		if payload, err = base64.StdEncoding.DecodeString(in.Payload); err != nil {
			return Act{}, vyre.Invalid("payload", "it is not base64 (standard alphabet, padded)")
		}
	default:
		return Act{}, vyre.Invalid("encoding", "text or base64")
	}
	life := core.DefaultTime
	if in.Expires != "" {
		var err error
		if life, err = time.ParseDuration(in.Expires); err != nil {
			return Act{}, vyre.Invalid("expires", "a duration like 30m or 24h")
		}
	}
	a, err := m.Gate.Request(ctx, c, vyre.GateAct{
		Kind: in.Kind, Target: in.Target, Options: in.Options, Payload: payload, Summary: in.Summary, Idempotent: in.Idempotent, Key: in.Key,
	}, life)
	return m.shown(c, a, cutAt), err
}

// ListIn is the input of gate.list.
type ListIn struct {
	State  vyre.GateState `json:"state,omitempty" jsonschema:"only in this state; by default what waits, is being sent, or has an unknown outcome"`
	All    bool           `json:"all,omitempty" jsonschema:"whatever the state"`
	Before vyre.GateID    `json:"before,omitempty" jsonschema:"older than this act"`
	Limit  int            `json:"limit,omitempty" jsonschema:"at most so many; 50 by default and at most"`
}

// ListOut is the output of gate.list.
type ListOut struct {
	Acts []Act `json:"acts"`
}

func (m *Module) list(ctx context.Context, c vyre.Caller, in ListIn) (ListOut, error) {
	q := sqlite.GateQuery{State: in.State, Live: in.State == "" && !in.All, Before: in.Before, Limit: in.Limit}
	if q.Limit <= 0 || q.Limit > 50 {
		q.Limit = 50
	}
	if !c.IsPerson() {
		q.Caller = c.String()
	}
	list, err := m.Store.GateActs(ctx, q)
	out := ListOut{}
	for _, a := range list {
		out.Acts = append(out.Acts, m.shown(c, a, cutAt))
	}
	return out, err
}

// ActIn names one act.
type ActIn struct {
	Act vyre.GateID `json:"act" jsonschema:"its id"`
}

func (m *Module) get(ctx context.Context, c vyre.Caller, in ActIn) (Act, error) {
	a, err := m.Store.GateAct(ctx, in.Act)
	if err == nil && !core.Sees(c, a) {
		err = vyre.NotFound("act at the gate", string(in.Act))
	}
	if err != nil {
		return Act{}, err
	}
	return m.shown(c, a, core.MaxPayload), nil
}

func (m *Module) cancel(ctx context.Context, c vyre.Caller, in ActIn) (Act, error) {
	a, err := m.Gate.Cancel(ctx, c, in.Act)
	return m.shown(c, a, cutAt), err
}

// ApproveIn is the input of gate.approve.
type ApproveIn struct {
	Act  vyre.GateID `json:"act" jsonschema:"its id"`
	Hash string      `json:"hash" jsonschema:"the act's hash, as it was shown"`
}

func (m *Module) approve(ctx context.Context, c vyre.Caller, in ApproveIn) (Act, error) {
	a, err := m.Gate.Approve(ctx, c, in.Act, in.Hash)
	return m.shown(c, a, cutAt), err
}

// DenyIn is the input of gate.deny.
type DenyIn struct {
	Act     vyre.GateID `json:"act" jsonschema:"its id"`
	Message string      `json:"message,omitempty" jsonschema:"words for who asked"`
}

func (m *Module) deny(ctx context.Context, c vyre.Caller, in DenyIn) (Act, error) {
	if len(in.Message) > 2000 {
		return Act{}, vyre.Invalid("message", "at most 2000 bytes")
	}
	a, err := m.Gate.Deny(ctx, c, in.Act, in.Message)
	return m.shown(c, a, cutAt), err
}

// SettleIn is the input of gate.settle.
type SettleIn struct {
	Act     vyre.GateID `json:"act" jsonschema:"its id"`
	Outcome string      `json:"outcome" jsonschema:"sent or failed"`
	Message string      `json:"message,omitempty" jsonschema:"how you know"`
}

func (m *Module) settle(ctx context.Context, c vyre.Caller, in SettleIn) (Act, error) {
	if in.Outcome != string(vyre.GateSent) && in.Outcome != string(vyre.GateFailed) {
		return Act{}, vyre.Invalid("outcome", "sent or failed")
	}
	if len(in.Message) > 2000 {
		return Act{}, vyre.Invalid("message", "at most 2000 bytes")
	}
	a, err := m.Gate.Settle(ctx, c, in.Act, in.Outcome == string(vyre.GateSent), in.Message)
	return m.shown(c, a, cutAt), err
}
