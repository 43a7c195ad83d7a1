import { createEffect, createMemo, createSignal, on, Show } from "solid-js";
import { isPhone } from "../../lib/media";
import { isOpen } from "../../model/asks";
import { useApp } from "../../state/app";
import { openAsks } from "../../state/select";
import { marks, pieces } from "../../lib/hidden";
import { Icon } from "../icons";
import { createReading, type Reading } from "./answering";
import { AskCard } from "./card";
import { allowOptions, allowWith, denyWith } from "./options";

/** One ask in full, with the way to the next. */
export function AskPane(props: { ask: string }) {
  const app = useApp();
  const [missing, setMissing] = createSignal(false);
  const reading = createReading();
  const ask = () => app.world.asks[props.ask];
  const open = createMemo(() => openAsks(app.world));
  const place = () => open().findIndex((a) => a.ask === props.ask);
  const next = () => open()[(place() + 1) % Math.max(1, open().length)];
  const bar = () => isPhone() && ask()?.kind === "tool" && isOpen(ask()!) && !app.answers.of(props.ask);
  let body!: HTMLDivElement;

  createEffect(
    on(app.ready, async (ready) => {
      if (!ready) return;
      if (!ask()) setMissing(!(await app.loader.ask(props.ask).catch(() => false)));
      const thread = ask()?.thread;
      if (thread && !app.world.threads[thread]) void app.loader.thread(thread).catch(() => {});
      body.querySelector<HTMLElement>("[data-ask]")?.focus({ preventScroll: true });
    }),
  );

  return (
    <div class="thread">
      <header class="th-head">
        <Show when={isPhone()}>
          <a class="icb" href="/" aria-label="Back to all threads">
            <Icon name="back" size={21} />
          </a>
        </Show>
        <h1 class="grow num">
          Needs you{" "}
          <Show when={place() >= 0}>
            <span class="dim">
              {place() + 1} of {open().length}
            </span>
          </Show>
        </h1>
        <Show when={open().length > (place() >= 0 ? 1 : 0) && next()}>
          <span class="row dim3 desk" aria-hidden="true">
            <kbd>K</kbd> <kbd>J</kbd> previous, next
          </span>
          <a class="icb" href={`/ask/${next()!.ask}`} aria-label="Next question">
            <Icon name="chevronRight" size={20} />
          </a>
        </Show>
      </header>
      <div class="scroll" tabindex="0" role="group" aria-label="The question" ref={body}>
        <div class="col">
          <Show when={missing()}>
            <p class="quiet">There is no such question here.</p>
          </Show>
          <AskCard ask={props.ask} alone bar={bar()} reading={reading} />
          <Show when={ask()}>
            <a class="ledhere" href={`/t/${ask()!.thread}`}>
              <Icon name="threads" size={17} />
              <span>Read the conversation that led here</span>
              <Icon name="chevronRight" size={15} />
            </a>
          </Show>
        </div>
      </div>
      <Show when={bar()}>
        <AnswerBar ask={props.ask} reading={reading} />
      </Show>
    </div>
  );
}

/** The two main answers in reach of the thumb. */
function AnswerBar(props: { ask: string; reading: Reading }) {
  const app = useApp();
  const ask = () => app.world.asks[props.ask]!;
  const first = () => allowOptions(ask())[0]!;
  const hidden = createMemo(() => marks(pieces(ask().display)) > 0);
  return (
    <div class="ansbar">
      <button type="button" class="btn lg bad" classList={{ pri: hidden() }} disabled={app.offline()} onClick={() => void app.answers.answer(denyWith(ask(), props.reading.note()), "Deny")}>
        Deny
      </button>
      <button
        type="button"
        class="btn lg"
        classList={{ pri: !hidden() }}
        disabled={!props.reading.ready() || app.offline()}
        onClick={() => void app.answers.answer(allowWith(ask(), first()), first().label)}
      >
        {props.reading.seen() ? first().label : "Read to the end"}
      </button>
    </div>
  );
}
