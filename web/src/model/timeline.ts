// The events that move a timeline. An item first seen in an event is made up
// from it and read properly right after.

import type { Item, ItemKind, ItemStatus, VyreEvent } from "../api/types";
import { applyDelta } from "./text";
import type { Timeline, Wants, World } from "./world";

function ensure(line: Timeline, e: VyreEvent, wants: Wants, make: () => Partial<Item>): Item {
  const id = e.data.item as string;
  const had = line.items[id];
  if (had) return had;
  wants.items.add(e.thread!);
  line.items[id] = {
    item: id, thread: e.thread!, turn: e.turn ?? null, kind: "text", status: "running",
    text: "", body: null, parent: "", rev: 0, created: e.ts, ...make(),
  };
  line.order.push(id);
  return line.items[id]!;
}

export function foldText(w: World, e: VyreEvent, wants: Wants) {
  const line = w.timelines[e.thread!];
  if (!line) return;
  const d = e.data as { item: string; kind: ItemKind; offset: number; text: string; parent?: string };
  ensure(line, e, wants, () => ({ kind: d.kind, parent: d.parent ?? "" }));
  if (!applyDelta(line, d.item, { offset: d.offset, text: d.text })) wants.items.add(e.thread!);
}

export function foldTool(w: World, e: VyreEvent, wants: Wants) {
  const d = e.data as { item: string; call: string; tool: string; title: string; status: ItemStatus; parent: string; by?: string };
  const act = w.activity[e.thread!];
  if (act && d.status === "running") {
    act.title = d.title || d.tool;
    if (act.item !== d.item) act.step++;
    act.item = d.item;
  }
  const line = w.timelines[e.thread!];
  if (!line) return;
  const item = ensure(line, e, wants, () => ({
    kind: "tool", status: d.status, parent: d.parent,
    body: { call: d.call, tool: d.tool, title: d.title, source: "", by: d.by },
  }));
  if (item.status === "running") item.status = d.status;
  wants.items.add(e.thread!);
}

export function foldItem(w: World, e: VyreEvent, wants: Wants) {
  const line = w.timelines[e.thread!];
  if (!line) return;
  const d = e.data as { item: string; kind?: ItemKind; status?: ItemStatus; parent?: string };
  // It holds its place from here on, though its words are still to be read: the
  // answer to it may already be streaming.
  ensure(line, e, wants, () => ({ kind: d.kind ?? "plan", status: d.status ?? "completed", parent: d.parent ?? "" }));
  wants.items.add(e.thread!);
}
