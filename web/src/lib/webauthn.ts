// Passkeys, as the browser does them. Browsers differ in whether they read and write
// WebAuthn's JSON themselves, so it is done here: bytes travel as base64url.

import { ApiError } from "../api/call";

type Json = Record<string, any>;

/** Whether this page may use passkeys at all: they go by name, on localhost or https. */
export const canPasskeys = () => window.isSecureContext && "credentials" in navigator && "PublicKeyCredential" in window;

function bytes(text: string): ArrayBuffer {
  const raw = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(raw, (c) => c.charCodeAt(0)).buffer;
}

function text(buf: ArrayBuffer | null | undefined): string | undefined {
  if (!buf) return undefined;
  const raw = String.fromCharCode(...new Uint8Array(buf));
  return btoa(raw).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

const ids = (list: Json[] | undefined) => list?.map((c) => ({ ...c, id: bytes(c.id) })) as PublicKeyCredentialDescriptor[] | undefined;

/** Makes a passkey on this device. */
export async function createPasskey(options: Json): Promise<Json> {
  const o = options.publicKey as Json;
  const publicKey = {
    ...o,
    challenge: bytes(o.challenge),
    user: { ...o.user, id: bytes(o.user.id) },
    excludeCredentials: ids(o.excludeCredentials),
  } as unknown as PublicKeyCredentialCreationOptions;
  const made = await asked(() => navigator.credentials.create({ publicKey }));
  const r = made.response as AuthenticatorAttestationResponse;
  return {
    ...head(made),
    response: {
      clientDataJSON: text(r.clientDataJSON),
      attestationObject: text(r.attestationObject),
      transports: r.getTransports?.() ?? [],
    },
  };
}

/** Touches a passkey for the challenge of the daemon. */
export async function touchPasskey(options: Json): Promise<Json> {
  const o = options.publicKey as Json;
  const publicKey = { ...o, challenge: bytes(o.challenge), allowCredentials: ids(o.allowCredentials) } as unknown as PublicKeyCredentialRequestOptions;
  const got = await asked(() => navigator.credentials.get({ publicKey }));
  const r = got.response as AuthenticatorAssertionResponse;
  return {
    ...head(got),
    response: {
      clientDataJSON: text(r.clientDataJSON),
      authenticatorData: text(r.authenticatorData),
      signature: text(r.signature),
      userHandle: text(r.userHandle),
    },
  };
}

const head = (c: PublicKeyCredential) => ({ id: c.id, rawId: text(c.rawId), type: c.type, clientExtensionResults: {} });

/** Says in words why a browser did not do it. */
async function asked(ask: () => Promise<Credential | null>): Promise<PublicKeyCredential> {
  if (!canPasskeys()) throw new ApiError("no_passkeys", "This browser can’t use passkeys here.", "Open the page on localhost or on its https name.");
  try {
    const c = await ask();
    if (c) return c as PublicKeyCredential;
  } catch (e) {
    const name = e instanceof DOMException ? e.name : "";
    if (name === "InvalidStateError") throw new ApiError("enrolled", "This device has a passkey for this page already.", "Its name is in the list.");
    if (name !== "NotAllowedError" && name !== "AbortError") throw new ApiError("no_passkeys", `The browser refused: ${e instanceof Error ? e.message : String(e)}`);
  }
  throw new ApiError("not_touched", "No passkey was touched.", "You can try again.");
}
