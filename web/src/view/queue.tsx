import { For, Show } from "solid-js";
import { useApp } from "../state/app";
import { Icon } from "./icons";

/** Messages that wait for the turn's end, on the composer's back. */
export function Queue(props: { thread: string }) {
  const app = useApp();
  const list = () => app.world.queues[props.thread] ?? [];
  const busy = () => ["running", "waiting"].includes(app.world.threads[props.thread]?.state ?? "");
  const when = () => (busy() ? "After this turn" : "When the agent has started");
  return (
    <Show when={list().length}>
      <section class="queue" aria-label={when()}>
        <h2>
          <Icon name="queue" size={15} /> {when()}
          <span class="dim3">· {list().length} waiting{list().length > 1 ? ", in this order" : ""}</span>
        </h2>
        <ol>
          <For each={list()}>
            {(q, i) => (
              <li class="q">
                <span class="pos num" aria-hidden="true">{i() + 1}</span>
                <span class="trunc">{q.text}</span>
              </li>
            )}
          </For>
        </ol>
      </section>
    </Show>
  );
}
