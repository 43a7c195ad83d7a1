package daemon

import (
	"context"

	"vyre"
	"vyre/agent"
	"vyre/internal/config"
	"vyre/internal/engine"
	"vyre/internal/module/system"
	"vyre/internal/vault"
)

// Kinds of credentials, as the settings, threads and events name them.
const (
	authLogin      = "login"
	authSetupToken = string(agent.CredentialOAuthToken)
	authAPIKey     = string(agent.CredentialAPIKey)
)

// items names the vault item of each kind of a provider's credentials.
var items = map[string]map[string]string{
	"claude": {authSetupToken: "claude-setup-token", authAPIKey: "anthropic-api-key"},
}

// credentials says which credential sessions take, and takes it from the vault when
// a process is started. Whether an item is stored is told by its row: as long as
// none is and the settings name none, the vault's key is neither made nor read.
type credentials struct {
	cfg   config.Sessions
	rows  vault.Store
	vault *vault.Vault
	used  func(ctx context.Context, item string) // notes that a session took an item
}

var _ engine.Credentials = (*credentials)(nil)

// Auth implements engine.Credentials: the setting, else the setup token where a
// person stored one, which is what makes a machine a box in this respect.
func (c *credentials) Auth(ctx context.Context, provider string) (string, error) {
	kind, _, err := c.auth(ctx, provider)
	return kind, err
}

func (c *credentials) auth(ctx context.Context, provider string) (kind, from string, err error) {
	if c.cfg.Auth != "" {
		return c.cfg.Auth, "config", nil
	}
	stored, err := c.stored(ctx, items[provider][authSetupToken])
	if err != nil || !stored {
		return authLogin, "default", err
	}
	return authSetupToken, "vault", nil
}

// Fallback implements engine.Credentials: the key, at a subscription's limit.
func (c *credentials) Fallback(ctx context.Context, provider, auth string) (string, error) {
	if auth == authAPIKey || c.cfg.Fallback != authAPIKey {
		return "", nil
	}
	stored, err := c.stored(ctx, items[provider][authAPIKey])
	if err != nil || !stored {
		return "", err
	}
	return authAPIKey, nil
}

func (c *credentials) stored(ctx context.Context, item string) (bool, error) {
	if item == "" {
		return false, nil
	}
	_, _, err := c.rows.VaultGet(ctx, item)
	if vyre.CodeOf(err) == vyre.CodeNotFound {
		return false, nil
	}
	return err == nil, err
}

// take gets the secret of one session. The agent's own sign-in needs none.
func (c *credentials) take(ctx context.Context, provider, kind string) (*agent.Credential, error) {
	item := items[provider][kind]
	if item == "" {
		return nil, nil
	}
	v, err := c.vault.Read(ctx, item)
	if err != nil {
		return nil, err
	}
	c.used(ctx, item)
	return &agent.Credential{Kind: agent.CredentialKind(kind), Value: v}, nil
}

// report names what sessions of each provider take, for doctor. Never a value.
func (c *credentials) report(ctx context.Context, ps []agent.Provider) []system.Credential {
	out := []system.Credential{}
	for _, p := range ps {
		name := p.Info().Name
		use := system.Credential{Provider: name}
		var err error
		if use.Kind, use.From, err = c.auth(ctx, name); err != nil {
			use.From = "the store can't be read"
		}
		use.Item = items[name][use.Kind]
		use.Stored, _ = c.stored(ctx, use.Item) // an error was told above, or is the next launch's
		use.Brokered = c.cfg.Broker && use.Item != ""
		use.Fallback, _ = c.Fallback(ctx, name, use.Kind)
		out = append(out, use)
	}
	return out
}
