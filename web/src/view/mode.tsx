import { createSignal, Show } from "solid-js";
import { asApiError } from "../api/call";
import type { Mode, Provider, Thread } from "../api/types";
import { isPhone } from "../lib/media";
import { useApp } from "../state/app";
import { agentName, modeLabel, modes } from "../words/agents";
import { Icon } from "./icons";
import { Menu, type Choice } from "./menu";

/** The modes that a provider offers; all of them while it has not said. */
export function modeChoices(p: Provider | undefined): Choice[] {
  const offered = p?.modes?.length ? new Set(p.modes.map((m) => m.mode)) : undefined;
  return modes.filter((m) => !offered || offered.has(m.mode)).map((m) => ({ id: m.mode, label: m.label, says: m.says }));
}

/** How much the agent may do without asking; the label follows the log. */
export function ModePicker(props: { thread: Thread }) {
  const app = useApp();
  const [pending, setPending] = createSignal<Mode>();
  const [fault, setFault] = createSignal("");
  const provider = () => app.providers().find((p) => p.provider === props.thread.provider);
  const waits = () => pending() !== undefined && pending() !== props.thread.mode;

  async function choose(mode: string) {
    if (mode === props.thread.mode) return;
    setPending(mode as Mode);
    setFault("");
    try {
      await app.act("threads.mode", { thread: props.thread.thread, mode });
    } catch (e) {
      setPending(undefined);
      setFault(asApiError(e).message);
    }
  }

  return (
    <>
      <Show when={fault()}>
        <span class="hint bad-t" role="alert">{fault()}</span>
      </Show>
      <Menu
        up
        label={`Mode: ${modeLabel(props.thread.mode)}`}
        title={`What ${agentName(props.thread.provider, app.providers())} may do without asking`}
        class="pick"
        chosen={props.thread.mode}
        choices={modeChoices(provider())}
        disabled={app.offline()}
        onChoose={(m) => void choose(m)}
      >
        <Show when={waits()} fallback={<Icon name="shield" size={15} />}>
          <span class="spin" />
        </Show>
        {modeLabel(waits() ? pending()! : props.thread.mode)}
        <Show when={!isPhone()}>
          <Icon name="chevronDown" size={14} />
        </Show>
      </Menu>
    </>
  );
}
