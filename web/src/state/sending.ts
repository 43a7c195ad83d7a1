// Messages on their way. Each has a key from its first press of Enter until the
// daemon has it, also over a reload, so trying again can't say it twice.

import { createStore } from "solid-js/store";
import { asApiError, call, type ApiError } from "../api/call";
import type { Item } from "../api/types";
import { load, save } from "../lib/storage";

export interface Outgoing {
  key: string;
  text: string;
  /** It is to wait for the turn's end. */
  wait?: boolean;
  state: "sending" | "accepted" | "failed";
  via?: string;
  turn?: string | null;
  error?: string;
}

const slot = (thread: string) => `outgoing.${thread}`;

export function createSending() {
  const [all, set] = createStore<Record<string, Outgoing[]>>({});

  function of(thread: string): Outgoing[] {
    return all[thread] ?? [];
  }

  function keep(thread: string) {
    save(slot(thread), of(thread).filter((o) => o.state !== "accepted"));
  }

  /** Brings back what a reload cut off: the daemon may or may not have it. */
  function restore(thread: string) {
    if (all[thread]) return;
    const left = load<Outgoing[]>(slot(thread), []);
    set(thread, left.map((o) => ({ ...o, state: "failed", error: "The page was closed while it was sent." })));
  }

  const update = (thread: string, key: string, to: Partial<Outgoing>) => {
    set(thread, (o) => o.key === key, to);
    keep(thread);
  };

  async function attempt(thread: string, key: string, text: string, queue: boolean) {
    try {
      const got = await call<{ message: string; via: string; turn: string | null }>("threads.send", {
        thread, text, key, ...(queue && { mode: "queue" }),
      });
      // What waits, for the turn's next step or its end or for a process, the log shows in the queue.
      if (got.via !== "turn") drop(thread, key);
      else update(thread, key, { state: "accepted", via: got.via, turn: got.turn });
    } catch (e) {
      const err: ApiError = asApiError(e);
      update(thread, key, { state: "failed", error: err.message });
    }
  }

  function send(thread: string, text: string, queue: boolean) {
    const key = crypto.randomUUID();
    set(thread, (list = []) => [...list, { key, text, wait: queue, state: "sending" }]);
    keep(thread);
    return attempt(thread, key, text, queue);
  }

  function again(thread: string, key: string) {
    const o = of(thread).find((x) => x.key === key);
    if (!o) return;
    update(thread, key, { state: "sending", error: undefined });
    void attempt(thread, key, o.text, o.wait ?? false);
  }

  function drop(thread: string, key: string) {
    set(thread, (list = []) => list.filter((o) => o.key !== key));
    keep(thread);
  }

  /** An accepted message gives way to its own item in the timeline. */
  function settle(thread: string, items: Item[]) {
    const said = items.filter((i) => i.kind === "user");
    for (const o of of(thread)) {
      if (o.state !== "accepted") continue;
      const own = said.some((i) => {
        const id = (i.body as { message?: string } | null)?.message;
        return id ? id === o.key : i.text === o.text && (!o.turn || i.turn === o.turn);
      });
      if (own) drop(thread, o.key);
    }
  }

  return { of, send, again, drop, restore, settle };
}
