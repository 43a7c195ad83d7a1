// Calls a tool through the HTTP door.

import { dropProof, keepProof, proofHeader } from "./proof";

/** An error as every door gives it; code "offline" is ours: no answer came at all. */
export class ApiError extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly hint = "",
    readonly retryable = false,
    readonly details: Record<string, unknown> = {},
  ) {
    super(message);
  }
}

let onSignedOut = () => {};

/** Names who is told when the door no longer knows us. */
export function whenSignedOut(tell: () => void) {
  onSignedOut = tell;
}

export async function post(path: string, body: unknown): Promise<Response> {
  try {
    return await fetch(path, {
      method: "POST",
      headers: { "content-type": "application/json", ...proofHeader() },
      body: JSON.stringify(body),
      credentials: "same-origin",
      cache: "no-store",
    });
  } catch {
    throw new ApiError("offline", "The daemon did not answer.", "It may have restarted.", true);
  }
}

export async function errorOf(res: Response): Promise<ApiError> {
  const body = (await res.json().catch(() => null)) as { error?: Record<string, unknown> } | null;
  const e = body?.error;
  if (!e) return new ApiError("internal", `The daemon answered ${res.status}.`);
  return new ApiError(
    String(e.code ?? "internal"),
    String(e.message ?? ""),
    String(e.hint ?? ""),
    e.retryable === true,
    (e.details as Record<string, unknown>) ?? {},
  );
}

/** An act that the daemon runs once a passkey was touched for it. */
export interface Raised {
  act: string;
  ticket: string;
  sites: string[];
}

let onTouch: ((raised: Raised) => Promise<unknown>) | undefined;

/** Names who has an act touched, and gives back what the act then answered. */
export function whenTouchIsNeeded(touch: (raised: Raised) => Promise<unknown>) {
  onTouch = touch;
}

export async function call<Out>(tool: string, input: object = {}): Promise<Out> {
  const res = await post(`/v1/tools/${tool}`, input);
  if (res.ok) return (await res.json()) as Out;
  if (res.status === 401) onSignedOut();
  const e = await errorOf(res);
  const { act, ticket, sites } = e.details as Partial<Raised>;
  if (e.code === "presence_required" && act && ticket && onTouch) return (await onTouch({ act, ticket, sites: sites ?? [] })) as Out;
  throw e;
}

/** Trades a one-time code for a session: a cookie, and a proof that the page keeps. */
export async function signIn(code: string): Promise<void> {
  const res = await post("/v1/sign-in", { code });
  if (!res.ok) throw await errorOf(res);
  keepProof(((await res.json()) as { proof: string }).proof);
}

/** Ends the session. One that was ended already is fine. */
export async function signOut(): Promise<void> {
  const res = await post("/v1/sign-out", {});
  if (!res.ok && res.status !== 401) throw await errorOf(res);
  dropProof();
}

/** Any thrown thing as an ApiError, for showing. */
export function asApiError(e: unknown): ApiError {
  return e instanceof ApiError ? e : new ApiError("internal", String(e));
}
