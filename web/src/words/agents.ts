// Names of agents, modes and callers, for people.

import type { Mode, Provider } from "../api/types";

const monograms: Record<string, string> = { claude: "CC", codex: "CX", gemini: "GE", opencode: "OC", native: "VY" };
const names: Record<string, string> = {
  claude: "Claude Code", codex: "Codex", gemini: "Gemini CLI", opencode: "OpenCode", native: "Vyre",
};

export const monogram = (provider: string) => monograms[provider] ?? (provider.slice(0, 2).toUpperCase() || "?");

export function agentName(provider: string, known: Provider[] = []): string {
  return known.find((p) => p.provider === provider)?.label || names[provider] || provider || "The agent";
}

export const modes: { mode: Mode; label: string; says: string }[] = [
  { mode: "ask", label: "Ask first", says: "Reads freely, asks before it changes or runs anything" },
  { mode: "edits", label: "Edit freely", says: "Edits files in the folder, asks before it runs" },
  { mode: "plan", label: "Plan only", says: "Reads and writes a plan for you to approve" },
];

export const modeLabel = (mode: Mode) => modes.find((m) => m.mode === mode)?.label ?? mode;

const surfaces: Record<string, string> = { web: "on the page", cli: "in a terminal" };

/** Who answered: "you", and where; or the caller as it is named. */
export function callerWords(by: string): string {
  const [kind, , surface = ""] = by.split(":");
  if (kind !== "person") return by || "somebody";
  return surfaces[surface] ? `you ${surfaces[surface]}` : "you";
}
