import { Show } from "solid-js";
import type { Ask, Thread } from "../../api/types";

/** Where a call would run, and why it is asked. */
export function Facts(props: { ask: Ask; thread?: Thread }) {
  const path = () => props.ask.agent_path ?? [];
  const foreign = () => props.ask.source && props.ask.source !== "builtin";
  return (
    <dl class="facts">
      <Show when={props.thread}>
        {(t) => (
          <>
            <dt>In</dt>
            <dd>
              <code>{t().cwd}</code>
              <Show when={t().node}> on {t().node}</Show>
            </dd>
          </>
        )}
      </Show>
      <Show when={foreign()}>
        <dt>Tool from</dt>
        <dd>
          <code>{props.ask.source}</code>
        </dd>
      </Show>
      <Show when={path().length}>
        <dt>Asked by</dt>
        <dd>subagent {path().join(" → ")}</dd>
      </Show>
      <Show when={props.ask.blocked}>
        <dt>Touches</dt>
        <dd>
          <code>{props.ask.blocked}</code>
        </dd>
      </Show>
      <Show when={props.ask.why}>
        <dt>Asks because</dt>
        <dd>{props.ask.why}</dd>
      </Show>
    </dl>
  );
}
