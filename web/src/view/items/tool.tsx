import { createMemo, createSignal, Match, Show, Switch } from "solid-js";
import type { Item } from "../../api/types";
import { outputText, toolArg, toolBody, toolNote, toolVerb } from "../../words/tools";
import { ExactText } from "../command";
import { Icon } from "../icons";
import { LargeOutput } from "./large";
import { Output } from "./output";
import { ToolInput } from "./input";

const names = { running: "Running", completed: "Completed", failed: "Failed", canceled: "Canceled" };

export function ToolStatus(props: { status: Item["status"] }) {
  return (
    <span class="tool-st" role="img" aria-label={names[props.status]}>
      <Switch>
        <Match when={props.status === "running"}>
          <span class="spin" />
        </Match>
        <Match when={props.status === "completed"}>
          <Icon name="check" size={16} class="add-t" />
        </Match>
        <Match when={props.status === "failed"}>
          <Icon name="x" size={16} class="bad-t" />
        </Match>
        <Match when={props.status === "canceled"}>
          <Icon name="ban" size={15} class="dim3" />
        </Match>
      </Switch>
    </span>
  );
}

/** One call. It opens by itself only when it failed: then its last lines matter. */
export function ToolRow(props: { item: Item; cwd: string }) {
  const body = createMemo(() => toolBody(props.item));
  const output = createMemo(() => outputText(body().output));
  const [wish, setWish] = createSignal<boolean>();
  // Opened by itself it shows what went wrong; opened by hand, all of it.
  const open = () => wish() ?? (props.item.status === "failed" && output() !== "");

  return (
    <details class="tool" open={open()} onToggle={(e) => e.currentTarget.open !== open() && setWish(e.currentTarget.open)}>
      <summary>
        <ToolStatus status={props.item.status} />
        <span class="verb">{toolVerb(props.item)}</span>
        <span class="arg trunc">
          <ExactText text={toolArg(props.item, props.cwd)} />
        </span>
        <span class="dur">{toolNote(props.item)}</span>
        <Icon name="chevronRight" size={16} class="chev" />
      </summary>
      <Show when={open()}>
        <Show when={wish()}>
          <ToolInput tool={body().tool} input={body().input} />
        </Show>
        <Show when={body().output_ref} fallback={<Output text={output()} failed={props.item.status === "failed"} />}>
          {(ref) => <LargeOutput thread={props.item.thread} output={ref()} head={output()} failed={props.item.status === "failed"} />}
        </Show>
      </Show>
    </details>
  );
}
