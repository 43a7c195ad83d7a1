package engine

import (
	"slices"

	"vyre"
	"vyre/agent"
)

// A steered message is written to the agent while a turn runs and waits there for
// the agent's next step: state sent, and not among the turn's messages. Three
// things can become of it. The agent takes it into the turn that runs (join); the
// turn ends without such a step, and it becomes the next turn of its own (carry);
// or the agent gives it back, or dies, and it waits in our queue again (requeue).

// canSteer reports whether a message can join the turn that runs. A turn that is
// being interrupted takes nothing more: what is typed after that is for later.
func (o *owner) canSteer() bool {
	r := o.run
	return r != nil && r.ready && r.stopping == "" && r.ladder == 0 && !r.stuck && o.book.turn != nil &&
		r.provider.Info().Capabilities.Steer
}

// steer writes a message to the agent for the turn that runs. What the agent's
// protocol can't say so is queued.
func (o *owner) steer(t *tx, m vyre.Message) vyre.Message {
	if err := t.say(agent.Send{ID: m.SentAs(), Text: m.Text, Steer: true}, "", m.ID); err != nil {
		o.log.Warn("a message could not be written for the running turn; it is queued", "error", err)
		if m.Via == vyre.ViaSteer {
			m.Via = vyre.ViaQueue
		}
		t.putMessage(m)
		t.event(queued(m))
		return m
	}
	m.State, m.Turn = vyre.MessageSent, o.book.turn.ID
	t.putMessage(m)
	t.event(vyre.ThreadSent{Message: m.ID, Via: vyre.ViaSteer, Turn: m.Turn, By: m.By})
	return m
}

// inFlight lists the messages that the agent was given for a turn and has not
// taken yet, in the order in which they were sent.
func (o *owner) inFlight() []vyre.Message {
	var out []vyre.Message
	for _, m := range o.book.sent {
		if m.State == vyre.MessageSent && !o.inTurn(m.ID) {
			out = append(out, m)
		}
	}
	return out
}

// inTurn reports whether a message is one of the running turn's.
func (o *owner) inTurn(id vyre.MessageID) bool {
	return o.book.turn != nil && slices.Contains(o.book.turn.Messages, id)
}

// join notes that the agent took a steered message into the turn that runs.
func (o *owner) join(t *tx, m vyre.Message) {
	o.addToTurn(t, m.ID)
	m.State, m.Turn = vyre.MessageTaken, o.book.turn.ID
	t.putMessage(m)
	t.event(vyre.ThreadSteered{Message: m.ID})
	o.userItem(t, m)
}

func (o *owner) addToTurn(t *tx, id vyre.MessageID) {
	u := o.book.turn
	u.Messages = append(slices.Clone(u.Messages), id)
	t.durable()
	t.putTurn(*u)
}

// carry makes the next turn of the oldest message that was steered into a turn
// which had no step left for it: the agent runs it next. Further ones join that
// turn when the agent puts them together, or are carried on in their turn.
func (o *owner) carry(t *tx) {
	if waiting := o.inFlight(); len(waiting) > 0 {
		o.carryOne(t, waiting[0])
	}
}

func (o *owner) carryOne(t *tx, m vyre.Message) {
	if o.run == nil || o.run.stopping != "" || o.book.turn != nil {
		return // whoever stops it puts them back
	}
	o.book.thread.Turns++
	m.Turn = vyre.MakeTurnID(o.id, o.book.thread.Turns)
	t.putMessage(m)
	o.openTurn(t, m.Turn, vyre.OriginPerson, []vyre.MessageID{m.ID})
	o.run.carried = m.Turn
	t.event(vyre.ThreadSent{Message: m.ID, Via: vyre.ViaTurn, Turn: m.Turn, By: m.By})
	o.userItem(t, m)
}

// dropped notes that the agent will not run a message. One that was steered waits
// in our queue again. If it is what the running turn is about and the agent never
// had it, nothing else will end the turn.
func (o *owner) dropped(t *tx, wire vyre.MessageID) {
	i := slices.IndexFunc(o.book.sent, func(m vyre.Message) bool {
		return m.State == vyre.MessageSent && agent.WireID(m.SentAs()) == wire
	})
	if i < 0 {
		return
	}
	m := o.book.sent[i]
	back := m
	back.Tries++
	switch {
	case !o.inTurn(m.ID):
		o.requeue(t, []vyre.Message{back})
	case o.book.taken: // the turn runs on without it: the agent's word on that turn decides
	case o.run.carried == o.book.turn.ID && o.run.cut != o.book.turn.ID:
		// The interrupt was for the turn before, and reached what waited behind it.
		o.takeBack(t, back)
	default: // what waits behind it may be dropped next, so it is carried on later
		o.closeTurn(t, vyre.TurnCanceled, "", vyre.MessageDone)
	}
}

// takeBack puts the message of a turn that the agent never began into the queue;
// the turn was none.
func (o *owner) takeBack(t *tx, m vyre.Message) {
	o.book.turn.Messages = slices.DeleteFunc(slices.Clone(o.book.turn.Messages), func(id vyre.MessageID) bool { return id == m.ID })
	o.closeTurn(t, vyre.TurnCanceled, "", vyre.MessageDone)
	o.requeue(t, []vyre.Message{m})
}

// settleFlight says what became of the messages in flight when their process is
// gone. The agent's own history decides: what it lacks is queued again, what it
// has belongs to the turn that ran, and where nobody can tell the message is shown
// as unknown and never said twice.
func (o *owner) settleFlight(t *tx, where map[vyre.MessageID]whereabouts) {
	var back []vyre.Message
	for _, m := range o.inFlight() {
		switch {
		case where[m.ID] == placeQueue:
			back = append(back, m)
		case o.book.turn == nil:
			m.State = vyre.MessageUnknown
			t.putMessage(m)
			o.userItem(t, m)
		case where[m.ID] == placeAgent:
			o.join(t, m)
		default:
			o.addToTurn(t, m.ID)
			m.State, m.Turn = vyre.MessageUnknown, o.book.turn.ID
			t.putMessage(m)
			o.userItem(t, m)
		}
	}
	o.requeue(t, back)
}

// whereabouts is where a message is whose process is gone.
type whereabouts int

const (
	placeUnknown whereabouts = iota // nobody can tell
	placeAgent                      // in the agent's own history
	placeQueue                      // the agent never had it
)
