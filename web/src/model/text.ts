// Appends streamed words to an item. Offsets count bytes of UTF-8, so a reader
// can drop what it already has and notice what it has not.

import type { Item } from "../api/types";
import type { Delta, Timeline } from "./world";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export function byteLength(text: string): number {
  return encoder.encode(text).length;
}

/** Drops the first n bytes of text. */
function skipBytes(text: string, n: number): string {
  return n === 0 ? text : decoder.decode(encoder.encode(text).subarray(n));
}

/** Appends d if its place is reached. False: words before it are missing. */
function place(line: Timeline, item: Item, d: Delta): boolean {
  const span = (line.spans[item.item] ??= { start: 0, end: 0 });
  if (d.offset > span.end) return false;
  const end = d.offset + byteLength(d.text);
  if (end <= span.end) return true; // all of it is here already
  item.text += skipBytes(d.text, span.end - d.offset);
  span.end = end;
  return true;
}

/** Applies d, or holds it until the words before it are known. */
export function applyDelta(line: Timeline, id: string, d: Delta): boolean {
  const item = line.items[id]!;
  if (item.status !== "running") return true; // its text is whole
  if (!line.held[id]?.length && place(line, item, d)) return true;
  (line.held[id] ??= []).push(d);
  return false;
}

/** Applies held words after the item was read again. */
export function releaseHeld(line: Timeline, id: string) {
  const held = line.held[id];
  if (!held?.length) return;
  const item = line.items[id]!;
  delete line.held[id];
  if (item.status !== "running") return;
  held.sort((a, b) => a.offset - b.offset);
  if (held[0]!.offset > line.spans[id]!.end) {
    // The daemon has not the words before either: show what comes, the whole
    // text follows when the item closes.
    item.text = "";
    line.spans[id] = { start: held[0]!.offset, end: held[0]!.offset };
  }
  for (const d of held) place(line, item, d);
}
