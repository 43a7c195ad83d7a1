package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"vyre"
	"vyre/internal/cli/view"
)

// vaultList is what vault.list answers.
type vaultList struct {
	Items []struct {
		Name    string    `json:"name"`
		Version int       `json:"version"`
		Updated vyre.Time `json:"updated"`
		Used    vyre.Time `json:"used"`
		Grants  []struct {
			Kind   string `json:"kind"`
			Holder string `json:"holder"`
		} `json:"grants"`
	} `json:"items"`
	Requests []vaultRequest `json:"requests"`
}

type vaultRequest struct {
	Request string    `json:"request"`
	Thread  string    `json:"thread"`
	Name    string    `json:"name"`
	Why     string    `json:"why"`
	Created vyre.Time `json:"created"`
}

type vaultHolder struct {
	Name   string `json:"name"`
	Kind   string `json:"kind"`
	Holder string `json:"holder"`
}

// vaultHolders are the commands about who may have an item.
func (a *app) vaultHolders() []*cobra.Command {
	grant := a.command("grant NAME KIND HOLDER", "Let a thread, project, agent or module have an item", 3, 3, func(ctx context.Context, args []string) error {
		return tool(ctx, a, "vault.grant", vaultHolder{args[0], args[1], args[2]}, func(anything) string {
			return done("%s may have %s", args[1]+" "+args[2], args[0])
		})
	})
	revoke := a.command("revoke NAME KIND HOLDER", "Take a grant back; what was read, was read", 3, 3, func(ctx context.Context, args []string) error {
		return tool(ctx, a, "vault.revoke", vaultHolder{args[0], args[1], args[2]}, func(anything) string {
			return done("%s may not have %s any more", args[1]+" "+args[2], args[0])
		})
	})
	answer := a.command("answer REQUEST", "Give an agent the item that it asks for; a value is read from standard input where there is none yet", 1, 1, a.vaultAnswer)
	decline := a.command("decline REQUEST", "Decline an agent's request for an item", 1, 1, func(ctx context.Context, args []string) error {
		type input struct {
			Request string `json:"request"`
		}
		q, err := a.vaultRequest(ctx, args[0])
		if err != nil {
			return err
		}
		return tool(ctx, a, "vault.decline", input{q.Request}, func(anything) string { return done("declined %s", q.Name) })
	})
	return []*cobra.Command{grant, revoke, answer, decline}
}

// vaultAnswer stores the item of a request, where it is not there, and grants it to
// the thread that asks.
func (a *app) vaultAnswer(ctx context.Context, args []string) error {
	q, err := a.vaultRequest(ctx, args[0])
	if err != nil {
		return err
	}
	list, err := a.vaultListed(ctx)
	if err != nil {
		return err
	}
	there := false
	for _, it := range list.Items {
		there = there || it.Name == q.Name
	}
	a.note("Thread %s asks for %s: %s", view.Short(q.Thread), q.Name, q.Why)
	if !there {
		value, err := a.secret(ctx, q.Name)
		if err != nil {
			return err
		}
		if err := a.keepValue(ctx, "put", q.Name, value); err != nil {
			return err
		}
	}
	return tool(ctx, a, "vault.grant", vaultHolder{q.Name, string(vyre.HolderThread), q.Thread}, func(anything) string {
		return done("thread %s may have %s", view.Short(q.Thread), q.Name)
	})
}

func (a *app) vaultListed(ctx context.Context) (out vaultList, err error) {
	c, err := a.client()
	if err != nil {
		return out, err
	}
	defer c.Close()
	return out, c.Call(ctx, "vault.list", anything{}, &out)
}

// vaultRequest finds an open request by the beginning of its id.
func (a *app) vaultRequest(ctx context.Context, id string) (vaultRequest, error) {
	list, err := a.vaultListed(ctx)
	if err != nil {
		return vaultRequest{}, err
	}
	var found []vaultRequest
	for _, q := range list.Requests {
		if strings.HasPrefix(q.Request, id) {
			found = append(found, q)
		}
	}
	switch len(found) {
	case 0:
		return vaultRequest{}, vyre.NotFound("open request", id).WithHint("`vyre vault ls` lists them.")
	case 1:
		return found[0], nil
	}
	return vaultRequest{}, vyre.Invalid("request", "%q is the beginning of several", id)
}
