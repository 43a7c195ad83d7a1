// Everything the page knows. It is a fold over the log on top of snapshots; the
// functions beside this file change it in place and never look at the screen.

import type { Ask, AskState, GateAct, Item, Thread, Usage } from "../api/types";

/** Words that came by events for an item, waiting for the ones before them. */
export interface Delta {
  offset: number;
  text: string;
}

export interface Timeline {
  /** Item ids in order of first appearance. */
  order: string[];
  items: Record<string, Item>;
  /** Which bytes of the item's text we hold: [start, end). */
  spans: Record<string, { start: number; end: number }>;
  held: Record<string, Delta[]>;
  /** The highest rev seen in an answer of threads.items. */
  rev: number;
  /** Cursor to older items, empty when there are none. */
  before: string;
}

/** How an ask ended, kept also for asks we have not seen: closed wins over open. */
export interface Closing {
  state: AskState;
  decision: string;
  scope: string;
  by: string;
  at: string;
  why: string;
}

export interface Activity {
  /** When the running turn began. */
  since: string;
  step: number;
  /** The call that the newest step is. */
  item: string;
  title: string;
}

export interface Queued {
  message: string;
  text: string;
}

export interface World {
  threads: Record<string, Thread>;
  asks: Record<string, Ask>;
  closings: Record<string, Closing>;
  timelines: Record<string, Timeline>;
  /** Status of each turn seen, by turn id. */
  turns: Record<string, string>;
  activity: Record<string, Activity>;
  queues: Record<string, Queued[]>;
  /** Messages on their way into the running turn. */
  steering: Record<string, Queued[]>;
  /** Messages that were seen leaving their queue. */
  left: Record<string, true>;
  /** Messages that the agent was seen taking, or that are its next turn. */
  taken: Record<string, true>;
  usage: Record<string, Usage>;
  /** Acts at the gate that are not over, and those that were looked at. */
  gate: Record<string, GateAct>;
}

export function emptyWorld(): World {
  return {
    threads: {}, asks: {}, closings: {}, timelines: {},
    turns: {}, activity: {}, queues: {}, steering: {}, left: {}, taken: {}, usage: {}, gate: {},
  };
}

export function emptyTimeline(): Timeline {
  return { order: [], items: {}, spans: {}, held: {}, rev: 0, before: "" };
}

/** What an event showed to be out of date, to be read again once per frame. */
export interface Wants {
  items: Set<string>;
  asks: Set<string>;
  threads: Set<string>;
  queues: Set<string>;
  gate: Set<string>;
}

export function noWants(): Wants {
  return { items: new Set(), asks: new Set(), threads: new Set(), queues: new Set(), gate: new Set() };
}
