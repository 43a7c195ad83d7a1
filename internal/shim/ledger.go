package shim

import "vyre/internal/shim/proto"

// tellStep is how much is committed, in bytes, before the shim is told again
// while it has room: its bound is far larger.
const tellStep = 1 << 20

// ledger is what the shim is to know of the output that it keeps. process.mu
// guards it.
type ledger struct {
	committed int64 // what Committed and SetOffset were told
	taken     int64 // as far as an unfinished line was read; see readDry
	released  int64 // what Release was told

	toldCommitted int64 // what this connection was told, or is being told
	toldReleased  int64
	urgent        int64 // is told at once
	begun         bool  // Committed was called
	telling       bool  // tellAll runs
}

// forgotten begins anew on another connection.
func (l *ledger) forgotten() {
	l.toldCommitted, l.toldReleased, l.urgent = 0, 0, l.spare()
}

// spare is the offset before which nothing waits.
func (l *ledger) spare() int64 { return max(l.committed, l.taken, l.released) }

// due returns the message that is to be told now, or 0. A shim that holds the
// agent is told in smaller steps, and as soon as nothing waits any more.
func (l *ledger) due(s proto.Status, bound int64) (t proto.Type, offset int64) {
	if l.released > l.toldReleased {
		return proto.TypeRelease, l.released
	}
	known := max(l.toldCommitted, l.toldReleased)
	step := int64(tellStep)
	switch {
	case known < l.urgent:
		step = 1
	case s.Has(proto.FlagBound) && uint64(l.spare()) >= s.End:
		step = 1
	case s.Has(proto.FlagBound):
		step = min(step, max(1, bound/4))
	}
	if l.spare()-known >= step {
		return proto.TypeCommitted, l.spare()
	}
	return 0, 0
}

// told notes what due said.
func (l *ledger) told(t proto.Type, offset int64) {
	if t == proto.TypeRelease {
		l.toldReleased = offset
	} else {
		l.toldCommitted = offset
	}
}

// Committed takes output out of the bound; see engine.Process. It never waits.
// The shim is told at once the first time, and then from tellStep to tellStep,
// with each Release, and while it holds the agent.
func (p *process) Committed(offset int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if offset <= p.ledger.committed {
		return
	}
	p.ledger.committed = offset
	if !p.ledger.begun {
		p.ledger.begun, p.ledger.urgent = true, offset
	}
	p.tellDue()
	if p.status.Has(proto.FlagBound) {
		p.poke() // what is read of an unfinished line may count now
	}
}

// Release says what is not needed any more; see engine.Process. It never waits
// for the shim.
func (p *process) Release(offset int64) {
	p.mu.Lock()
	if offset <= p.ledger.released {
		p.mu.Unlock()
		return
	}
	p.ledger.released = offset
	p.ledger.urgent = p.ledger.spare()
	p.tellDue()
	gone := p.over
	p.mu.Unlock()
	if gone {
		removeSegments(p.s.Dir, offset)
	}
}

// start says where reading begins: what lies before was committed. p.mu is not
// held.
func (p *process) start(offset int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := &p.ledger
	l.committed, l.taken = max(l.committed, offset), 0
	l.urgent = max(l.urgent, l.committed)
	p.tellDue()
}

// readDry runs when Read has nothing to return. Where the shim holds the agent
// in the middle of a line whose beginning is all that waits, what was read of it
// counts as committed: it would never end. The spool still has it.
func (p *process) readDry() {
	p.mu.Lock()
	defer p.mu.Unlock()
	begin := p.reader.pos - p.reader.unfinished()
	if p.status.Has(proto.FlagBound) && p.ledger.committed >= begin && p.reader.pos > begin {
		p.ledger.taken = p.reader.pos
		p.tellDue()
	}
}

// tellDue starts telling the shim what is due, unless that goes on already: what
// comes meanwhile is told with the next. p.mu is held.
func (p *process) tellDue() {
	t, _ := p.ledger.due(p.status, p.l.cfg.BoundBytes)
	if t == 0 || p.ledger.telling || p.c == nil || p.detached() {
		return
	}
	p.ledger.telling = true
	p.wg.Go(p.tellAll)
}

// tellAll tells until nothing is due. A shim that does not read holds up only
// this.
func (p *process) tellAll() {
	for {
		p.mu.Lock()
		c := p.c
		t, offset := p.ledger.due(p.status, p.l.cfg.BoundBytes)
		if t == 0 || c == nil || p.detached() {
			p.ledger.telling = false
			p.mu.Unlock()
			return
		}
		p.ledger.told(t, offset)
		p.mu.Unlock()
		_ = c.tell(t, proto.AppendOffset(nil, uint64(offset))) // if it fails, the next connection is told anew
	}
}
