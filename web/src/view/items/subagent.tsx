import { createSignal, For, Show } from "solid-js";
import type { Item } from "../../api/types";
import { toolArg, toolBody } from "../../words/tools";
import { Icon } from "../icons";
import { Entry } from "./entry";
import { ToolStatus } from "./tool";

/** A subagent: one card; its own steps inside, folded. */
export function Subagent(props: { item: Item; thread: string; children: string[] }) {
  const [open, setOpen] = createSignal(false);
  const title = () => toolBody(props.item).title || toolArg(props.item) || "Subagent";
  const steps = () => (props.children.length === 1 ? "1 step" : `${props.children.length} steps`);
  return (
    <details class="card sub" onToggle={(e) => setOpen(e.currentTarget.open)}>
      <summary>
        <ToolStatus status={props.item.status} />
        <span class="grow">
          <span class="t">{title()}</span>
          <span class="d">
            <Icon name="users" size={14} /> Subagent<Show when={props.children.length}> · {steps()}</Show>
          </span>
        </span>
        <Icon name="chevronRight" size={16} class="chev" />
      </summary>
      <Show when={open()}>
        <div class="sub-in">
          <For each={props.children} fallback={<p class="dim3">No steps were told.</p>}>
            {(id) => <Entry thread={props.thread} item={id} />}
          </For>
        </div>
      </Show>
    </details>
  );
}
