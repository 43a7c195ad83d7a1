// What a tool call did, as a verb and its argument.

import type { Item, ToolBody } from "../api/types";

const verbs: Record<string, [past: string, present: string]> = {
  Bash: ["Ran", "Running"], BashOutput: ["Looked at", "Looking at"], KillShell: ["Stopped", "Stopping"],
  Read: ["Read", "Reading"], Write: ["Wrote", "Writing"], Edit: ["Edited", "Editing"],
  MultiEdit: ["Edited", "Editing"], NotebookEdit: ["Edited", "Editing"], Glob: ["Searched", "Searching"],
  Grep: ["Searched", "Searching"], WebFetch: ["Fetched", "Fetching"], WebSearch: ["Searched the web", "Searching the web"],
  Agent: ["Asked a subagent", "Subagent"], Task: ["Asked a subagent", "Subagent"], Skill: ["Used a skill", "Using a skill"],
  AskUserQuestion: ["Asked you", "Asking you"], ExitPlanMode: ["Showed a plan", "Showing a plan"],
};

export function toolBody(item: Item): ToolBody {
  const b = (item.body ?? {}) as Partial<ToolBody>;
  return { call: "", tool: "", title: "", source: "", ...b };
}

export function toolVerb(item: Item): string {
  const b = toolBody(item);
  const v = verbs[b.tool];
  if (v) return item.status === "running" ? v[1] : v[0];
  const mcp = b.tool.match(/^mcp__(.+?)__(.+)$/);
  const name = mcp ? `${mcp[2]} of ${mcp[1]}` : b.tool || "a tool";
  return item.status === "running" ? `Using ${name}` : `Used ${name}`;
}

const telling = ["command", "file_path", "notebook_path", "path", "pattern", "url", "query", "description", "skill"];

/** The part of the input that says most, on one line. */
export function toolArg(item: Item, cwd = ""): string {
  const b = toolBody(item);
  const input = b.input as Record<string, unknown> | undefined;
  for (const key of telling) {
    const v = input?.[key];
    if (typeof v !== "string" || !v) continue;
    const short = cwd && v.startsWith(`${cwd}/`) ? v.slice(cwd.length + 1) : v;
    return short.replace(/\s*\n\s*/g, " ↵ ");
  }
  return b.title === b.tool ? "" : b.title;
}

/** A tool's output as text: a string, text blocks, or the provider's structure. */
export function outputText(output: unknown): string {
  if (output === undefined || output === null) return "";
  if (typeof output === "string") return output;
  if (Array.isArray(output) && output.every((b) => b && typeof b === "object" && "type" in b)) {
    return output.map((b) => (b.type === "text" ? String(b.text) : `[${b.type}]`)).join("\n");
  }
  return JSON.stringify(output, null, 2);
}

const bys: Record<string, string> = {
  person: "allowed by you", grant: "by a grant", rule: "by a rule", hook: "by a hook", mode: "by the mode",
};

/** The words at the end of a row. */
export function toolNote(item: Item): string {
  if (item.status === "failed") return "failed";
  if (item.status === "canceled") return "canceled";
  return bys[toolBody(item).by ?? ""] ?? "";
}
