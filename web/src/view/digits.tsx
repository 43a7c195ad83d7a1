// What both sides of a pairing show.

import { For } from "solid-js";
import { now } from "../lib/clock";

export function Digits(props: { digits: string }) {
  return (
    <p class="digits" role="group" aria-label={`The digits ${props.digits.split("").join(" ")}`}>
      <For each={props.digits.split("")}>{(d, i) => <span classList={{ gap: i() === 3 }} aria-hidden="true">{d}</span>}</For>
    </p>
  );
}

export const secondsLeft = (iso: string) => Math.max(0, Math.floor((Date.parse(iso) - now()) / 1000));
