// Media queries as signals.

import { createSignal, type Accessor } from "solid-js";

function media(query: string): Accessor<boolean> {
  const list = matchMedia(query);
  const [on, set] = createSignal(list.matches);
  list.addEventListener("change", () => set(list.matches));
  return on;
}

export const isPhone = media("(max-width: 760px)");
export const hasDetails = media("(min-width: 1180px)");
