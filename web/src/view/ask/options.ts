// An ask's options as answers, and what each of them would do.

import type { Answer, Ask, AskOption } from "../../api/types";

const once: AskOption = { id: "", label: "Allow once", kind: "allow", scope: "once" };

export function allowOptions(a: Ask): AskOption[] {
  const allow = (a.options ?? []).filter((o) => o.kind === "allow");
  return allow.length ? allow : [once];
}

export function optionWords(a: Ask, o: AskOption): { label: string; says: string; rule: string } {
  const rule = o.rule ?? "";
  switch (o.scope) {
    case "session":
      return { label: o.label || "Allow for this session", says: rule ? "Until it ends, anything like" : "Until the session ends", rule };
    case "project":
      if (rule && o.label.endsWith(`: ${rule}`)) return { label: o.label.slice(0, -rule.length - 2), says: "Kept for the project:", rule };
      return { label: o.label || "Always in this project", says: rule ? "Kept for the project:" : "Kept for the project", rule };
    default:
      if (a.kind === "trust") return { label: o.label || "Use it", says: "Just these files; a change is asked about again", rule: "" };
      return { label: o.label || "Allow once", says: a.tool === "Bash" ? "This command, this time" : "This call, this time", rule: "" };
  }
}

export function allowWith(a: Ask, o: AskOption): Answer {
  return { ask: a.ask, digest: a.digest, decision: "allow", ...(o.id && { option: o.id }), ...(o.scope && { scope: o.scope }) };
}

/** A plan's approval that goes on in a mode: the option of that name where it is offered. */
export function approveWith(a: Ask, mode: "ask" | "edits"): Answer {
  const id = mode === "edits" ? "approve_edits" : "approve";
  const o = (a.options ?? []).find((x) => x.id === id);
  return { ask: a.ask, digest: a.digest, decision: "allow", mode, ...(o && { option: o.id }) };
}

export function denyWith(a: Ask, note: string, stop = false): Answer {
  const o = (a.options ?? []).find((x) => x.kind === "deny");
  const message = note.trim();
  return {
    ask: a.ask,
    digest: a.digest,
    decision: "deny",
    ...(o && !stop && { option: o.id }),
    ...(message && { message }),
    ...(stop && { interrupt: true }),
  };
}
