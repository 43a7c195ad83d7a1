import { expect, test } from "vitest";
import { applyEvent } from "../../src/model/fold";
import { emptyTimeline, emptyWorld, noWants } from "../../src/model/world";
import { ask, event, thread } from "./make";

const kinds = [
  "thread.started", "thread.state", "thread.turn", "thread.finished", "thread.text", "thread.tool", "thread.item", "thread.plan",
  "thread.usage", "thread.mode", "thread.model", "thread.renamed", "thread.archived", "thread.stopped", "thread.queued", "thread.sent",
  "thread.edited", "thread.moved", "thread.unqueued", "thread.steered", "ask.raised", "ask.answered", "ask.cancelled", "thread.deleted",
];

// A reader that comes later gets a deleted thread's events without their data: they
// change nothing, ask for nothing and break nothing, whatever their kind.
test("events without data are passed over", () => {
  const w = emptyWorld();
  w.threads.t = thread();
  const before = JSON.stringify(w);
  const wants = noWants();
  for (const kind of kinds) applyEvent(w, { ...event(kind, {}), data: null } as never, wants);
  expect(JSON.stringify(w)).toBe(before);
  for (const of of Object.values(wants)) expect(of.size).toBe(0);
});

// Nothing of a deleted thread is left on the page, nothing of it is read again, and
// another thread keeps what it has.
test("a deleted thread leaves the page", () => {
  const w = emptyWorld();
  const wants = noWants();
  for (const t of ["t", "u"]) {
    w.threads[t] = thread({ thread: t });
    w.timelines[t] = emptyTimeline();
    w.asks["a" + t] = ask("a" + t, { thread: t });
    w.queues[t] = [{ message: "m", text: "plover" }];
    w.steering[t] = [{ message: "n", text: "plover" }];
    w.activity[t] = { since: "", step: 0, item: "", title: "" };
    for (const of of Object.values(wants)) of.add(t);
  }
  applyEvent(w, event("thread.deleted", { by: "person:owner:web" }), wants);
  for (const of of [w.threads, w.timelines, w.queues, w.steering, w.activity]) expect(Object.keys(of)).toEqual(["u"]);
  expect(Object.keys(w.asks)).toEqual(["au"]);
  for (const of of Object.values(wants)) expect([...of]).toEqual(["u"]);
});
