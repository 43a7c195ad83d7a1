import { expect, test } from "vitest";
import { applyEvent } from "../../src/model/fold";
import { mergeItems } from "../../src/model/items";
import { byteLength } from "../../src/model/text";
import { emptyTimeline, emptyWorld, noWants, type World } from "../../src/model/world";
import { chance, event, item } from "./make";

const words = "Zwölf Größen – 12 № ✓ 👩‍🚀 e\u0301 日本語 and plain words.\n".repeat(4);

/** Cuts text into deltas at random character boundaries. */
function deltas(text: string, seed: number) {
  const { below } = chance(seed);
  const chars = [...text];
  const out: { offset: number; text: string }[] = [];
  for (let i = 0, at = 0; i < chars.length; ) {
    const n = 1 + below(6);
    const piece = chars.slice(i, i + n).join("");
    out.push({ offset: at, text: piece });
    at += byteLength(piece);
    i += n;
  }
  return out;
}

function loaded(): World {
  const w = emptyWorld();
  w.timelines.t = emptyTimeline();
  return w;
}

const say = (w: World, d: { offset: number; text: string }, wants = noWants()) =>
  applyEvent(w, event("thread.text", { item: "i", kind: "text", ...d }), wants);

// Words that are here already are dropped by their byte offset, whole or in part.
test("repeated and overlapping deltas give the text once", () => {
  for (let seed = 0; seed < 40; seed++) {
    const w = loaded();
    const { below } = chance(seed);
    const ds = deltas(words, seed);
    ds.forEach((d, i) => {
      say(w, d);
      if (below(3) === 0) say(w, ds[below(i + 1)]!); // an old one again
    });
    expect(w.timelines.t!.items.i!.text).toBe(words);
  }
});

// A snapshot taken in the middle of a stream joins with the deltas around it.
test("a snapshot in mid-stream neither loses nor doubles words", () => {
  for (let seed = 0; seed < 40; seed++) {
    const ds = deltas(words, seed);
    const { below } = chance(seed + 1000);
    const cut = below(ds.length);
    const w = loaded();
    mergeItems(w.timelines.t!, [item("i", { text: ds.slice(0, cut).map((d) => d.text).join(""), rev: 5 })]);
    ds.slice(below(cut + 1)).forEach((d) => say(w, d));
    expect(w.timelines.t!.items.i!.text).toBe(words);
  }
});

// A delta whose predecessors are missing is held, and the item is read again.
test("a hole is filled by reading the item again", () => {
  const w = loaded();
  const [a, b, c] = [{ offset: 0, text: "one " }, { offset: 4, text: "two " }, { offset: 8, text: "three" }];
  say(w, a);
  const wants = noWants();
  say(w, c, wants);
  expect([...wants.items]).toEqual(["t"]);
  expect(w.timelines.t!.items.i!.text).toBe("one ");
  mergeItems(w.timelines.t!, [item("i", { text: a.text + b.text, rev: 2 })]);
  expect(w.timelines.t!.items.i!.text).toBe("one two three");
});

// Where the daemon has not the beginning yet, what comes is shown; the closed item brings the whole.
test("a stream joined late shows what comes and is whole at its end", () => {
  const w = loaded();
  say(w, { offset: 100, text: "late " });
  mergeItems(w.timelines.t!, [item("i", { rev: 2 })]);
  say(w, { offset: 105, text: "words" });
  expect(w.timelines.t!.items.i!.text).toBe("late words");
  mergeItems(w.timelines.t!, [item("i", { rev: 9, status: "completed", text: "all of it" })]);
  expect(w.timelines.t!.items.i!.text).toBe("all of it");
  say(w, { offset: 110, text: "!" });
  expect(w.timelines.t!.items.i!.text).toBe("all of it");
});
