package redact

import (
	"slices"

	"vyre"
)

// Commit replaces secrets in the words of a change before it is written. What names
// something (ids, keys, paths, hashes) and what must be exact (frames, sealed values)
// stays; TestCommitCleansEveryWord holds the list. Nothing that c shares with its
// maker is changed, but for c's own slices.
func (r *Redactor) Commit(c *vyre.Commit) {
	if r.auto == nil {
		return
	}
	for i := range c.Events {
		c.Events[i].Data = r.JSON(c.Events[i].Data)
	}
	for i := range c.Items {
		it := &c.Items[i]
		it.Text, it.Body = r.String(it.Text), r.JSON(it.Body)
	}
	for i := range c.Outputs {
		c.Outputs[i].Bytes = r.JSON(c.Outputs[i].Bytes)
	}
	for i := range c.Asks {
		r.Ask(&c.Asks[i])
	}
	for i := range c.Messages {
		c.Messages[i].Text = r.String(c.Messages[i].Text)
	}
	r.rest(c)
}

// rest is what a person or a tool of ours words.
func (r *Redactor) rest(c *vyre.Commit) {
	for i := range c.Threads {
		t := &c.Threads[i]
		t.Name, t.Err = r.String(t.Name), r.String(t.Err)
	}
	for i := range c.Turns {
		c.Turns[i].Error = r.String(c.Turns[i].Error)
	}
	for i := range c.Sessions {
		c.Sessions[i].Exit = r.String(c.Sessions[i].Exit)
	}
	for i := range c.Tasks {
		t := &c.Tasks[i]
		t.Title, t.State = r.String(t.Title), r.String(t.State)
	}
	for i := range c.Grants {
		c.Grants[i].GrantSpec = r.grant(c.Grants[i].GrantSpec)
	}
	for i := range c.Audit {
		c.Audit[i].About = r.String(c.Audit[i].About)
	}
	for i := range c.Requests {
		c.Requests[i].Why = r.String(c.Requests[i].Why)
	}
	c.Gate = slices.Clone(c.Gate)
	for i := range c.Gate { // what goes out is exact: the gate takes nothing with a secret in it
		a := &c.Gate[i].Act
		a.Summary, a.Note, a.Outcome, a.Answer = r.String(a.Summary), r.String(a.Note), r.String(a.Outcome), r.Bytes(a.Answer)
	}
	if c.Prompt != nil {
		p := *c.Prompt
		p.Text = r.String(p.Text)
		c.Prompt = &p
	}
}

// Ask replaces secrets in what is shown of a question and in what its driver keeps
// with it. The agent's call itself is not touched: it runs as it was asked about.
func (r *Redactor) Ask(a *vyre.Ask) {
	if r.auto == nil {
		return
	}
	a.Title, a.Display, a.Blocked, a.Why = r.String(a.Title), r.String(a.Display), r.String(a.Blocked), r.String(a.Why)
	a.Message, a.Withdrew = r.String(a.Message), r.String(a.Withdrew)
	a.Input, a.Native = r.JSON(a.Input), r.JSON(a.Native)
	a.AgentPath = r.all(a.AgentPath)
	a.Options = slices.Clone(a.Options)
	for i := range a.Options {
		o := &a.Options[i]
		o.Label, o.Rule = r.String(o.Label), r.String(o.Rule)
		o.Grants = slices.Clone(o.Grants)
		for j := range o.Grants {
			o.Grants[j] = r.grant(o.Grants[j])
		}
	}
}

// grant replaces in a standing allow. It then allows less than it was meant to: no
// call has the mark in it.
func (r *Redactor) grant(g vyre.GrantSpec) vyre.GrantSpec {
	g.Args, g.Path = r.all(g.Args), r.String(g.Path)
	return g
}

func (r *Redactor) all(list []string) []string {
	list = slices.Clone(list)
	for i := range list {
		list[i] = r.String(list[i])
	}
	return list
}

// Error returns err with every secret replaced in what a caller sees of it. The cause,
// which none sees, goes.
func (r *Redactor) Error(err error) error {
	e := vyre.AsError(err)
	if r.auto == nil || e == nil {
		return err
	}
	out := *e
	out.Message, out.Hint, out.Field, out.Err = r.String(e.Message), r.String(e.Hint), r.String(e.Field), nil
	if e.Details != nil {
		out.Details = map[string]any{}
		for k, v := range e.Details {
			out.Details[k] = r.any(v)
		}
	}
	return &out
}

// any replaces in what a detail or a log's attribute holds.
func (r *Redactor) any(v any) any {
	switch v := v.(type) {
	case nil, bool, int, int64, uint64, float64, vyre.Time, vyre.Seq:
		return v
	case string:
		return r.String(v)
	case []string:
		return r.all(v)
	}
	return r.other(v)
}
