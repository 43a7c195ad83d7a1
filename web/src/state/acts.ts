// Acts that wait for a touch of a passkey: the one that this page itself began, and
// those of terminals, which can be touched here.

import { createSignal } from "solid-js";
import { ApiError, asApiError, call, whenTouchIsNeeded, type Raised } from "../api/call";
import type { Act } from "../api/types";
import { touchPasskey } from "../lib/webauthn";

interface Mine extends Raised {
  done(out: unknown): void;
  fail(e: ApiError): void;
}

export interface Outcome {
  state: Act["state"];
  output: unknown;
  error?: { code: string; message: string; hint: string; retryable: boolean; details: Record<string, unknown> };
}

export function createActs() {
  const [mine, setMine] = createSignal<Mine>();
  const [waiting, setWaiting] = createSignal<Act[]>([]);

  whenTouchIsNeeded(
    (raised) =>
      new Promise((resolve, reject) => {
        mine()?.fail(new ApiError("not_touched", "No passkey was touched.", "You can try again."));
        const end = (f: () => void) => {
          if (mine()?.act === raised.act) setMine(undefined);
          f();
        };
        setMine({ ...raised, done: (out) => end(() => resolve(out)), fail: (e) => end(() => reject(e)) });
      }),
  );

  /** Reads which acts of others wait. */
  async function read() {
    const got = await call<{ acts: Act[] }>("acts.list");
    setWaiting(got.acts.filter((a) => !a.by.endsWith(":web")));
  }

  /** Has a passkey of this address touched for an act; the act then runs once. */
  async function touch(act: string): Promise<unknown> {
    const { options } = await call<{ options: Record<string, unknown> }>("acts.challenge", { act, site: location.origin });
    const assertion = await touchPasskey(options);
    return (await call<{ output: unknown }>("acts.touch", { act, assertion })).output;
  }

  /** Waits until an act that this page began was touched elsewhere. */
  async function elsewhere(raised: Raised, still: () => boolean): Promise<unknown> {
    while (still()) {
      const got = await call<Outcome>("acts.wait", { ticket: raised.ticket });
      if (got.error) throw new ApiError(got.error.code, got.error.message, got.error.hint, got.error.retryable, got.error.details);
      if (got.state === "done") return got.output;
      if (got.state === "expired") throw new ApiError("expired", "The touch came too late.", "Begin it again.");
    }
    throw new ApiError("not_touched", "No passkey was touched.");
  }

  return { mine, waiting, read: () => read().catch(() => {}), touch, elsewhere, asFault: asApiError };
}
