// Single keys, off while somebody types.

import { isPhone } from "../lib/media";
import type { App } from "../state/app";
import { openAsks } from "../state/select";

const typing = (el: Element | null) =>
  el instanceof HTMLElement && (el.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(el.tagName));

function step(by: 1 | -1) {
  const rows = [...document.querySelectorAll<HTMLElement>(".trow, .nq a")];
  if (!rows.length) return;
  const focused = rows.indexOf(document.activeElement as HTMLElement);
  const at = focused >= 0 ? focused : rows.findIndex((r) => r.hasAttribute("aria-current"));
  const to = at < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, at + by));
  rows[to]!.focus();
}

function stepAsk(app: App, by: 1 | -1) {
  const r = app.route();
  if (r.at !== "ask") return false;
  const asks = openAsks(app.world);
  if (!asks.length) return true;
  const at = asks.findIndex((a) => a.ask === r.ask);
  const to = at < 0 ? 0 : (at + by + asks.length) % asks.length;
  app.go(`/ask/${asks[to]!.ask}`);
  return true;
}

export function listenKeys(app: App, toggleDetails: () => void): () => void {
  const onKey = (e: KeyboardEvent) => {
    if (e.defaultPrevented || e.metaKey || e.ctrlKey || e.altKey || typing(e.target as Element)) return;
    const acts: Record<string, () => void> = {
      j: () => stepAsk(app, 1) || step(1),
      k: () => stepAsk(app, -1) || step(-1),
      "/": () => {
        if (isPhone()) app.go("/");
        document.getElementById("search")?.focus();
      },
      c: () => app.go("/new"),
      e: toggleDetails,
      a: () => {
        const ask = openAsks(app.world)[0];
        if (ask) app.go(`/ask/${ask.ask}`);
      },
    };
    const act = acts[e.key.toLowerCase()];
    if (!act) return;
    e.preventDefault();
    act();
  };
  document.addEventListener("keydown", onKey);
  return () => document.removeEventListener("keydown", onKey);
}
