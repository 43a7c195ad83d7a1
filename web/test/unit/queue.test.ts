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

// A steered message is on its way until the agent takes it or it comes back; what it
// was once taken into it stays in, whatever comes first.
test("on the way into a turn", () => {
  const w = emptyWorld();
  const wants = noWants();
  const on = () => (w.steering.t ?? []).map((q) => q.message);
  const sent = (message: string, via: string) => applyEvent(w, event("thread.sent", { message, via }), wants);
  apply(w, "thread.queued", "a");
  sent("a", "steer");
  expect([ids(w), on()]).toEqual([[], ["a"]]);
  expect(w.steering.t![0]!.text).toBe("say a");
  mergeQueue(w, "t", [row("a")], ["a"]); // read before it was sent now
  expect([ids(w), on()]).toEqual([[], ["a"]]);
  apply(w, "thread.queued", "a"); // an interrupt gave it back
  expect([ids(w), on(), [...wants.queues]]).toEqual([["a"], [], ["t"]]);
  mergeQueue(w, "t", [], ["a"], [row("a")]); // read before that
  expect([ids(w), on()]).toEqual([["a"], []]);
  sent("b", "steer");
  apply(w, "thread.steered", "b");
  sent("b", "steer");
  mergeQueue(w, "t", [row("a")], ["a", "b"], [row("b")]);
  expect([ids(w), on()]).toEqual([["a"], []]);
  sent("c", "steer");
  sent("c", "turn"); // no step was left
  expect(on()).toEqual([]);
});

// Editing and moving change a row; what is not here is left alone.
test("edits and moves", () => {
  const w = emptyWorld();
  for (const m of ["a", "b", "c"]) apply(w, "thread.queued", m);
  const move = (message: string, before: string) => applyEvent(w, event("thread.moved", { message, before }), noWants());
  move("c", "a");
  expect(ids(w)).toEqual(["c", "a", "b"]);
  move("c", "");
  move("nobody", "a");
  expect(ids(w)).toEqual(["a", "b", "c"]);
  applyEvent(w, event("thread.edited", { message: "b", text: "new" }), noWants());
  expect(w.queues.t![1]).toEqual({ message: "b", text: "new" });
});
