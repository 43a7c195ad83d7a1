// Reads snapshots through the tools and merges them into the world.

import { produce, type SetStoreFunction } from "solid-js/store";
import { call } from "../api/call";
import type { Ask, GateAct, Item, Provider, Thread } from "../api/types";
import { mergeAsks } from "../model/asks";
import { mergeGate } from "../model/gate";
import { mergeItems, prependItems } from "../model/items";
import { mergeQueue } from "../model/queue";
import { emptyTimeline, type Queued, type World } from "../model/world";

export interface Page<T> {
  list: T[];
  next: string;
}

const pageSize = 100;

export function createLoader(world: World, setWorld: SetStoreFunction<World>) {
  const change = (f: (w: World) => void) => setWorld(produce(f));

  /** One page of the list; the first one replaces what was there. */
  async function threads(next = ""): Promise<string> {
    const got = await call<{ threads: Thread[]; next?: string }>("threads.list", {
      limit: pageSize,
      archived: false,
      ...(next && { next }),
    });
    change((w) => {
      if (!next) w.threads = {};
      for (const t of got.threads) w.threads[t.thread] = t;
    });
    return got.next ?? "";
  }

  async function thread(id: string) {
    const got = await call<Thread>("threads.get", { thread: id });
    change((w) => {
      w.threads[id] = got;
    });
  }

  /** All open asks, of one thread or of all. */
  async function openAsks(of?: string) {
    const asks: Ask[] = [];
    let next = "";
    do {
      const got = await call<{ asks: Ask[]; next?: string }>("threads.asks", {
        ...(of && { thread: of }),
        ...(next && { next }),
      });
      asks.push(...got.asks);
      next = got.next ?? "";
    } while (next);
    change((w) => mergeAsks(w, asks, of ?? true));
  }

  /** One ask in whatever state it is, if it is there. */
  async function ask(id: string): Promise<boolean> {
    const got = await call<{ asks: Ask[] }>("threads.asks", { ask: id });
    change((w) => mergeAsks(w, got.asks));
    return got.asks.length > 0;
  }

  /** The messages that wait, in their order. */
  async function queue(id: string) {
    const before = [...(world.queues[id] ?? []), ...(world.steering[id] ?? [])].map((q) => q.message);
    const got = await call<{ messages: Queued[]; steering: Queued[] }>("threads.queue", { thread: id });
    change((w) => mergeQueue(w, id, got.messages, before, got.steering));
  }

  /** The newest items, replacing what was there. */
  async function timeline(id: string) {
    const got = await call<{ items: Item[]; next?: string }>("threads.items", { thread: id });
    change((w) => {
      const line = emptyTimeline();
      mergeItems(line, got.items);
      line.before = got.next ?? "";
      w.timelines[id] = line;
    });
  }

  async function older(id: string) {
    const before = world.timelines[id]?.before;
    if (!before) return;
    const got = await call<{ items: Item[]; next?: string }>("threads.items", { thread: id, before });
    change((w) => prependItems(w.timelines[id]!, got.items, got.next ?? ""));
  }

  /** What changed since the last read. */
  async function changedItems(id: string) {
    const line = world.timelines[id];
    if (!line) return;
    const got = await call<{ items: Item[]; next?: string }>("threads.items", { thread: id, since_rev: line.rev });
    if (got.next) return timeline(id); // more changed than one page holds
    change((w) => {
      const now = w.timelines[id];
      if (now) mergeItems(now, got.items);
    });
  }

  /** All acts at the gate that are not over. */
  async function gate(open = "") {
    const got = await call<{ acts: GateAct[] }>("gate.list");
    change((w) => mergeGate(w, got.acts, open));
  }

  /** One act, whole, in whatever state it is. */
  async function gateAct(id: string): Promise<boolean> {
    const got = await call<GateAct>("gate.get", { act: id });
    change((w) => {
      w.gate[id] = got;
    });
    return true;
  }

  async function providers(): Promise<Provider[]> {
    return (await call<{ providers: Provider[] }>("providers.list")).providers;
  }

  return { threads, thread, openAsks, ask, queue, timeline, older, changedItems, gate, gateAct, providers };
}
