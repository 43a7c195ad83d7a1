import { createEffect, createMemo, createSignal, For, on, Show } from "solid-js";
import { asApiError } from "../api/call";
import type { GateAct } from "../api/types";
import { age, now } from "../lib/clock";
import { marks, pieces } from "../lib/hidden";
import { isPhone } from "../lib/media";
import { gateOpen } from "../model/gate";
import { useApp } from "../state/app";
import { gateHead, gateLine, gateState } from "../words/gate";
import { createReading } from "./ask/answering";
import { Exact } from "./command";
import { Icon } from "./icons";

/** What waits to leave this machine, above the threads. */
export function GateGroup() {
  const app = useApp();
  const acts = createMemo(() => gateOpen(app.world));
  return (
    <Show when={acts().length}>
      <div class="grp">
        <h2>
          Leaves this machine <span class="badge num">{acts().length}</span>
        </h2>
        <ul>
          <For each={acts()}>
            {(a) => (
              <li>
                <a class="gaterow" href={`/gate/${a.act}`}>
                  <span class="dot-you" aria-hidden="true" />
                  <span class="grow">
                    <span class="trunc">{a.summary}</span>
                    <span class="d trunc">{gateLine(a)}</span>
                  </span>
                  <span class="when">{a.state === "waiting" ? age(a.created, now()) : gateState(a)}</span>
                </a>
              </li>
            )}
          </For>
        </ul>
      </div>
    </Show>
  );
}

/** One act, whole. */
export function GatePane(props: { act: string }) {
  const app = useApp();
  const [missing, setMissing] = createSignal(false);
  createEffect(
    on(app.ready, async (ready) => {
      if (ready) setMissing(!(await app.loader.gateAct(props.act).catch(() => false)));
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
        <h1 class="grow">Leaves this machine</h1>
      </header>
      <div class="scroll" tabindex="0" role="group" aria-label="The act">
        <div class="col">
          <Show when={missing()}>
            <p class="quiet">There is no such act here.</p>
          </Show>
          <Show when={app.world.gate[props.act]}>{(a) => <GateCard act={a()} />}</Show>
        </div>
      </div>
    </div>
  );
}

/** What would go out, exactly, and what a person can do about it. */
function GateCard(props: { act: GateAct }) {
  const app = useApp();
  const reading = createReading();
  const [busy, setBusy] = createSignal(false);
  const [fault, setFault] = createSignal("");
  const head = createMemo(() => pieces(gateHead(props.act)));
  const body = createMemo(() => pieces(props.act.payload));
  const hidden = () => marks(head()) + marks(body()) + marks(pieces(props.act.summary));

  async function act(tool: string, input: object = {}) {
    setBusy(true);
    setFault("");
    try {
      await app.act(tool, { act: props.act.act, ...input });
      await app.loader.gateAct(props.act.act);
    } catch (e) {
      const err = asApiError(e);
      setFault(`${err.message} ${err.hint}`);
    }
    setBusy(false);
  }
  const off = () => busy() || app.offline();

  return (
    <section class="ask" role="group" aria-labelledby="gate-h" tabindex="-1" ref={(el) => reading.watchKeys(el)}>
      <header class="hd">
        <span class="dot-you" aria-hidden="true" />
        <div class="grow">
          <h2 class="h" id="gate-h">
            {props.act.kind === "http" ? "A request" : "A push"} {gateState(props.act)}
          </h2>
          <div class="d">asked by {props.act.caller}</div>
        </div>
      </header>
      <div class="bd">
        <p class="said">
          “<Exact pieces={pieces(props.act.summary)} />”
        </p>
        <pre class="cmd" tabindex="0" role="group" aria-label="What would go out">
          <span class="cmd-start" ref={reading.watchStart} />
          <Exact pieces={head()} />
          <Show when={props.act.payload}>
            {"\n\n"}
            <Exact pieces={body()} />
          </Show>
          <span class="cmd-end" tabindex="0" ref={reading.watchEnd}>
            <span class="sr">End of it</span>
          </span>
        </pre>
        <p class="d num">
          {props.act.bytes} bytes{props.act.encoding === "base64" ? ", shown as base64" : ""}
          {props.act.cut ? ", the beginning" : ""} · hash <code>{props.act.hash.slice(0, 16)}</code>
        </p>
        <Show when={hidden()}>
          <div class="note bad">
            <Icon name="alert" size={17} />
            <span>
              <b>{hidden()} {hidden() === 1 ? "character doesn’t print as itself." : "characters don’t print as themselves."}</b> They are shown as boxes.
            </span>
          </div>
        </Show>
        <For each={props.act.warnings}>
          {(w) => (
            <div class="note">
              <Icon name="alert" size={17} />
              <span>{w}</span>
            </div>
          )}
        </For>
        <Show when={props.act.outcome}>
          <p class="said">
            <Exact pieces={pieces(props.act.outcome)} />
          </p>
        </Show>
        <Show when={props.act.answer}>
          <pre class="cmd" tabindex="0" role="group" aria-label="What the other side said">
            <Exact pieces={pieces(props.act.answer)} />
          </pre>
        </Show>
        <Show when={props.act.state === "waiting"}>
          <div class="opts two">
            <button type="button" class="btn bad lg" classList={{ pri: hidden() > 0 }} disabled={off()} onClick={() => void act("gate.deny")}>
              Deny
            </button>
            <button
              type="button"
              class="btn lg"
              classList={{ pri: hidden() === 0 }}
              data-key="1"
              disabled={off() || !reading.ready() || props.act.cut}
              onClick={() => void act("gate.approve", { hash: props.act.hash })}
            >
              {reading.seen() ? "Let it go out" : "Read to the end"}
            </button>
          </div>
        </Show>
        <Show when={props.act.state === "approved"}>
          <button type="button" class="btn lg" disabled={off()} onClick={() => void act("gate.cancel")}>
            Take it back
          </button>
        </Show>
        <Show when={props.act.state === "unknown"}>
          <p>Look at the other side, then say what you found. Nothing is sent.</p>
          <div class="opts two">
            <button type="button" class="btn lg" disabled={off()} onClick={() => void act("gate.settle", { outcome: "failed" })}>
              It was not done
            </button>
            <button type="button" class="btn lg" disabled={off()} onClick={() => void act("gate.settle", { outcome: "sent" })}>
              It was done
            </button>
          </div>
        </Show>
        <Show when={fault()}>
          <div class="note bad" role="alert">
            <Icon name="alert" size={16} />
            <span>{fault()}</span>
          </div>
        </Show>
        <p class="hint">The agent may have other ways out of this machine. This is about this act alone.</p>
      </div>
    </section>
  );
}
