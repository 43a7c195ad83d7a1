import { expect, test } from "vitest";
import { mergeAsks } from "../../src/model/asks";
import { applyEvent } from "../../src/model/fold";
import { emptyWorld, noWants, type World } from "../../src/model/world";
import { openAsks } from "../../src/state/select";
import { ask, event, shuffled } from "./make";

const answered = () => event("ask.answered", { ask: "a", decision: "allow", scope: "once", by: "person:owner:cli" });

// Closed wins over open whatever comes first: events and answers of threads.asks in any order end the same.
test("an answered ask stays answered in every order", () => {
  const steps: ((w: World) => void)[] = [
    (w) => applyEvent(w, event("ask.raised", { ask: "a", kind: "tool", tool: "Bash", title: "" }), noWants()),
    (w) => mergeAsks(w, [ask("a")], "t"),
    (w) => applyEvent(w, answered(), noWants()),
    (w) => mergeAsks(w, [ask("a", { state: "answering" })]),
  ];
  for (let seed = 0; seed < 60; seed++) {
    const w = emptyWorld();
    shuffled(steps, seed).forEach((s) => s(w));
    expect(openAsks(w)).toEqual([]);
    expect(w.asks.a).toMatchObject({ state: "answered", decision: "allow", by: "person:owner:cli" });
  }
});

// The first decision stands: a withdrawal told after an answer changes nothing.
test("a withdrawal does not undo an answer", () => {
  const w = emptyWorld();
  mergeAsks(w, [ask("a")], "t");
  applyEvent(w, answered(), noWants());
  applyEvent(w, event("ask.cancelled", { ask: "a", why: "late" }), noWants());
  expect(w.asks.a!.state).toBe("answered");
});

// An ask raised by an event that we know nothing of is read; one already closed is not.
test("ask.raised asks for the ask once", () => {
  const w = emptyWorld();
  const wants = noWants();
  const raised = event("ask.raised", { ask: "a", kind: "tool", tool: "Bash", title: "" });
  applyEvent(w, raised, wants);
  expect([...wants.asks]).toEqual(["t"]);
  applyEvent(w, answered(), noWants());
  const again = noWants();
  applyEvent(w, raised, again);
  expect([...again.asks]).toEqual([]);
});

// After a gap the list of open asks is the truth: one that it lacks is not open any more.
test("a fresh list ends what it lacks", () => {
  const w = emptyWorld();
  mergeAsks(w, [ask("a"), ask("b", { thread: "u" })], true);
  mergeAsks(w, [ask("b", { thread: "u" })], true);
  expect(openAsks(w).map((a) => a.ask)).toEqual(["b"]);
});
