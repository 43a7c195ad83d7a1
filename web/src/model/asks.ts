// Asks open by being read and close by an event; closed wins whatever comes first.

import type { Ask } from "../api/types";
import type { Closing, World } from "./world";

export const isOpen = (a: Ask) => a.state === "open" || a.state === "answering";

export function closeAsk(w: World, id: string, c: Closing) {
  const had = w.closings[id];
  if (had?.state === "answered") return; // the first decision stands
  w.closings[id] = c;
  const ask = w.asks[id];
  if (ask) close(ask, c);
}

function close(ask: Ask, c: Closing) {
  ask.state = c.state;
  ask.decision = c.decision as Ask["decision"];
  ask.scope = c.scope as Ask["scope"];
  ask.by = c.by;
  ask.at = c.at;
}

/** Takes in an answer of threads.asks. One that names all open asks also ends those it lacks. */
export function mergeAsks(w: World, asks: Ask[], allOpenOf?: string | true) {
  for (const next of asks) {
    const had = w.asks[next.ask];
    if (had && !isOpen(had) && isOpen(next)) continue;
    const ask = { ...next };
    const c = w.closings[next.ask];
    if (c && isOpen(ask)) close(ask, c);
    w.asks[next.ask] = ask;
  }
  if (allOpenOf === undefined) return;
  const listed = new Set(asks.map((a) => a.ask));
  for (const ask of Object.values(w.asks)) {
    const covered = allOpenOf === true || ask.thread === allOpenOf;
    if (covered && isOpen(ask) && !listed.has(ask.ask)) delete w.asks[ask.ask];
  }
}
