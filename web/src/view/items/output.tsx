import { createMemo, createSignal, For, Show } from "solid-js";

const folded = 12;
const telling = /\b(error|fail(ed|ure)?|panic|fatal|denied|not found|exit(ed)? (code|status))\b/i;

/** A call's output: its last lines, all of them on request. */
export function Output(props: { text: string; failed: boolean }) {
  const [all, setAll] = createSignal(false);
  const lines = createMemo(() => props.text.replace(/\n+$/, "").split("\n"));
  const shown = () => (all() || lines().length <= folded ? lines() : lines().slice(-folded));
  const told = () => (props.failed ? shown().findIndex((l) => telling.test(l)) : -1);
  return (
    <Show when={props.text !== ""}>
      <div class="out" tabindex="0" role="group" aria-label="Output">
        <For each={shown()}>
          {(l, i) => (
            <Show when={i() === told()} fallback={`${l}\n`}>
              <b>{l}</b>
              {"\n"}
            </Show>
          )}
        </For>
        <Show when={shown().length < lines().length}>
          <div class="foot">
            Last {shown().length} of {lines().length} lines
            <button type="button" class="link" onClick={() => setAll(true)}>
              Show all
            </button>
          </div>
        </Show>
      </div>
    </Show>
  );
}
