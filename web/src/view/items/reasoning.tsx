import { createSignal, Show } from "solid-js";
import type { Item } from "../../api/types";
import { Icon } from "../icons";
import { TextBlock } from "./text";

/** Thinking: one line, folded, opens in place. */
export function Reasoning(props: { item: Item }) {
  const [open, setOpen] = createSignal(false);
  return (
    <Show when={props.item.text || props.item.status === "running"}>
      <details class="think" onToggle={(e) => setOpen(e.currentTarget.open)}>
        <summary class="fold">
          <Icon name="brain" size={16} />
          {props.item.status === "running" ? "Thinking" : "Thought"}
          <Icon name="chevronRight" size={15} class="chev" />
        </summary>
        <Show when={open()}>
          <TextBlock item={props.item} live={false} />
        </Show>
      </details>
    </Show>
  );
}
