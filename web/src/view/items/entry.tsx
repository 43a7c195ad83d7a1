import { Match, Show, Switch } from "solid-js";
import { useApp } from "../../state/app";
import { Compaction, ErrorCard, Notice, Raw } from "./facts";
import { PlanCard } from "./plan";
import { Reasoning } from "./reasoning";
import { Subagent } from "./subagent";
import { TextBlock } from "./text";
import { ToolRow } from "./tool";

/** One entry of a timeline, by its kind. */
export function Entry(props: { thread: string; item: string; last?: boolean }) {
  const app = useApp();
  const item = () => app.world.timelines[props.thread]?.items[props.item];
  const kind = () => item()?.kind;
  const children = () => {
    const line = app.world.timelines[props.thread];
    return line ? line.order.filter((id) => line.items[id]!.parent === props.item) : [];
  };
  // An item that only an event told of has no words yet, but for streamed ones.
  const toRead = () => item()?.rev === 0 && !["text", "reasoning", "tool"].includes(kind()!);
  const isStack = () => kind() === "tool" && !children().length;
  return (
    <Show when={!toRead() && item()}>
      {(it) => (
        <div class={`entry entry-${isStack() ? "tool" : kind()}`} data-item={props.item}>
          <Switch fallback={<Raw item={it()} />}>
            <Match when={kind() === "user"}>
              <div class="me">
                <span class="sr">You said: </span>
                {it().text}
              </div>
            </Match>
            <Match when={kind() === "text"}>
              <TextBlock item={it()} live={it().status === "running" && Boolean(props.last)} />
            </Match>
            <Match when={kind() === "reasoning"}>
              <Reasoning item={it()} />
            </Match>
            <Match when={kind() === "subagent" || (kind() === "tool" && children().length)}>
              <Subagent item={it()} thread={props.thread} children={children()} />
            </Match>
            <Match when={kind() === "tool"}>
              <ToolRow item={it()} cwd={app.world.threads[props.thread]?.cwd ?? ""} />
            </Match>
            <Match when={kind() === "plan"}>
              <PlanCard item={it()} />
            </Match>
            <Match when={kind() === "compaction"}>
              <Compaction item={it()} />
            </Match>
            <Match when={kind() === "notice"}>
              <Notice item={it()} />
            </Match>
            <Match when={kind() === "error"}>
              <ErrorCard item={it()} />
            </Match>
          </Switch>
        </div>
      )}
    </Show>
  );
}
