package cli

import (
	"context"
	"fmt"
	"strings"

	"vyre"
	"vyre/internal/cli/term"
	"vyre/internal/cli/view"
	"vyre/internal/client"
)

// Lengths of whole ids: these are used as they are, without a look at a list.
const (
	wholeThread = 36
	wholeAsk    = 18
)

// thread finds the thread that a person means: its id, its name, or the
// beginning of its id where only one begins so.
func (a *app) thread(ctx context.Context, c *client.Client, ref string) (vyre.ThreadID, error) {
	if len(ref) == wholeThread && vyre.ValidID(ref) {
		return vyre.ThreadID(ref), nil
	}
	var all []named
	for _, archived := range []bool{false, true} {
		ts, err := names(ctx, c, archived)
		if err != nil {
			return "", err
		}
		all = append(all, ts...)
		id, err := match("thread", ref, all, "`vyre ls` lists the threads.")
		if err == nil || archived || vyre.CodeOf(err) != vyre.CodeNotFound {
			return vyre.ThreadID(id), err
		}
	}
	return "", nil // not reached: the second round returns
}

// names lists the threads, or those that were put away.
func names(ctx context.Context, c *client.Client, archived bool) ([]named, error) {
	var all []named
	in := listInput{Limit: pageSize}
	if archived {
		in.Archived = &archived
	}
	for {
		var out struct {
			Threads []vyre.Thread `json:"threads"`
			Next    string        `json:"next"`
		}
		if err := c.Call(ctx, "threads.list", in, &out); err != nil {
			return nil, err
		}
		for _, t := range out.Threads {
			all = append(all, named{id: string(t.ID), name: t.Name})
		}
		if in.Next = out.Next; in.Next == "" || len(out.Threads) == 0 {
			return all, nil
		}
	}
}

// pageSize is the largest page of a list.
const pageSize = 200

// ask finds an open ask by its id or the beginning of it.
func (a *app) ask(ctx context.Context, c *client.Client, ref string) (vyre.AskID, error) {
	if len(ref) == wholeAsk && vyre.ValidID(ref) {
		return vyre.AskID(ref), nil
	}
	asks, err := openAsks(ctx, c, "")
	if err != nil {
		return "", err
	}
	ns := make([]named, len(asks))
	for i, x := range asks {
		ns[i] = named{id: string(x.ID), name: term.Line(x.Tool+" "+x.Title, 40)}
	}
	id, err := match("open ask", ref, ns, "`vyre asks` lists what is open.")
	return vyre.AskID(id), err
}

// named is something that can be meant.
type named struct{ id, name string }

// match finds the one that ref means: a whole id before a name before the
// beginning of an id. Two that fit are an error that names them.
func match(what, ref string, all []named, hint string) (string, error) {
	if ref == "" {
		return "", vyre.Invalid(strings.ReplaceAll(what, " ", "_"), "it is empty").WithHint(hint)
	}
	tests := []func(named) bool{
		func(n named) bool { return n.id == ref },
		func(n named) bool { return n.name == ref },
		func(n named) bool { return strings.HasPrefix(n.id, ref) },
	}
	for _, fits := range tests {
		var found []named
		for _, n := range all {
			if fits(n) {
				found = append(found, n)
			}
		}
		switch len(found) {
		case 0:
		case 1:
			return found[0].id, nil
		default:
			return "", ambiguous(what, ref, found)
		}
	}
	return "", vyre.NotFound(what, ref).WithHint(hint)
}

func ambiguous(what, ref string, found []named) error {
	ids := make([]string, 0, len(found))
	list := make([]string, 0, len(found))
	for _, n := range found {
		ids = append(ids, n.id)
		list = append(list, strings.TrimSpace(view.Short(n.id)+" "+term.Line(n.name, 24)))
	}
	if len(list) > 6 {
		list = append(list[:6], "…")
	}
	return vyre.Errorf(vyre.CodeInvalid, "%q could be %d %ss: %s", ref, len(found), what, strings.Join(list, ", ")).
		WithHint("Give more of the id.").WithDetail("matches", ids)
}

// openAsks lists the open asks of a thread, or of all.
func openAsks(ctx context.Context, c *client.Client, thread vyre.ThreadID) ([]vyre.Ask, error) {
	var all []vyre.Ask
	next := ""
	for {
		var out struct {
			Asks []vyre.Ask `json:"asks"`
			Next string     `json:"next"`
		}
		if err := c.Call(ctx, "threads.asks", asksInput{Thread: thread, Limit: pageSize, Next: next}, &out); err != nil {
			return nil, err
		}
		all = append(all, out.Asks...)
		if next = out.Next; next == "" || len(out.Asks) == 0 {
			return all, nil
		}
	}
}

// withThread runs f with the thread that ref means.
func (a *app) withThread(ctx context.Context, ref string, f func(id vyre.ThreadID) error) error {
	c, err := a.client()
	if err != nil {
		return err
	}
	defer c.Close()
	id, err := a.thread(ctx, c, ref)
	if err != nil {
		return err
	}
	return f(id)
}

// done is the line that a finished act leaves.
func done(format string, args ...any) string { return fmt.Sprintf(format, args...) + "\n" }
