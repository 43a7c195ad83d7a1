package daemon

import (
	"context"
	"slices"
	"strings"

	"vyre"
	"vyre/agent"
	"vyre/internal/broker"
	"vyre/internal/config"
	"vyre/internal/engine"
	"vyre/internal/module/system"
	"vyre/internal/vault"
)

// brokers gives sessions their own keys, where the settings want it. A session that
// began with one keeps it, whatever the settings say since.
type brokers struct {
	*broker.Broker
	cfg   config.Config
	vault *vault.Vault
}

var _ engine.Broker = brokers{}

// Open implements engine.Broker.
func (b brokers) Open(_ context.Context, t vyre.Thread, p agent.Provider, opts *agent.Options) (addr, hash string, err error) {
	rules, ok := p.(agent.Brokered)
	if !ok || !b.cfg.Sessions.Broker || opts.Credential == nil {
		return "", "", nil
	}
	s, err := b.session(t, p.Info().Name, rules.Brokering(), string(opts.Credential.Kind))
	if err != nil {
		return "", "", err
	}
	addr, key, hash, err := b.Broker.Open(s)
	if err != nil {
		return "", "", err
	}
	vault.Wipe(opts.Credential.Value)
	opts.Credential = &agent.Credential{Kind: s.Kind, Value: []byte(key)}
	opts.Env = brokered(opts.Env, s.Rules.Env, addr)
	return addr, hash, nil
}

// Adopt implements engine.Broker.
func (b brokers) Adopt(t vyre.Thread, p agent.Provider, was vyre.Session) error {
	rules, ok := p.(agent.Brokered)
	if !ok {
		return vyre.Errorf(vyre.CodeInternal, "%s knows no broker", p.Info().Name)
	}
	s, err := b.session(t, p.Info().Name, rules.Brokering(), t.Auth)
	if err != nil {
		return err
	}
	return b.Broker.Adopt(was.Broker, was.BrokerKey, s)
}

func (b brokers) session(t vyre.Thread, provider string, rules agent.Brokering, kind string) (broker.Session, error) {
	item := items[provider][kind]
	if _, ok := rules.Keys[agent.CredentialKind(kind)]; !ok || item == "" {
		return broker.Session{}, vyre.Errorf(vyre.CodeUnavailable, "no broker is possible for the credential %s of %s", kind, provider)
	}
	up := rules.Base
	if named := b.cfg.Providers[provider].Env[rules.Env]; named != "" {
		up = named
	}
	return broker.Session{
		Thread: t.ID, Rules: rules, Kind: agent.CredentialKind(kind), Upstream: up,
		Secret: func(ctx context.Context) ([]byte, error) { return b.vault.Read(ctx, item) },
	}, nil
}

// brokered is an environment whose agent finds the broker, past any proxy.
func brokered(env []string, name, addr string) []string {
	host, _, _ := strings.Cut(addr, ":")
	out := slices.DeleteFunc(slices.Clone(env), func(kv string) bool {
		n, _, _ := strings.Cut(kv, "=")
		return n == name || n == "NO_PROXY" || n == "no_proxy"
	})
	for _, n := range []string{"NO_PROXY", "no_proxy"} {
		v := host
		if old := value(env, n); old != "" {
			v = old + "," + host
		}
		out = append(out, n+"="+v)
	}
	return append(out, name+"=http://"+addr)
}

// uses is what passed the brokers, by thread, for doctor.
func (b brokers) uses() []system.Brokered {
	out := []system.Brokered{}
	for _, u := range b.Uses() {
		out = append(out, system.Brokered(u))
	}
	slices.SortFunc(out, func(a, b system.Brokered) int { return strings.Compare(string(a.Thread), string(b.Thread)) })
	return out
}
