import { createEffect, createSignal, on, Show } from "solid-js";
import { isPhone } from "../lib/media";
import { load, save } from "../lib/storage";
import { useApp } from "../state/app";
import { agentName } from "../words/agents";
import { Icon } from "./icons";
import { ModePicker } from "./mode";

/** Where one writes to a thread. The button says what will become of the words. */
export function Composer(props: { thread: string }) {
  const app = useApp();
  const slot = `draft.${props.thread}`;
  const [text, setText] = createSignal(load(slot, ""));
  const t = () => app.world.threads[props.thread]!;
  const name = () => agentName(t().provider, app.providers());
  const busy = () => t().state === "running" || t().state === "waiting";
  /** Whether words can join the turn that runs; an agent that can't queues them. */
  const steers = () => app.providers().find((p) => p.provider === t().provider)?.capabilities?.steer !== false;
  const empty = () => text().trim() === "";
  let field!: HTMLTextAreaElement;

  createEffect(on(text, (v) => save(slot, v), { defer: true }));

  /** While a turn runs the words join it, unless they are to wait for its end. */
  function send(wait = false) {
    if (empty() || app.offline()) return;
    const said = text().trim();
    setText("");
    void app.sending.send(props.thread, said, wait).then(() => app.settle(props.thread));
    field.focus();
  }

  const hint = () => {
    if (app.offline()) return empty() ? "" : "Kept as a draft on this device. It isn’t sent until you press Send.";
    if (t().state === "waiting") return "It gets this after your answer.";
    if (t().state === "starting") return "It gets this when it has started.";
    if (!busy()) return "";
    return steers() ? "Joins this turn at the next step." : "Waits in the queue until this turn ends.";
  };

  return (
    <form
      class="comp"
      onSubmit={(e) => {
        e.preventDefault();
        send();
      }}
    >
      <textarea
        id="composer"
        class="ta"
        ref={field}
        rows="1"
        aria-label={`Message ${name()}`}
        aria-describedby="composer-hint"
        placeholder={`Message ${name()}`}
        value={text()}
        onInput={(e) => setText(e.currentTarget.value)}
        onKeyDown={(e) => {
          if (e.key === "Enter" && !e.shiftKey && !e.isComposing && !isPhone()) {
            e.preventDefault();
            send(e.altKey && busy());
          } else if (e.key === "Escape") {
            e.preventDefault(); // the first Esc leaves the field, it interrupts nothing
            field.blur();
          }
        }}
      />
      <div class="bar">
        <span class="hint grow" classList={{ minor: !app.offline() }} id="composer-hint">
          {hint()}
        </span>
        <ModePicker thread={t()} />
        <Show when={t().model}>
          <span class="pick still desk" title="Model">
            {t().model}
          </span>
        </Show>
        <Show when={busy() && steers()}>
          <button
            type="button"
            class="pick after"
            title="Alt Enter"
            disabled={empty() || app.offline()}
            onClick={() => send(true)}
          >
            <Icon name="queue" size={16} /> After this turn
          </button>
        </Show>
        <button type="submit" class="send round" disabled={empty() || app.offline()} aria-label={busy() && steers() ? "Send into this turn" : "Send"}>
          <Icon name="up" size={18} />
        </button>
      </div>
    </form>
  );
}
