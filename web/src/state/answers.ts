// Answers on their way. "Sending" lasts until the log says how the ask ended;
// only then does the card say that it was answered.

import { createStore } from "solid-js/store";
import { asApiError, call } from "../api/call";
import type { Answer } from "../api/types";

export interface Sent {
  label: string;
  state: "sending" | "failed" | "conflict";
  error?: string;
  hint?: string;
  details?: Record<string, unknown>;
}

/** onChanged is told of an ask that is not any more what was shown. */
export function createAnswers(onChanged: (ask: string) => void) {
  const [all, set] = createStore<Record<string, Sent | undefined>>({});
  const mine = new Set<string>();

  async function answer(input: Answer, label: string) {
    set(input.ask, { label, state: "sending", error: undefined });
    mine.add(input.ask);
    try {
      await call("threads.answer", input);
    } catch (e) {
      const err = asApiError(e);
      mine.delete(input.ask);
      if (err.code === "conflict" && err.details.state === "cancelled") {
        set(input.ask, undefined); // it was withdrawn, as the log says too
        return;
      }
      const changed = err.details.digest !== undefined;
      if (changed) onChanged(input.ask);
      set(input.ask, {
        label,
        state: err.code === "conflict" && !changed ? "conflict" : "failed",
        error: err.message, hint: err.hint, details: err.details,
      });
    }
  }

  return { of: (ask: string) => all[ask], answer, isMine: (ask: string) => mine.has(ask), clear: (ask: string) => set(ask, undefined) };
}
