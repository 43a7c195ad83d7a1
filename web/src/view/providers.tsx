import { For, Show } from "solid-js";
import type { Provider } from "../api/types";
import { agentName } from "../words/agents";
import { Monogram } from "./meta";

/** A provider whose program was found and can serve. */
export const usable = (p: Provider) => p.available !== false && !p.error;

const says = (p: Provider) => [p.error, p.hint].filter(Boolean).join(" ") || p.warning;

/** The agents of this machine as a choice; those that can't serve say why. */
export function ProviderRows(props: { providers: Provider[]; chosen: string; onChoose(provider: string): void }) {
  return (
    <div class="rows" role="radiogroup" aria-label="Agent">
      <For each={props.providers} fallback={<p class="quiet">No agent was found yet.</p>}>
        {(p) => (
          <label class="r" classList={{ off: !usable(p) }}>
            <input
              type="radio"
              name="provider"
              checked={props.chosen === p.provider}
              disabled={!usable(p)}
              onChange={() => props.onChoose(p.provider)}
            />
            <Monogram provider={p.provider} />
            <span class="grow">
              <span class="t">{agentName(p.provider, props.providers)}</span> <span class="dim3">{p.version}</span>
              <Show when={says(p)}>
                <span class="d">{says(p)}</span>
              </Show>
            </span>
            <span class="rb" aria-hidden="true" />
          </label>
        )}
      </For>
    </div>
  );
}
