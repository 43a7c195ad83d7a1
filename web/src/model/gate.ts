// Acts that leave the machine. Events say that one changed; what it is now is read.

import type { GateAct } from "../api/types";
import type { World } from "./world";

/** Those that a person has something to do about: a decision, a way back, an outcome that nobody knows. */
export function gateOpen(w: World): GateAct[] {
  return Object.values(w.gate)
    .filter((a) => a.state === "waiting" || a.state === "approved" || a.state === "sending" || a.state === "unknown")
    .sort((a, b) => b.created.localeCompare(a.created) || a.act.localeCompare(b.act));
}

/** What is live replaces what was known, but for the act that is open: it is read by itself. */
export function mergeGate(w: World, acts: GateAct[], open = "") {
  const live = new Set(acts.map((a) => a.act));
  for (const a of gateOpen(w)) if (!live.has(a.act) && a.act !== open) delete w.gate[a.act];
  for (const a of acts) if (a.act !== open || !w.gate[open]) w.gate[a.act] = a;
}
