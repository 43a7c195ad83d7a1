// One event of the log changes what the page knows, or says what to read again.

import type { Mode, State, Usage, VyreEvent } from "../api/types";
import { closeAsk } from "./asks";
import { dropFrom, turnNumber } from "./items";
import { foldEdited, foldLeft, foldMoved, foldQueued, foldSent } from "./queue";
import { foldItem, foldText, foldTool } from "./timeline";
import type { Wants, World } from "./world";

type Fold = (w: World, e: VyreEvent, wants: Wants) => void;

const str = (v: unknown) => (typeof v === "string" ? v : "");

const folds: Record<string, Fold> = {
  "thread.started": (w, e, wants) => {
    const t = w.threads[e.thread!];
    if (!t) return void wants.threads.add(e.thread!);
    t.mode = e.data.mode as Mode;
    if (e.data.model) t.model = str(e.data.model);
  },
  "thread.state": (w, e, wants) => {
    const t = w.threads[e.thread!];
    if (!t) return void wants.threads.add(e.thread!);
    t.state = e.data.to as State;
    t.reason = str(e.data.reason);
    t.updated = e.ts;
    if (t.state !== "running" && t.state !== "waiting") delete w.activity[t.thread];
  },
  "thread.turn": (w, e) => {
    const status = str(e.data.status);
    const had = w.turns[e.turn!];
    if (had && had !== "started") return;
    w.turns[e.turn!] = status;
    if (status === "started") w.activity[e.thread!] = { since: e.ts, step: 0, item: "", title: "" };
  },
  "thread.finished": (w, e, wants) => {
    w.turns[str(e.data.turn)] = str(e.data.status);
    delete w.activity[e.thread!];
    if (w.timelines[e.thread!]) wants.items.add(e.thread!);
    // What a turn that was cut off left on its way may be anywhere.
    if (w.steering[e.thread!]?.length) wants.queues.add(e.thread!);
  },
  "thread.text": (w, e, wants) => foldText(w, e, wants),
  "thread.tool": (w, e, wants) => foldTool(w, e, wants),
  "thread.item": (w, e, wants) => foldItem(w, e, wants),
  "thread.plan": (w, e, wants) => foldItem(w, e, wants),
  "thread.usage": (w, e) => {
    w.usage[e.thread!] = e.data as unknown as Usage;
  },
  "thread.mode": (w, e) => {
    const t = w.threads[e.thread!];
    if (t) t.mode = e.data.mode as Mode;
  },
  "thread.model": (w, e) => {
    const t = w.threads[e.thread!];
    if (t) t.model = str(e.data.model);
  },
  "thread.renamed": (w, e) => {
    const t = w.threads[e.thread!];
    if (t) t.name = str(e.data.name);
  },
  "thread.archived": (w, e) => {
    const t = w.threads[e.thread!];
    if (t) t.archived = e.data.archived === true;
  },
  "thread.stopped": (w, e) => {
    const t = w.threads[e.thread!];
    if (t) t.reason = str(e.data.reason);
  },
  "thread.deleted": (w, e, wants) => {
    for (const of of [w.threads, w.timelines, w.activity, w.queues, w.steering, w.usage]) delete of[e.thread!];
    for (const of of [wants.items, wants.asks, wants.threads, wants.queues, wants.gate]) of.delete(e.thread!);
    for (const [id, act] of Object.entries(w.gate)) if (act.thread === e.thread) delete w.gate[id];
    for (const [id, ask] of Object.entries(w.asks)) if (ask.thread === e.thread) delete w.asks[id];
  },
  "thread.rewound": (w, e) => {
    const line = w.timelines[e.thread!];
    if (line) dropFrom(line, turnNumber(str(e.data.turn)));
  },
  "thread.queued": foldQueued,
  "thread.sent": foldSent,
  "thread.edited": foldEdited,
  "thread.moved": foldMoved,
  "thread.unqueued": foldLeft,
  "thread.steered": foldLeft,
  "ask.raised": (w, e, wants) => {
    const id = str(e.data.ask);
    if (!w.closings[id] && !w.asks[id]) wants.asks.add(e.thread!);
  },
  "ask.answered": (w, e) =>
    closeAsk(w, str(e.data.ask), {
      state: "answered", decision: str(e.data.decision), scope: str(e.data.scope),
      by: str(e.data.by), at: e.ts, why: "",
    }),
  "ask.cancelled": (w, e) =>
    closeAsk(w, str(e.data.ask), {
      state: "cancelled", decision: "", scope: "", by: "", at: e.ts, why: str(e.data.why),
    }),
};

export function applyEvent(w: World, e: VyreEvent, wants: Wants) {
  if (e.data === null) return; // of a thread that was deleted since
  if (e.kind.startsWith("gate.")) wants.gate.add(str(e.data.act));
  folds[e.kind]?.(w, e, wants);
}

