// What the list shows, drawn from the world.

import type { Ask, Thread } from "../api/types";
import { isOpen } from "../model/asks";
import type { World } from "../model/world";
import { threadTitle } from "../words/threads";

export interface Groups {
  needsYou: Thread[];
  running: Thread[];
  recent: Thread[];
}

/** Open asks, the newest first. */
export function openAsks(w: World): Ask[] {
  return Object.values(w.asks)
    .filter(isOpen)
    .sort((a, b) => b.created.localeCompare(a.created) || a.ask.localeCompare(b.ask));
}

export function askOf(w: World, thread: string): Ask | undefined {
  return openAsks(w).find((a) => a.thread === thread);
}

const running = (t: Thread) => t.state === "running" || t.state === "waiting" || t.state === "starting";

export function groupThreads(w: World, search: string): Groups {
  const q = search.trim().toLowerCase();
  const all = Object.values(w.threads)
    .filter((t) => !t.archived)
    .filter((t) => !q || `${threadTitle(t)} ${t.project} ${t.cwd}`.toLowerCase().includes(q))
    .sort((a, b) => b.updated.localeCompare(a.updated));
  const order = openAsks(w).map((a) => a.thread);
  const asked = new Set(order);
  return {
    needsYou: all.filter((t) => asked.has(t.thread)).sort((a, b) => order.indexOf(a.thread) - order.indexOf(b.thread)),
    running: all.filter((t) => !asked.has(t.thread) && running(t)),
    recent: all.filter((t) => !asked.has(t.thread) && !running(t)),
  };
}
