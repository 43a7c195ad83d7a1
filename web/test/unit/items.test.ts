import { expect, test } from "vitest";
import { applyEvent } from "../../src/model/fold";
import { mergeItems, prependItems } from "../../src/model/items";
import { emptyTimeline, emptyWorld, noWants, type Timeline } from "../../src/model/world";
import { event, item, shuffled, thread } from "./make";

// The answer with the highest rev decides, and a closed item never opens again, in whatever order answers arrive.
test("items merge the same in every order", () => {
  const answers = [
    item("i", { rev: 3, text: "half" }),
    item("i", { rev: 7, status: "completed", text: "half and whole" }),
    item("i", { rev: 8, status: "running", text: "half" }), // can't be, and must not reopen it
    item("i", { rev: 5, text: "half and" }),
  ];
  for (let seed = 0; seed < 60; seed++) {
    const line = emptyTimeline();
    shuffled(answers, seed).forEach((a) => mergeItems(line, [a]));
    const end = line.items.i!;
    expect(end.text).toBe("half and whole");
    expect(end.status).toBe("completed");
  }
});

// thread.tool closes a call before its item was read; the late item does not open it.
test("a tool that an event closed stays closed", () => {
  const w = emptyWorld();
  w.timelines.t = emptyTimeline();
  const tool = (status: string) => event("thread.tool", { item: "i", call: "c", tool: "Bash", title: "ls", status, parent: "" });
  applyEvent(w, tool("running"), noWants());
  applyEvent(w, tool("completed"), noWants());
  mergeItems(w.timelines.t!, [item("i", { kind: "tool", rev: 2, body: { call: "c", tool: "Bash" } })]);
  expect(w.timelines.t!.items.i!.status).toBe("completed");
});

// Order is that of first appearance also when an event was quicker than the answer.
test("an item learned late stands before the one it precedes", () => {
  const line: Timeline = emptyTimeline();
  mergeItems(line, [item("a", { rev: 1 }), item("c", { rev: 3 })]);
  mergeItems(line, [item("b", { rev: 4 }), item("c", { rev: 5 }), item("d", { rev: 6 })]);
  expect(line.order).toEqual(["a", "b", "c", "d"]);
  prependItems(line, [item("y"), item("z"), item("a")], "");
  expect(line.order).toEqual(["y", "z", "a", "b", "c", "d"]);
});

// A turn that ended stays ended when its start is told again after a reconnect.
test("a finished turn does not start again", () => {
  const w = emptyWorld();
  w.threads.t = thread({ state: "running" });
  applyEvent(w, event("thread.turn", { status: "started", origin: "person", messages: [] }), noWants());
  expect(w.activity.t).toBeDefined();
  applyEvent(w, event("thread.turn", { status: "completed", origin: "person", messages: [] }), noWants());
  applyEvent(w, event("thread.finished", { turn: "t:1", status: "completed" }), noWants());
  applyEvent(w, event("thread.turn", { status: "started", origin: "person", messages: [] }), noWants());
  expect(w.turns["t:1"]).toBe("completed");
  expect(w.activity.t).toBeUndefined();
});

// A message and the words that answer it keep their order, though the words stream
// before the message was read (seen with a queued message on the real daemon).
test("an item told by an event holds its place", () => {
  const w = emptyWorld();
  w.timelines.t = emptyTimeline();
  applyEvent(w, event("thread.item", { item: "u", kind: "user", status: "completed", title: "", parent: "" }), noWants());
  applyEvent(w, event("thread.text", { item: "i", kind: "text", offset: 0, text: "Yes" }), noWants());
  mergeItems(w.timelines.t!, [item("u", { kind: "user", status: "completed", text: "Shall I?", rev: 1 })]);
  expect(w.timelines.t!.order).toEqual(["u", "i"]);
  expect(w.timelines.t!.items.u!.text).toBe("Shall I?");
});

// A text that begins with streamed words stands under its subagent at once.
test("streamed words know their parent", () => {
  const w = emptyWorld();
  w.timelines.t = emptyTimeline();
  applyEvent(w, event("thread.text", { item: "s", kind: "text", offset: 0, text: "hi", parent: "sub" }), noWants());
  applyEvent(w, event("thread.text", { item: "m", kind: "text", offset: 0, text: "hi" }), noWants());
  expect([w.timelines.t.items.s!.parent, w.timelines.t.items.m!.parent]).toEqual(["sub", ""]);
});

// What the conversation went back before is not shown, whether an event or an answer tells of it.
test("rewound turns leave the timeline", () => {
  const w = emptyWorld();
  const line = (w.timelines.t = emptyTimeline());
  const all = ["a", "b", "c"].map((id, n) => item(id, { turn: `t:${n + 1}`, rev: n + 1, status: "completed" }));
  mergeItems(line, all);
  applyEvent(w, event("thread.rewound", { message: "m", turn: "t:3", files: false, by: "" }), noWants());
  expect(line.order).toEqual(["a", "b"]);
  mergeItems(line, [item("b", { turn: "t:2", rev: 9, rewound: true }), item("d", { turn: "t:4", rev: 10 })]);
  expect(line.order).toEqual(["a", "d"]);
  expect(line.items.b).toBeUndefined();
  expect(line.rev).toBe(10);
});
