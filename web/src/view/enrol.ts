// Making a passkey of this browser's own.

import { call } from "../api/call";
import type { Device } from "../api/types";
import { createPasskey } from "../lib/webauthn";
import { deviceName } from "../words/browsers";

export async function enrolHere(name = deviceName(navigator.userAgent)): Promise<Device> {
  const { options } = await call<{ options: Record<string, unknown> }>("devices.enrol.begin", { site: location.origin, name });
  const credential = await createPasskey(options);
  return call<Device>("devices.enrol.finish", { credential });
}
