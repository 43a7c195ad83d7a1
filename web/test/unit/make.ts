// Short makers of the shapes that the tests need.

import type { Ask, Item, Thread, VyreEvent } from "../../src/api/types";

let seq = 0;

export function event(kind: string, data: object, more: Partial<VyreEvent> = {}): VyreEvent {
  return { seq: ++seq, ts: "2026-11-30T14:00:00.000Z", kind, thread: "t", turn: "t:1", data: data as VyreEvent["data"], ...more };
}

export function item(id: string, more: Partial<Item> = {}): Item {
  return {
    item: id, thread: "t", turn: "t:1", kind: "text", status: "running", text: "", body: null, parent: "",
    rev: 1, created: "2026-11-30T14:00:00.000Z", ...more,
  };
}

export function ask(id: string, more: Partial<Ask> = {}): Ask {
  return {
    ask: id, thread: "t", turn: "t:1", kind: "tool", tool: "Bash", title: "", display: "ls", input: {}, digest: "", source: "builtin",
    agent_path: [], blocked: "", why: "", options: [], state: "open", decision: "", by: "", at: null,
    created: "2026-11-30T14:00:00.000Z", ...more,
  };
}

export function thread(more: Partial<Thread> = {}): Thread {
  return {
    thread: "t", provider: "claude", driver: "claude", model: "", mode: "ask", state: "idle", purpose: "", cwd: "/srv", project: "p",
    auth: "login", name: "", node: "box", archived: false, created: "2026-11-30T14:00:00.000Z", updated: "2026-11-30T14:00:00.000Z", ...more,
  };
}

/** A repeatable source of chance. */
export function chance(seed: number) {
  let s = seed >>> 0;
  const next = () => {
    s = (Math.imul(s, 1664525) + 1013904223) >>> 0;
    return s / 2 ** 32;
  };
  return { next, below: (n: number) => Math.floor(next() * n) };
}

export function shuffled<T>(list: T[], seed: number): T[] {
  const { below } = chance(seed);
  const out = [...list];
  for (let i = out.length - 1; i > 0; i--) {
    const j = below(i + 1);
    [out[i], out[j]] = [out[j]!, out[i]!];
  }
  return out;
}
