// Messages wait by being read or by an event, and leave by an event; one that left
// stays away, whatever comes first.

import type { VyreEvent } from "../api/types";
import type { Queued, World } from "./world";

export function foldQueued(w: World, e: VyreEvent) {
  const queue = (w.queues[e.thread!] ??= []);
  const { message, text } = e.data as { message: string; text?: string };
  delete w.left[message];
  if (!queue.some((q) => q.message === message)) queue.push({ message, text: text ?? "" });
}

export function foldLeft(w: World, e: VyreEvent) {
  const message = e.data.message as string;
  w.left[message] = true;
  const queue = w.queues[e.thread!];
  if (queue) w.queues[e.thread!] = queue.filter((q) => q.message !== message);
}

/**
 * Takes in an answer of threads.queue, which names all that waited. What was known
 * before it was asked for and is not named any more is gone; what came by an event
 * in the meantime stays, at the end.
 */
export function mergeQueue(w: World, thread: string, named: Queued[], before: string[]) {
  const old = new Set([...before, ...named.map((q) => q.message)]);
  const since = (w.queues[thread] ?? []).filter((q) => !old.has(q.message));
  const waiting = named.filter((q) => !w.left[q.message]).map(({ message, text }) => ({ message, text }));
  w.queues[thread] = [...waiting, ...since];
}
