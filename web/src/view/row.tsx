import { createMemo, Show } from "solid-js";
import { age, elapsed, now } from "../lib/clock";
import { useApp } from "../state/app";
import { askOf } from "../state/select";
import { askLine, glyphOf, glyphWords, stopWords, threadTitle } from "../words/threads";
import { Glyph } from "./glyph";
import { ThreadMeta } from "./meta";

/** One thread of the list. Its accessible name says how it stands. */
export function ThreadRow(props: { thread: string; current: boolean }) {
  const app = useApp();
  const t = () => app.world.threads[props.thread]!;
  const ask = createMemo(() => askOf(app.world, props.thread));
  const act = () => app.world.activity[props.thread];
  const glyph = () => glyphOf(t(), Boolean(ask()));
  const why = () => (ask() ? askLine(ask()!) : act()?.title || stopWords(t()));
  const when = () => {
    if (ask()) return age(ask()!.created, now());
    return act() ? elapsed(now() - Date.parse(act()!.since)) : age(t().updated, now());
  };

  return (
    <Show when={t()}>
      <a class="trow" href={`/t/${props.thread}`} aria-current={props.current ? "true" : undefined}>
        <Glyph is={glyph()} />
        <span class="trow-in">
          <span class="sr">{glyphWords[glyph()]}, </span>
          <span class="l1">
            <span class="ttl trunc">{threadTitle(t())}</span>
            <span class="when">{when()}</span>
          </span>
          <Show when={why()}>
            <span class="why trunc" classList={{ you: Boolean(ask()) }}>
              {why()}
            </span>
          </Show>
          <span class="meta">
            <ThreadMeta thread={t()} />
          </span>
        </span>
      </a>
    </Show>
  );
}
