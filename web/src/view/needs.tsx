import { createMemo, Show } from "solid-js";
import { age, now } from "../lib/clock";
import { pieces } from "../lib/hidden";
import { useApp } from "../state/app";
import { askOf } from "../state/select";
import { askLine, threadTitle } from "../words/threads";
import { Exact } from "./command";
import { ThreadMeta } from "./meta";

/** An ask on the phone's list. It opens the ask; it never answers it. */
export function NeedsCard(props: { thread: string }) {
  const app = useApp();
  const t = () => app.world.threads[props.thread]!;
  const ask = createMemo(() => askOf(app.world, props.thread));
  const lines = () => ask()!.display.split("\n");
  const isTool = () => ask()?.kind === "tool";
  const label = () => {
    if (ask()!.kind === "plan") return "Read the plan";
    if (ask()!.kind === "question") return "Read and answer";
    return lines().length > 1 ? `Read all ${lines().length} lines and answer` : "Read it all and answer";
  };
  return (
    <Show when={t() && ask()}>
      <div class="nq">
        <div class="l1">
          <span class="dot-you" aria-hidden="true" />
          <a class="ttl trunc" href={`/t/${props.thread}`}>
            {threadTitle(t())}
          </a>
          <span class="when">{age(ask()!.created, now())}</span>
        </div>
        <div class="meta">
          <ThreadMeta thread={t()} />
        </div>
        <p class="what">{askLine(ask()!)}</p>
        <Show when={isTool() && ask()!.display}>
          <div class="peek mono" aria-hidden="true">
            <Exact pieces={pieces(lines().slice(0, 2).join("\n").slice(0, 200))} />
          </div>
        </Show>
        <a class="btn" href={`/ask/${ask()!.ask}`}>
          {label()}
        </a>
      </div>
    </Show>
  );
}
