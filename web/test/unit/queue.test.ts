import { expect, test } from "vitest";
import { applyEvent } from "../../src/model/fold";
import { mergeQueue } from "../../src/model/queue";
import { emptyWorld, noWants, type World } from "../../src/model/world";
import { event } from "./make";

const apply = (w: World, kind: string, message: string) => applyEvent(w, event(kind, { message, text: `say ${message}` }), noWants());
const row = (message: string) => ({ message, text: `say ${message}` });
const ids = (w: World) => (w.queues.t ?? []).map((q) => q.message);

// An answer replaces what was known, in its order; it neither brings back what left
// while it was on its way, nor drops what came then.
test("a read queue and events in any order", () => {
  const w = emptyWorld();
  for (const m of ["a", "gone", "b"]) apply(w, "thread.queued", m);
  const before = ids(w);
  apply(w, "thread.sent", "b");
  apply(w, "thread.queued", "new");
  mergeQueue(w, "t", [row("b"), row("a")], before);
  expect(ids(w)).toEqual(["a", "new"]);
  apply(w, "thread.queued", "a"); // told again
  expect(w.queues.t).toEqual([row("a"), row("new")]);
});

// Each event that ends the waiting takes the message out, and leaves others alone.
test("every way out of a queue", () => {
  const w = emptyWorld();
  w.queues.other = [row("x")];
  for (const kind of ["thread.sent", "thread.steered", "thread.unqueued"]) {
    apply(w, "thread.queued", "m");
    expect(ids(w)).toEqual(["m"]);
    apply(w, kind, "m");
    expect(ids(w)).toEqual([]);
  }
  expect(w.queues.other).toEqual([row("x")]);
});
