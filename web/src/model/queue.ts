// Messages wait by being read or by an event, and leave by an event; one that left
// stays away, whatever comes first. There are two lists: what waits for the turn's
// end, and what is on its way into the running turn.

import type { VyreEvent } from "../api/types";
import type { Queued, Wants, World } from "./world";

const without = (list: Queued[] | undefined, message: string) => (list ?? []).filter((q) => q.message !== message);

export function foldQueued(w: World, e: VyreEvent, wants: Wants) {
  const queue = (w.queues[e.thread!] ??= []);
  const { message, text } = e.data as { message: string; text?: string };
  delete w.left[message];
  if (w.steering[e.thread!]?.some((q) => q.message === message) || w.taken[message]) {
    delete w.taken[message];
    w.steering[e.thread!] = without(w.steering[e.thread!], message);
    wants.queues.add(e.thread!); // it came back, and not to the end
  }
  if (!queue.some((q) => q.message === message)) queue.push({ message, text: text ?? "" });
}

/** It is not in our hands any more. */
export function foldLeft(w: World, e: VyreEvent) {
  const message = e.data.message as string;
  w.left[message] = true;
  w.taken[message] = true;
  w.queues[e.thread!] = without(w.queues[e.thread!], message);
  w.steering[e.thread!] = without(w.steering[e.thread!], message);
}

export function foldSent(w: World, e: VyreEvent, wants: Wants) {
  if (e.data.via !== "steer") return foldLeft(w, e);
  const message = e.data.message as string;
  const was = w.queues[e.thread!]?.find((q) => q.message === message);
  w.left[message] = true;
  w.queues[e.thread!] = without(w.queues[e.thread!], message);
  const list = (w.steering[e.thread!] ??= []);
  if (w.taken[message] || list.some((q) => q.message === message)) return;
  list.push({ message, text: was?.text ?? "" });
  wants.queues.add(e.thread!); // for its words
}

export function foldEdited(w: World, e: VyreEvent, wants: Wants) {
  const q = w.queues[e.thread!]?.find((x) => x.message === e.data.message);
  if (q) q.text = String(e.data.text ?? "");
  wants.queues.add(e.thread!); // the event holds how the words begin
}

export function foldMoved(w: World, e: VyreEvent) {
  const queue = w.queues[e.thread!] ?? [];
  const moved = queue.find((q) => q.message === e.data.message);
  if (!moved) return;
  const rest = queue.filter((q) => q !== moved);
  const at = rest.findIndex((q) => q.message === e.data.before);
  rest.splice(at < 0 ? rest.length : at, 0, moved);
  w.queues[e.thread!] = rest;
}

/**
 * Takes in an answer of threads.queue, which names all that waited. What was known
 * before it was asked for and is not named any more is gone; what came by an event
 * in the meantime stays, at the end.
 */
export function mergeQueue(w: World, thread: string, named: Queued[], before: string[], steering: Queued[] = []) {
  const old = new Set([...before, ...named.map((q) => q.message), ...steering.map((q) => q.message)]);
  const merge = (now: Queued[] | undefined, read: Queued[], gone: Record<string, true>) => [
    ...read.filter((q) => !gone[q.message]).map(({ message, text }) => ({ message, text })),
    ...(now ?? []).filter((q) => !old.has(q.message)),
  ];
  // A message that was read in one list and has come to the other since stays there.
  const listed = (list: Queued[] | undefined, id: string) => list?.some((q) => q.message === id) ?? false;
  const queue = merge(w.queues[thread], named.filter((q) => !listed(w.steering[thread], q.message)), w.left);
  const way = merge(w.steering[thread], steering.filter((q) => !listed(w.queues[thread], q.message)), w.taken);
  const kept = (now: Queued[] | undefined, other: Queued[]) => (now ?? []).filter((q) => other.some((o) => o.message === q.message));
  const stillQueued = kept(w.queues[thread], steering).filter((q) => !listed(queue, q.message));
  const stillOnTheWay = kept(w.steering[thread], named).filter((q) => !listed(way, q.message));
  w.queues[thread] = [...queue, ...stillQueued];
  w.steering[thread] = [...way, ...stillOnTheWay];
}
