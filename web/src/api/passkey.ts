// Signing in with a passkey and letting a phone in: the routes that are open before
// anybody is signed in.

import { touchPasskey } from "../lib/webauthn";
import { errorOf, post } from "./call";
import { keepProof } from "./proof";

async function ask<Out>(path: string, body: unknown): Promise<Out> {
  const res = await post(path, body);
  if (!res.ok) throw await errorOf(res);
  return (await res.json()) as Out;
}

export async function signInByPasskey(): Promise<void> {
  const { options } = await ask<{ options: Record<string, unknown> }>("/v1/sign-in/passkey/begin", {});
  const assertion = await touchPasskey(options);
  keepProof((await ask<{ proof: string }>("/v1/sign-in/passkey", { assertion })).proof);
}

export interface Claim {
  claim: string;
  digits: string;
  expires: string;
}

/** Trades the secret of a code for what this phone goes on with. It works once. */
export const claimPairing = (secret: string) => ask<Claim>("/v1/pair/claim", { secret });

/** Waits until the pairing is in another state than since. */
export const waitPairing = (claim: string, since: string) => ask<{ state: string; why: string }>("/v1/pair/wait", { claim, since });

/** Takes the session that the person confirmed. */
export async function takePairing(claim: string): Promise<void> {
  keepProof((await ask<{ proof: string }>("/v1/pair/take", { claim })).proof);
}
