package feed

import (
	"context"
	"slices"
	"sort"

	"vyre"
)

// Filter says which events a reader wants. The zero value takes all.
type Filter struct {
	Thread vyre.ThreadID // only events of this thread
	Kinds  []vyre.Kind   // only these kinds
}

func (m *Filter) takes(e *vyre.Event) bool {
	return (m.Thread == "" || m.Thread == e.Thread) && (len(m.Kinds) == 0 || slices.Contains(m.Kinds, e.Kind))
}

// scanAtOnce bounds how many events one call looks at, whatever its filter, so
// that no call takes long and the lock is free again soon.
const scanAtOnce = 512

// Since returns events after a cursor that the filter lets through, limit of
// them at most (0 or less: no bound but the call's own), and the cursor to go on
// from. There may be none while next still moved on: then call again. The head
// is reached when next equals Head (or is more, by then).
//
// Cursor 0 starts at the oldest kept event, and what is pruned while such a
// reader catches up is no gap: it asked for what there is. Until it has passed
// the floor, next is therefore negative: -n stands for "read up to n, and came
// from the start". It is a cursor like any other here (Wait takes it too) and
// never 0, but it is between the Feed and the one that reads on: it is not the
// seq of an event, is not shown to a client, and a cursor that a client sends is
// never negative. A client's own cursor is the seq of the last event it got.
// Errors: gap for a cursor beyond the
// head or below the floor, with both as details; what the Log reports.
func (f *Feed) Since(ctx context.Context, after vyre.Seq, match Filter, limit int) (evs []vyre.Event, next vyre.Seq, err error) {
	floor, err := f.bounds(ctx)
	if err != nil {
		return nil, after, err
	}
	at, fresh := after, after <= 0 // fresh: catching up from the start
	if fresh {
		at = -after
	}
	head := f.Head()
	if at > head || !fresh && at < floor {
		return nil, after, gap(after, floor, head)
	}
	if limit <= 0 || limit > scanAtOnce {
		limit = scanAtOnce
	}
	evs, next, ok := f.fromRing(at, match, limit)
	if !ok || at < floor {
		if known, err := f.holds(ctx, at, floor, head); err != nil {
			return nil, after, err
		} else if !fresh && !known {
			return nil, after, lost(after, floor, head)
		}
		evs, next, floor, err = f.fromLog(ctx, at, head, match, limit)
		if err != nil {
			return nil, after, err
		}
		if !fresh && at < floor { // pruned while it was read
			return nil, after, gap(after, floor, head)
		}
	}
	if fresh && next < floor {
		next = -next
	}
	return evs, next, nil
}

// holds asks the log whether a cursor is one of its own.
func (f *Feed) holds(ctx context.Context, at, floor, head vyre.Seq) (bool, error) {
	if at == 0 || at == floor || at == head {
		return true, nil
	}
	return f.log.Holds(ctx, at)
}

func lost(after, floor, head vyre.Seq) error {
	return vyre.Errorf(vyre.CodeGap, "this log does not know cursor %d: it was restored, or what followed was lost", after).
		WithDetail("floor", floor).WithDetail("head", head)
}

func gap(after, floor, head vyre.Seq) error {
	what := "the events after %d were pruned up to %d"
	edge := floor
	if after > head {
		what, edge = "cursor %d is beyond the newest event, %d", head
	}
	return vyre.Errorf(vyre.CodeGap, what, after, edge).WithDetail("floor", floor).WithDetail("head", head)
}

// fromRing reads from memory; ok is false when the ring has not all of it.
func (f *Feed) fromRing(after vyre.Seq, match Filter, limit int) (evs []vyre.Event, next vyre.Seq, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if after < f.base {
		return nil, after, false
	}
	first := sort.Search(f.count, func(i int) bool { return f.at(i).Seq > after })
	last := min(f.count, first+scanAtOnce)
	for i := first; i < last; i++ {
		e := f.at(i)
		if match.takes(e) {
			if len(evs) == limit {
				return evs, next, true
			}
			evs = append(evs, *e)
		}
		next = e.Seq
	}
	if last == f.count { // numbers without an event, at the head, are passed too
		next = max(f.head, after)
	}
	return evs, next, true
}

func (f *Feed) at(i int) *vyre.Event { return &f.ring[(f.start+i)%len(f.ring)] }

// fromLog reads from the log, up to the head that was known before: what is
// newer there is not published yet. floor is that of after the read.
func (f *Feed) fromLog(ctx context.Context, after, head vyre.Seq, match Filter, limit int) (evs []vyre.Event, next, floor vyre.Seq, err error) {
	read := scanAtOnce
	if match.Thread == "" && len(match.Kinds) == 0 {
		read = limit
	}
	all, err := f.log.Since(ctx, after, read)
	if err != nil {
		return nil, after, 0, err
	}
	next = after
	whole := len(all) < read // the log had no more
	for i := range all {
		e := &all[i]
		if e.Seq > head {
			whole = true
			break
		}
		if match.takes(e) {
			if len(evs) == limit {
				whole = false
				break
			}
			evs = append(evs, *e)
		}
		next = e.Seq
	}
	if whole {
		next = head
	}
	floor, err = f.bounds(ctx)
	return evs, next, floor, err
}
