import type { GateAct } from "../api/types";

/** One line about an act, for lists. */
export function gateLine(a: GateAct): string {
  return a.kind === "http" ? `${a.options.method} ${a.target}` : `git push to ${a.target}`;
}

export function gateState(a: GateAct): string {
  switch (a.state) {
    case "waiting": return "waits for you";
    case "approved": return "goes out in a moment";
    case "sending": return "is being sent";
    case "sent": return "was sent";
    case "failed": return "was not sent";
    case "unknown": return "may have been sent";
    case "denied": return "was denied";
    case "expired": return "is too late";
    case "cancelled": return "was taken back";
  }
}

/** All that goes out beside the payload, a line each, as it is put on the wire. */
export function gateHead(a: GateAct): string {
  const o = a.options;
  if (a.kind === "git.push")
    return [`push ${o.commit}`, `from ${o.repo}`, `to ${a.target}`, `ref ${o.ref}`, ...(o.expected ? [`replaces ${o.expected}`] : [])].join("\n");
  const lines = [`${o.method} ${a.target}`, ...Object.entries(o.headers ?? {}).map(([name, value]) => `${name}: ${value}`)];
  if (o.secret) lines.push(`${o.secret.header}: ${o.secret.prefix ?? ""}(the vault item ${o.secret.item})`);
  if (a.idempotent) lines.push("Idempotency-Key: (of this act)");
  return lines.join("\n");
}
