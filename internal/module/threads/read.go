package threads

import (
	"context"
	"slices"

	"vyre"
	"vyre/internal/store/sqlite"
)

// ListIn is the input of threads.list.
type ListIn struct {
	State    vyre.State   `json:"state,omitempty" jsonschema:"only threads in this state"`
	Project  string       `json:"project,omitempty" jsonschema:"only threads of this project"`
	Purpose  vyre.Purpose `json:"purpose,omitempty" jsonschema:"only threads with this purpose"`
	Node     string       `json:"node,omitempty" jsonschema:"only threads of this node"`
	Archived bool         `json:"archived,omitempty" jsonschema:"those that were put away instead of the others"`
	Limit    int          `json:"limit,omitempty" jsonschema:"at most 200; default 50"`
	Next     string       `json:"next,omitempty" jsonschema:"the next of an earlier answer"`
}

// ListOut is the output of threads.list.
type ListOut struct {
	Threads []vyre.Thread `json:"threads"`
	Next    string        `json:"next"`
}

func (m *Module) list(ctx context.Context, c vyre.Caller, in ListIn) (ListOut, error) {
	limit, err := page(in.Limit)
	if err != nil {
		return ListOut{}, err
	}
	ths, next, err := m.Store.Threads(ctx, sqlite.ThreadQuery{
		State: string(in.State), Project: in.Project, Purpose: string(in.Purpose), Node: in.Node,
		Archived: &in.Archived, Thread: c.Thread(), Limit: limit, Next: in.Next,
	})
	for i := range ths {
		m.waiting(&ths[i])
	}
	return ListOut{filled(ths), next}, err
}

func (m *Module) get(ctx context.Context, _ vyre.Caller, in Ref) (vyre.Thread, error) {
	th, err := m.Store.Thread(ctx, in.Thread)
	m.waiting(&th)
	return th, err
}

// waiting says of a thread that it waits for room on the disk: while there is none
// its row can't.
func (m *Module) waiting(th *vyre.Thread) {
	if th.Parked == "" && m.Engine.WaitsForSpace(th.ID) {
		th.Parked = vyre.ParkedSpace
	}
}

// ItemsIn is the input of threads.items.
type ItemsIn struct {
	Thread   vyre.ThreadID `json:"thread" jsonschema:"the thread"`
	After    vyre.ItemID   `json:"after,omitempty" jsonschema:"items after this one"`
	Before   vyre.ItemID   `json:"before,omitempty" jsonschema:"items before this one"`
	SinceRev *vyre.Seq     `json:"since_rev,omitempty" jsonschema:"items changed after this rev, also those that the conversation went back before"`
	Rewound  bool          `json:"rewound,omitempty" jsonschema:"also items that the conversation went back before"`
	Limit    int           `json:"limit,omitempty" jsonschema:"at most 200; default 50"`
}

// ThreadRef tells the registry which thread a call is about.
func (in ItemsIn) ThreadRef() vyre.ThreadID { return in.Thread }

// ItemsOut is the output of threads.items. Next continues in the direction that
// was read: it is the after, or the before, of the next call; empty at the end.
type ItemsOut struct {
	Items []vyre.Item `json:"items"`
	Next  string      `json:"next"`
}

func (m *Module) items(ctx context.Context, _ vyre.Caller, in ItemsIn) (ItemsOut, error) {
	limit, err := page(in.Limit)
	if err != nil {
		return ItemsOut{}, err
	}
	if in.After != "" && in.Before != "" {
		return ItemsOut{}, vyre.Invalid("before", "after and before don't go together")
	}
	if _, err := m.Store.Thread(ctx, in.Thread); err != nil {
		return ItemsOut{}, err
	}
	items, next, err := m.Store.Items(ctx, sqlite.ItemQuery{
		Thread: in.Thread, After: in.After, Before: in.Before, SinceRev: in.SinceRev, Limit: limit, Rewound: in.Rewound,
	})
	return ItemsOut{filled(items), next}, err
}

// PidsOut is the output of threads.pids. A group is listed until its last
// process is gone.
type PidsOut struct {
	Pids   []int  `json:"pids"`
	Pgids  []int  `json:"pgids"`
	Sids   []int  `json:"sids"`
	Cgroup string `json:"cgroup"`
}

func (m *Module) pids(ctx context.Context, _ vyre.Caller, in Ref) (PidsOut, error) {
	members, cgroup, err := m.Engine.Tree(ctx, in.Thread)
	out := PidsOut{Pids: []int{}, Pgids: []int{}, Sids: []int{}, Cgroup: cgroup}
	for _, p := range members {
		out.Pids = append(out.Pids, p.PID)
		out.Pgids = append(out.Pgids, p.PGID)
		out.Sids = append(out.Sids, p.SID)
	}
	for _, l := range []*[]int{&out.Pids, &out.Pgids, &out.Sids} {
		slices.Sort(*l)
		*l = slices.Compact(*l)
	}
	return out, err
}

// page checks a page's size.
func page(limit int) (int, error) {
	switch {
	case limit == 0:
		return 50, nil
	case limit < 0 || limit > 200:
		return 0, vyre.Invalid("limit", "1 to 200")
	}
	return limit, nil
}

// filled keeps an empty list from becoming null.
func filled[T any](l []T) []T {
	if l == nil {
		return []T{}
	}
	return l
}
