package daemon

import (
	"context"
	"time"

	"vyre"
	"vyre/internal/redact"
	"vyre/internal/vault"
)

// knowSecrets opens every item of the vault, so that its value is found in what is
// written. Where none is stored the key is not touched. An item that can't be opened
// is told: its value can't be found, and no session gets it.
func (h *house) knowSecrets(ctx context.Context) {
	items, err := h.db.VaultList(ctx)
	if err != nil {
		h.opt.Log.Error("the vault's items can't be listed: none of them is kept out of records", "error", err)
		return
	}
	var all []redact.Secret
	for _, it := range items {
		err := h.db.VaultVersions(ctx, it.Name, func(version int, sealed []byte) {
			v, err := h.vault.Open(it.Name, version, sealed)
			if err != nil {
				h.opt.Log.Error("an item of the vault can't be opened: it is not kept out of records", "item", it.Name, "version", version, "error", err)
				return
			}
			all = append(all, redact.Secret{Name: it.Name, Value: v})
		})
		if err != nil {
			h.opt.Log.Error("an item of the vault can't be read: it is not kept out of records", "item", it.Name, "error", err)
		}
	}
	h.redact.AddAll(all)
	for _, s := range all {
		vault.Wipe(s.Value)
	}
}

// itemUsed notes when an item was last handed out. That it can't be noted stops nobody.
func (h *house) itemUsed(ctx context.Context, name string) {
	if err := h.db.Commit(ctx, &vyre.Commit{Taken: &vyre.VaultUse{Name: name, At: vyre.At(time.Now())}}); err != nil {
		h.opt.Log.Warn("that an item was used can't be noted", "item", name, "error", err)
	}
}

// known keeps a value out of what is written from now on.
func (h *house) known(name string, value []byte) { h.redact.Add(name, value) }
