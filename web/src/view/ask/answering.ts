// Whether the whole of an ask has been read, and the keys that answer it.
// Nothing is allowed while the end was not on the screen, nor in the first half
// second after the card appeared under somebody's finger.

import { createSignal, onCleanup } from "solid-js";

const guardMs = 500;

export function createReading() {
  const [seen, setSeen] = createSignal(false);
  const [settled, setSettled] = createSignal(false);
  const timer = setTimeout(() => setSettled(true), guardMs);
  onCleanup(() => clearTimeout(timer));

  /** el stands after the last character. Seen on screen, or reached by focus, it is read. */
  function watchEnd(el: HTMLElement) {
    const io = new IntersectionObserver((entries) => {
      if (!entries.some((e) => e.isIntersecting)) return;
      setSeen(true);
      io.disconnect();
    });
    io.observe(el);
    el.addEventListener("focus", () => setSeen(true));
    onCleanup(() => io.disconnect());
  }

  /** The digit keys press the card's answers while the card itself has the focus. */
  function watchKeys(card: HTMLElement) {
    card.addEventListener("keydown", (e) => {
      const t = e.target as HTMLElement;
      if (/^(INPUT|TEXTAREA)$/.test(t.tagName) && (t as HTMLInputElement).type !== "radio") return;
      if (e.metaKey || e.ctrlKey || e.altKey || !/^[1-9]$/.test(e.key)) return;
      const button = card.querySelector<HTMLButtonElement>(`[data-key="${e.key}"]`);
      if (!button || button.disabled || !settled()) return;
      e.preventDefault();
      button.click();
    });
  }

  return { seen, ready: () => seen() && settled(), watchEnd, watchKeys };
}

export type Reading = ReturnType<typeof createReading>;
