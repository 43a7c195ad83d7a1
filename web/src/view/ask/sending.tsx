import { Show } from "solid-js";
import type { Ask } from "../../api/types";
import { ExactText } from "../command";

/** An answer that the daemon has not confirmed yet. */
export function SendingAsk(props: { ask: Ask; label: string }) {
  return (
    <section class="ask" role="group" aria-label="Answer on its way">
      <div class="bd">
        <div class="one-in" role="status">
          <span class="spin" aria-hidden="true" />
          <div class="grow">
            <div class="h">
              <Show when={props.label} fallback="An answer is on its way">
                Sending “{props.label}”
              </Show>
            </div>
            <div class="d">Not confirmed yet. You can still leave this page.</div>
          </div>
        </div>
        <Show when={props.ask.kind === "tool"}>
          <pre class="cmd" tabindex="0" role="group" aria-label="What would be done">
            <ExactText text={props.ask.display} />
          </pre>
        </Show>
      </div>
    </section>
  );
}
