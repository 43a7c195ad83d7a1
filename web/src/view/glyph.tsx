import { Match, Switch } from "solid-js";
import type { Glyph as Kind } from "../words/threads";
import { Icon } from "./icons";

/** How a thread stands, as a shape in a fixed box. */
export function Glyph(props: { is: Kind }) {
  return (
    <span class="glyph" aria-hidden="true">
      <Switch>
        <Match when={props.is === "you"}>
          <span class="dot-you" />
        </Match>
        <Match when={props.is === "run"}>
          <span class="spin" />
        </Match>
        <Match when={props.is === "wait"}>
          <Icon name="dashed" size={15} />
        </Match>
        <Match when={props.is === "done"}>
          <Icon name="check" size={15} class="dim3" />
        </Match>
        <Match when={props.is === "limit"}>
          <Icon name="clock" size={15} class="dim3" />
        </Match>
        <Match when={props.is === "bad"}>
          <Icon name="circleX" size={15} class="bad-t" />
        </Match>
      </Switch>
    </span>
  );
}
