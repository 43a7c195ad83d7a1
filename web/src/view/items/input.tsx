import { For, Match, Show, Switch } from "solid-js";
import { ExactText } from "../command";

type Fields = Record<string, unknown>;
const text = (v: unknown) => (typeof v === "string" ? v : undefined);

/** What a call was given: a command as itself, a change as lines, else its JSON. */
export function ToolInput(props: { tool: string; input: unknown }) {
  const f = () => (props.input ?? {}) as Fields;
  const isChange = () => text(f().old_string) !== undefined && text(f().new_string) !== undefined;
  const isWrite = () => props.tool === "Write" && text(f().content) !== undefined;
  return (
    <Show when={props.input !== undefined && props.input !== null}>
      <div class="in" tabindex="0" role="group" aria-label="Input">
        <Switch fallback={<ExactText text={JSON.stringify(props.input, null, 2)} />}>
          <Match when={text(f().command) !== undefined}>
            <ExactText text={f().command as string} />
          </Match>
          <Match when={isChange()}>
            <Lines text={f().old_string as string} sign="-" />
            <Lines text={f().new_string as string} sign="+" />
          </Match>
          <Match when={isWrite()}>
            <Lines text={f().content as string} sign="+" />
          </Match>
        </Switch>
      </div>
    </Show>
  );
}

function Lines(props: { text: string; sign: "+" | "-" }) {
  return (
    <For each={props.text === "" ? [] : props.text.replace(/\n$/, "").split("\n")}>
      {(l) => (
        <div class={props.sign === "+" ? "ln-add" : "ln-del"}>
          <span class="sg">{props.sign}</span>
          <ExactText text={l} />
        </div>
      )}
    </For>
  );
}
