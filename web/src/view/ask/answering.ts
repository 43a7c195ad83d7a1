// Whether the whole of an ask has been read, what was typed beside it, and the
// keys that answer it. One card and the bar below it share this.
//
// Nothing is allowed while its beginning and its end were not on the screen, nor in the first half
// second after the card appeared under somebody's finger.

import { createSignal, onCleanup } from "solid-js";

const guardMs = 500;

export function createReading() {
  const [began, setBegan] = createSignal(false);
  const [ended, setEnded] = createSignal(false);
  const [settled, setSettled] = createSignal(false);
  const [note, setNote] = createSignal("");
  const timer = setTimeout(() => setSettled(true), guardMs);
  onCleanup(() => clearTimeout(timer));

  // On the screen, or reached by focus: for those who don't see, that is reading too.
  function watch(el: HTMLElement, read: () => void) {
    const io = new IntersectionObserver((entries) => {
      if (!entries.some((e) => e.isIntersecting)) return;
      read();
      io.disconnect();
    });
    io.observe(el);
    el.addEventListener("focus", read);
    onCleanup(() => io.disconnect());
  }
  /** el stands before the first character. */
  const watchStart = (el: HTMLElement) => watch(el, () => setBegan(true));
  /** el stands after the last character. */
  const watchEnd = (el: HTMLElement) => watch(el, () => setEnded(true));
  const seen = () => began() && ended();

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

  return { seen, ready: () => seen() && settled(), watchStart, watchEnd, watchKeys, note, setNote };
}

export type Reading = ReturnType<typeof createReading>;
