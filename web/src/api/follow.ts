// Follows the log for as long as the page lives: from the head, then from its
// own cursor after every break, and from a fresh snapshot after a gap.

import { readHead, readStream, type End, type Resume } from "./stream";
import type { VyreEvent } from "./types";

export interface FollowHandlers {
  /** Loads the present state; the log is read on from where it stood before this. */
  snapshot(): Promise<void>;
  /** The stream runs from our cursor; up to head it tells what we missed. */
  onLive(cursor: number, head: number): void;
  onEvents(evs: VyreEvent[]): void;
  onLost(nextTry: number): void;
  onGap(): void;
  onSignedOut(): void;
}

export interface Follower {
  /** Ends a wait for the next try. */
  tryNow(): void;
  stop(): void;
}

const delays = [500, 1000, 2000, 4000, 8000, 15_000];

export function follow(on: FollowHandlers): Follower {
  const abort = new AbortController();
  let wake = () => {};
  let cursor: number | undefined;
  let failures = 0;

  function pause(): Promise<void> {
    const base = delays[Math.min(failures++, delays.length - 1)]!;
    const ms = base * (0.8 + 0.4 * Math.random()); // so that tabs don't return in step
    on.onLost(Date.now() + ms);
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async function begin(): Promise<boolean> {
    const head = await readHead(abort.signal);
    if (typeof head !== "number") {
      if (head === "signed-out") throw new SignedOut();
      return false;
    }
    try {
      await on.snapshot();
    } catch {
      return false;
    }
    cursor = head;
    return true;
  }

  function onResume(r: Resume) {
    if (r.status === "gap") cursor = undefined;
    else {
      failures = 0;
      on.onLive(cursor ?? 0, r.head);
    }
  }

  function onEvents(evs: VyreEvent[]) {
    const fresh = evs.filter((e) => e.seq > (cursor ?? Infinity));
    if (!fresh.length) return;
    cursor = fresh[fresh.length - 1]!.seq;
    on.onEvents(fresh);
  }

  async function once(): Promise<End | "unready"> {
    if (cursor === undefined && !(await begin())) return "unready";
    const end = await readStream(cursor!, { onResume, onEvents }, abort.signal);
    return cursor === undefined ? "gap" : end;
  }

  async function run() {
    while (!abort.signal.aborted) {
      const end = await once();
      if (end === "signed-out") throw new SignedOut();
      if (end === "gap") {
        cursor = undefined;
        on.onGap();
      } else if (!abort.signal.aborted) await pause();
    }
  }

  void run().catch((e) => {
    if (!(e instanceof SignedOut)) throw e;
    on.onSignedOut();
  });

  return {
    tryNow: () => wake(),
    stop: () => {
      abort.abort();
      wake();
    },
  };
}

class SignedOut extends Error {}
