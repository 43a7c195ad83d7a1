// The second secret of a sign-in. The cookie alone proves nothing: a browser sends
// it to every port of this host, so other servers here may get to see it. This one
// stays in the storage of our own origin, and goes out with each request of ours.

import { load, save } from "../lib/storage";

const slot = "proof";
let here = ""; // where nothing can be stored, it lasts as long as the page

export function keepProof(proof: string) {
  here = proof;
  save(slot, proof);
}

/** Calls back when another tab signed out: this one is signed out with it. */
export function whenProofIsGone(gone: () => void) {
  window.addEventListener("storage", (e) => {
    if ((e.key === `vyre.${slot}` || e.key === null) && !load<string>(slot, "")) gone();
  });
}

export function dropProof() {
  keepProof("");
}

/** The header that goes with each request; none before the sign-in. */
export function proofHeader(): Record<string, string> {
  const proof = load<string>(slot, here); // anew each time: another tab may have signed in
  return proof ? { "vyre-proof": proof } : {};
}
