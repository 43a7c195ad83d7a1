// How a thread stands, in a few words.

import type { Ask, Thread } from "../api/types";

export type Glyph = "you" | "run" | "wait" | "done" | "limit" | "bad";

/** The project's folder, by its last name: a project is told by its path. */
export function folderName(t: Thread): string {
  return (t.project || t.cwd).split("/").filter(Boolean).pop() ?? "/";
}

export const threadTitle = (t: Thread) => t.name || folderName(t);

export function glyphOf(t: Thread, asked: boolean): Glyph {
  if (asked) return "you";
  if (t.state === "running" || t.state === "waiting") return "run";
  if (t.state === "starting") return "wait";
  if (t.state === "failed") return "bad";
  if (t.state !== "stopped") return "done";
  if (t.reason === "limit") return "limit";
  return t.reason === "crash" || t.reason === "breach" || t.reason === "budget" ? "bad" : "done";
}

export const glyphWords: Record<Glyph, string> = {
  you: "Needs you", run: "Running", wait: "Starting", done: "Done", limit: "At its limit", bad: "Failed",
};

const stops: Record<string, string> = {
  idle: "Rests. Your next message wakes it.",
  person: "Stopped by you. Your next message starts it again.",
  cap: "Rests, to make room. Your next message wakes it.",
  limit: "The provider’s limit is reached.",
  crash: "The agent died. Your next message starts it again.",
  restart: "The machine restarted. Your next message goes on from here.",
  handoff: "The conversation moved.",
  budget: "Its budget is used up.",
  breach: "It did what was not allowed and was stopped.",
};

/** One sentence about a thread without a process, or nothing. */
export function stopWords(t: Thread): string {
  if (t.state === "failed") return "It did not start. Your next message tries again.";
  return t.state === "stopped" ? (stops[t.reason ?? ""] ?? "Stopped.") : "";
}

const wants: Record<string, string> = {
  Bash: "run a command", Write: "write a file", Edit: "change a file", MultiEdit: "change a file",
  NotebookEdit: "change a notebook", Read: "read a file", WebFetch: "fetch a page", WebSearch: "search the web",
};

/** What an ask wants, without its subject: "wants to run a command". */
export function askWants(a: Ask): string {
  switch (a.kind) {
    case "plan":
      return "has a plan to approve";
    case "question":
      return "asks you a question";
    case "mode":
      return "wants to change its mode";
    case "trust":
      return "asks whether to trust this folder";
    default:
      return `wants to ${wants[a.tool] ?? `use ${a.tool || "a tool"}`}`;
  }
}

/** The same as a line in the list. */
export function askLine(a: Ask): string {
  if (a.kind === "question" && a.title) return `Asks you: ${a.title}`;
  const w = askWants(a);
  return w[0]!.toUpperCase() + w.slice(1);
}
