// Merges what threads.items answers into a timeline.

import type { Item } from "../api/types";
import { byteLength, releaseHeld } from "./text";
import type { Timeline } from "./world";

const closed = (i: Item) => i.status !== "running";

/** The newer of two states of one item: by rev, but closed wins over open. */
function newer(cur: Item, next: Item, held: number): Item {
  const older = closed(cur) === closed(next) ? next.rev < cur.rev : closed(cur);
  if (older) return cur;
  const keepsWords = closed(next) ? next.text === "" : byteLength(next.text) < held;
  return keepsWords ? { ...next, text: cur.text } : next;
}

/** Puts unknown items before the next known one of the answer, else at the end. */
function insert(order: string[], items: Item[], known: (id: string) => boolean) {
  for (let i = items.length - 1; i >= 0; i--) {
    const id = items[i]!.item;
    if (known(id)) continue;
    const next = items.slice(i + 1).find((it) => order.includes(it.item));
    order.splice(next ? order.indexOf(next.item) : order.length, 0, id);
  }
}

/** The n of a turn "<thread>:n", 0 for none. */
export const turnNumber = (turn: string | null) => Number(turn?.split(":")[1] ?? 0) || 0;

function drop(line: Timeline, gone: (it: Item) => boolean) {
  for (const id of line.order) {
    if (!gone(line.items[id]!)) continue;
    delete line.items[id];
    delete line.spans[id];
    delete line.held[id];
  }
  line.order = line.order.filter((id) => id in line.items);
}

/** The conversation went back before a turn: it and all after it are not shown. */
export function dropFrom(line: Timeline, turn: number) {
  if (turn > 0) drop(line, (it) => turnNumber(it.turn) >= turn);
}

export function mergeItems(line: Timeline, all: Item[]) {
  const left = new Set(all.filter((it) => it.rewound).map((it) => it.item));
  if (left.size) drop(line, (it) => left.has(it.item));
  const items = all.filter((it) => !it.rewound);
  for (const it of all) line.rev = Math.max(line.rev, it.rev);
  insert(line.order, items, (id) => id in line.items);
  for (const next of items) {
    const id = next.item;
    const cur = line.items[id];
    const span = line.spans[id];
    const kept = cur ? newer(cur, next, span ? span.end - span.start : 0) : { ...next };
    if (cur !== kept) {
      const sameWords = cur && cur.text === kept.text;
      line.items[id] = kept;
      if (!sameWords || !span) line.spans[id] = { start: 0, end: byteLength(kept.text) };
    }
    line.rev = Math.max(line.rev, next.rev);
    releaseHeld(line, id);
  }
}

/** Puts a page of older items in front. */
export function prependItems(line: Timeline, items: Item[], before: string) {
  const fresh = items.filter((it) => !(it.item in line.items));
  line.order.unshift(...fresh.map((it) => it.item));
  for (const it of fresh) {
    line.items[it.item] = it;
    line.spans[it.item] = { start: 0, end: byteLength(it.text) };
  }
  line.before = before;
}
