import { Match, Switch } from "solid-js";
import { load, save } from "../../lib/storage";
import { useApp } from "../../state/app";
import type { Outgoing } from "../../state/sending";
import { Icon } from "../icons";

/** A message on its way. Its fate stands under it. */
export function OutgoingMessage(props: { thread: string; message: Outgoing }) {
  const app = useApp();

  function takeBack() {
    const field = document.getElementById("composer") as HTMLTextAreaElement | null;
    const draft = [field?.value ?? load(`draft.${props.thread}`, ""), props.message.text].filter(Boolean).join("\n");
    app.sending.drop(props.thread, props.message.key);
    save(`draft.${props.thread}`, draft);
    if (!field) return;
    field.value = draft;
    field.dispatchEvent(new InputEvent("input", { bubbles: true }));
    field.focus();
  }

  return (
    <div class="entry entry-user">
      <div class="me" classList={{ faint: props.message.state !== "failed" }}>
        {props.message.text}
      </div>
      <div class="me-meta">
        <Switch>
          <Match when={props.message.state === "sending"}>
            <span class="spin" /> Sending
          </Match>
          <Match when={props.message.state === "accepted"}>
            Sent
          </Match>
          <Match when={props.message.state === "failed"}>
            <span class="bad-t row" role="alert">
              <Icon name="alert" size={14} /> Not sent. {props.message.error}
            </span>
            <button type="button" class="link" disabled={app.offline()} onClick={() => app.sending.again(props.thread, props.message.key)}>
              Try again
            </button>
            <button type="button" class="link" onClick={takeBack}>
              Edit
            </button>
          </Match>
        </Switch>
      </div>
    </div>
  );
}
