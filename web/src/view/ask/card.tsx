import { createMemo, Match, Show, Switch } from "solid-js";
import type { Ask } from "../../api/types";
import { now, span } from "../../lib/clock";
import { isOpen } from "../../model/asks";
import { useApp } from "../../state/app";
import { agentName } from "../../words/agents";
import { askWants, threadTitle } from "../../words/threads";
import { Icon } from "../icons";
import { createReading, type Reading } from "./answering";
import { ClosedAsk } from "./closed";
import { ConflictCard } from "./conflict";
import { PlanAsk } from "./plan";
import { QuestionAsk } from "./question";
import { SendingAsk } from "./sending";
import { ToolAsk } from "./tool";

/** One ask in whatever state it is. bar: the two main answers stand below the pane. */
export function AskCard(props: { ask: string; alone?: boolean; bar?: boolean; reading?: Reading }) {
  const app = useApp();
  const ask = () => app.world.asks[props.ask];
  const sent = () => app.answers.of(props.ask);
  const reading = props.reading ?? createReading();

  return (
    <Show when={ask()}>
      {(a) => (
        <Switch fallback={<OpenAsk ask={a()} alone={props.alone} bar={props.bar} reading={reading} />}>
          <Match when={sent()?.state === "conflict"}>
            <ConflictCard ask={a()} sent={sent()!} />
          </Match>
          <Match when={!isOpen(a())}>
            <ClosedAsk ask={a()} />
          </Match>
          <Match when={sent()?.state === "sending"}>
            <SendingAsk ask={a()} label={sent()!.label} />
          </Match>
          <Match when={a().state === "answering"}>
            <SendingAsk ask={a()} label="" />
          </Match>
        </Switch>
      )}
    </Show>
  );
}

function OpenAsk(props: { ask: Ask; alone?: boolean; bar?: boolean; reading: Reading }) {
  const app = useApp();
  const t = () => app.world.threads[props.ask.thread];
  const title = createMemo(() => `${agentName(t()?.provider ?? "", app.providers())} ${askWants(props.ask)}`);
  const ms = () => now() - Date.parse(props.ask.created);
  const waits = () => (ms() < 10_000 ? "just asked" : `waiting ${span(ms())}`);
  const capital = (s: string) => s[0]!.toUpperCase() + s.slice(1);
  const fault = () => app.answers.of(props.ask.ask);
  const id = () => `ask-${props.ask.ask}`;

  return (
    <section class="ask" role="group" aria-labelledby={id()} tabindex="-1" data-ask={props.ask.ask} ref={(el) => props.reading.watchKeys(el)}>
      <header class="hd">
        <span class="dot-you" aria-hidden="true" />
        <div class="grow">
          <h2 class="h" id={id()}>{title()}</h2>
          <div class="d num">
            <Show when={props.alone} fallback={<>{capital(waits())}. It waits as long as you need.</>}>
              {t() ? threadTitle(t()!) : ""} · {waits()}
            </Show>
          </div>
        </div>
        <Show when={props.ask.kind === "tool" && props.ask.tool}>
          <span class="chip line">
            <Icon name="terminal" size={13} /> {props.ask.tool}
          </span>
        </Show>
      </header>
      <div class="bd">
        <Switch fallback={<ToolAsk ask={props.ask} thread={t()} bar={props.bar} reading={props.reading} />}>
          <Match when={props.ask.kind === "question"}>
            <QuestionAsk ask={props.ask} />
          </Match>
          <Match when={props.ask.kind === "plan"}>
            <PlanAsk ask={props.ask} reading={props.reading} />
          </Match>
        </Switch>
        <Show when={fault()?.state === "failed"}>
          <div class="note bad" role="alert">
            <Icon name="alert" size={16} />
            <span>
              <b>Not sent. Nothing was decided.</b> {fault()!.error} {fault()!.hint}
            </span>
          </div>
        </Show>
      </div>
    </section>
  );
}
