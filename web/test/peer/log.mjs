// The peer's event log: numbered events, readers with a cursor, pruning.

export class Log {
  events = [];
  head = 0;
  floor = 0;
  readers = new Set();

  add(kind, thread, data, turn) {
    const e = { seq: ++this.head, ts: new Date().toISOString(), kind, data };
    if (thread) e.thread = thread;
    if (turn) e.turn = turn;
    this.events.push(e);
    for (const wake of this.readers) wake([e]);
    return e;
  }

  /** Drops everything so far: an older cursor gets a gap. */
  prune() {
    this.floor = this.head;
    this.events = [];
  }

  since(after) {
    return this.events.filter((e) => e.seq > after);
  }

  isGap(after) {
    return after > this.head || (after !== 0 && after < this.floor);
  }
}
