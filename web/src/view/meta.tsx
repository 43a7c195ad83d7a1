import { Show } from "solid-js";
import type { Thread } from "../api/types";
import { useApp } from "../state/app";
import { agentName, monogram } from "../words/agents";
import { folderName } from "../words/threads";
import { Icon } from "./icons";

/** An agent as two letters with its name beside them for those who ask. */
export function Monogram(props: { provider: string }) {
  const app = useApp();
  return (
    <abbr class="mg" title={agentName(props.provider, app.providers())}>
      {monogram(props.provider)}
    </abbr>
  );
}

/** Agent, project and machine in one line. */
export function ThreadMeta(props: { thread: Thread; name?: boolean }) {
  const app = useApp();
  return (
    <>
      <Monogram provider={props.thread.provider} />
      <Show when={props.name}>
        <span class="desk">{agentName(props.thread.provider, app.providers())}</span>
        <span class="sep desk" />
      </Show>
      <span class="trunc" title={props.thread.cwd}>
        {folderName(props.thread)}
      </span>
      <Show when={props.thread.node}>
        <span class="sep" />
        <span class="mach">
          <Icon name="server" size={13} />
          {props.thread.node}
        </span>
      </Show>
    </>
  );
}
