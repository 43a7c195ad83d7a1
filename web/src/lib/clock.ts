// The time of day, once a second, and times in words.

import { createSignal } from "solid-js";

const [now, setNow] = createSignal(Date.now());
setInterval(() => setNow(Date.now()), 1000);
export { now };

/** How long ago: 40 s, 2 min, 3 h, 5 days. */
export function span(ms: number): string {
  const s = Math.max(0, Math.floor(ms / 1000));
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min`;
  if (s < 86_400) return `${Math.floor(s / 3600)} h`;
  const days = Math.floor(s / 86_400);
  return days === 1 ? "1 day" : `${days} days`;
}

/** A running time: 48s, 3m 12s, 1h 20m. */
export function elapsed(ms: number): string {
  const s = Math.max(0, Math.floor(ms / 1000));
  if (s < 60) return `${s}s`;
  if (s < 3600) return `${Math.floor(s / 60)}m ${String(s % 60).padStart(2, "0")}s`;
  return `${Math.floor(s / 3600)}h ${String(Math.floor((s % 3600) / 60)).padStart(2, "0")}m`;
}

export const clock = (iso: string | number) =>
  new Date(iso).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });

const dayKey = (d: Date) => `${d.getFullYear()}-${d.getMonth()}-${d.getDate()}`;

export const sameDay = (a: string, b: string) => dayKey(new Date(a)) === dayKey(new Date(b));

/** Short for a list: 2m while it is fresh, 13:20 today, Sun this week, 29 Nov before. */
export function age(iso: string, at: number): string {
  const d = new Date(iso);
  const ms = at - d.getTime();
  if (ms < 60_000) return "now";
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)}m`;
  if (dayKey(d) === dayKey(new Date(at))) return clock(iso);
  if (ms < 6 * 86_400_000) return d.toLocaleDateString("en-GB", { weekday: "short" });
  return d.toLocaleDateString("en-GB", { day: "numeric", month: "short" });
}

/** A day for a divider: Today, Yesterday, 29 November. */
export function day(iso: string, at: number): string {
  const d = new Date(iso);
  const words = d.toLocaleDateString("en-GB", { day: "numeric", month: "long" });
  if (dayKey(d) === dayKey(new Date(at))) return `Today, ${words}`;
  if (dayKey(d) === dayKey(new Date(at - 86_400_000))) return `Yesterday, ${words}`;
  return d.getFullYear() === new Date(at).getFullYear() ? words : `${words} ${d.getFullYear()}`;
}
