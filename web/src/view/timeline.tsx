import { createMemo, createSignal, For, Match, onCleanup, onMount, Show, Switch } from "solid-js";
import { day, now, sameDay } from "../lib/clock";
import { isOpen } from "../model/asks";
import type { World } from "../model/world";
import { useApp } from "../state/app";
import { stopWords } from "../words/threads";
import { AskCard } from "./ask/card";
import { Icon } from "./icons";
import { Entry } from "./items/entry";
import { OutgoingMessage } from "./items/outgoing";
import { keepAtEnd } from "./pin";

type Row = { key: string; created: string };

/** Items of the main agent with the asks between them; open asks stand at the end. */
function rowsOf(w: World, thread: string): Row[] {
  const line = w.timelines[thread];
  if (!line) return [];
  const rows: Row[] = [];
  for (const id of line.order) {
    const it = line.items[id]!;
    if (!it.parent || !(it.parent in line.items)) rows.push({ key: `i:${id}`, created: it.created });
  }
  const asks = Object.values(w.asks).filter((a) => a.thread === thread);
  for (const a of asks.filter((x) => !isOpen(x))) {
    const after = rows.findLastIndex((r) => r.created <= a.created);
    rows.splice(after + 1, 0, { key: `a:${a.ask}`, created: a.created });
  }
  const open = asks.filter(isOpen).sort((a, b) => a.created.localeCompare(b.created));
  return rows.concat(open.map((a) => ({ key: `a:${a.ask}`, created: a.created })));
}

export function Timeline(props: { thread: string }) {
  const app = useApp();
  const line = () => app.world.timelines[props.thread];
  const rows = createMemo(() => rowsOf(app.world, props.thread));
  const keys = createMemo(() => rows().map((r) => r.key));
  const created = createMemo(() => new Map(rows().map((r) => [r.key, r.created])));
  const [below, setBelow] = createSignal(false);
  const [loading, setLoading] = createSignal(false);
  let scroller!: HTMLDivElement;
  let column!: HTMLDivElement;
  let pin!: ReturnType<typeof keepAtEnd>;

  onMount(() => {
    pin = keepAtEnd(scroller, column, setBelow);
    onCleanup(pin.stop);
  });

  async function older() {
    if (loading()) return;
    setLoading(true);
    const from = scroller.scrollHeight - scroller.scrollTop;
    await app.loader.older(props.thread).catch(() => {});
    scroller.scrollTop = scroller.scrollHeight - from; // the words one reads stay where they are
    setLoading(false);
  }

  /** The day above a row, where it changes. */
  const dayAbove = (key: string, i: number) => {
    const at = created().get(key);
    const before = i > 0 ? created().get(keys()[i - 1]!) : undefined;
    return at && (!before || !sameDay(at, before)) ? at : undefined;
  };

  return (
    <div class="tl">
      <div class="scroll" ref={scroller} role="log" aria-live="off" aria-label="Conversation" tabindex="0">
        <div class="col" ref={column}>
          <Show when={line()?.before}>
            <button type="button" class="btn gho more" disabled={loading()} onClick={() => void older()}>
              {loading() ? "Loading earlier" : "Show earlier"}
            </button>
          </Show>
          <For each={keys()}>
            {(key, i) => (
              <>
                <Show when={dayAbove(key, i())}>
                  {(at) => (
                    <div class="day" role="separator" aria-label={day(at(), now())}>
                      <span aria-hidden="true">{day(at(), now())}</span>
                    </div>
                  )}
                </Show>
                <Switch>
                  <Match when={key.startsWith("i:")}>
                    <Entry thread={props.thread} item={key.slice(2)} last={i() === keys().length - 1} />
                  </Match>
                  <Match when={key.startsWith("a:")}>
                    <div class="entry entry-ask">
                      <AskCard ask={key.slice(2)} />
                    </div>
                  </Match>
                </Switch>
              </>
            )}
          </For>
          <For each={app.sending.of(props.thread)}>{(o) => <OutgoingMessage thread={props.thread} message={o} />}</For>
          <Show when={app.world.threads[props.thread] && stopWords(app.world.threads[props.thread]!)}>
            {(words) => <div class="mark-line">{words()}</div>}
          </Show>
        </div>
      </div>
      <Show when={below()}>
        <button type="button" class="newpill" onClick={() => pin.toEnd()}>
          <Icon name="down" size={15} /> New below
        </button>
      </Show>
    </div>
  );
}
