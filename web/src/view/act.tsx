// An act that needs a touch: exactly what would be done, and the touch. What a
// terminal began has a page of its own here; touch.tsx is the sheet for this page's.

import { createResource, createSignal, Match, Show, Switch } from "solid-js";
import { asApiError, call, type ApiError } from "../api/call";
import type { Act } from "../api/types";
import { now, span } from "../lib/clock";
import { isPhone } from "../lib/media";
import { useApp } from "../state/app";
import { callerWords } from "../words/agents";
import { ExactText } from "./command";
import { Icon } from "./icons";

const capital = (s: string) => s[0]!.toUpperCase() + s.slice(1);

/** What would be done, whole. */
export function ActText(props: { act: Act }) {
  return (
    <pre class="cmd" tabindex="0" role="group" aria-label="What would be done">
      <ExactText text={props.act.text} />
    </pre>
  );
}

/** Where an act can be touched when this address has no passkey. */
export function Elsewhere(props: { act: Act }) {
  return (
    <div class="note" role="status">
      <Icon name="key" size={17} />
      <span>
        <Show
          when={props.act.sites.length}
          fallback={<>No passkey works on this daemon’s addresses any more. In a terminal, <code>vyre devices reset</code> begins anew.</>}
        >
          <b>No passkey works on this address.</b> Touch it on{" "}
          <a class="link" href={`${props.act.sites[0]}/act/${props.act.act}`} target="_blank" rel="noreferrer">
            {new URL(props.act.sites[0]!).host}
          </a>
          , on a device that has one. It then goes on here.
        </Show>
      </span>
    </div>
  );
}

export function TouchButton(props: { busy: boolean; onTouch(): void }) {
  return (
    <button type="button" class="btn pri tall grow" disabled={props.busy} onClick={props.onTouch}>
      <Show when={!props.busy} fallback={<span class="spin" />}>
        <Icon name="key" size={17} />
      </Show>
      {props.busy ? "Waiting for your passkey" : "Touch your passkey"}
    </button>
  );
}

export function Fault(props: { fault: ApiError }) {
  return (
    <div class="note bad" role="alert">
      <Icon name="alert" size={16} />
      <span>
        <b>{props.fault.message}</b> {props.fault.hint}
      </span>
    </div>
  );
}

/** The page of an act that a terminal began. */
export function ActPane(props: { act: string }) {
  const app = useApp();
  const [busy, setBusy] = createSignal(false);
  const [fault, setFault] = createSignal<ApiError>();
  const [act, { refetch, mutate }] = createResource(() => props.act, (id) => call<Act>("acts.get", { act: id }));
  const here = () => act()?.sites.includes(location.origin);
  const left = () => Math.max(0, Date.parse(act()?.expires ?? "") - now());
  const state = () => (act()?.state === "waiting" && left() === 0 ? "expired" : act()?.state);
  const gone = () => act.error !== undefined;

  async function touch() {
    setBusy(true);
    setFault(undefined);
    try {
      await app.acts.touch(props.act);
      mutate({ ...act()!, state: "done" });
    } catch (e) {
      setFault(asApiError(e));
      void refetch();
    } finally {
      setBusy(false);
      void app.acts.read();
    }
  }

  return (
    <div class="page" tabindex="0" role="group" aria-label="Act">
      <div class="page-in act">
        <Show when={isPhone()}>
          <a class="icb back" href="/" aria-label="Back to all threads">
            <Icon name="back" size={21} />
          </a>
        </Show>
        <Switch>
          <Match when={gone()}>
            <h1>Nothing waits here</h1>
            <p class="lead">An act waits for ten minutes, and not over a restart of the daemon. Begin it again in the terminal.</p>
          </Match>
          <Match when={act()}>
            {(a) => (
              <>
                <p class="act-by">
                  <Icon name="terminal" size={15} /> {capital(callerWords(a().by))} · {span(now() - Date.parse(a().created))} ago
                </p>
                <h1>{capital(a().title)}</h1>
                <p class="lead">
                  Read what would be done. Your touch counts for exactly this, once, and it is done as you.
                </p>
                <ActText act={a()} />
                <Show when={a().doubt}>
                  <div class="note">
                    <Icon name="shield" size={17} />
                    <span>
                      <b>Why a touch:</b> {a().doubt}.
                    </span>
                  </div>
                </Show>
                <Switch>
                  <Match when={state() === "waiting" && !here()}>
                    <Elsewhere act={a()} />
                  </Match>
                  <Match when={state() === "waiting"}>
                    <div class="row act-do">
                      <TouchButton busy={busy()} onTouch={() => void touch()} />
                    </div>
                    <p class="hint num">Not yours? Leave it: it goes by itself in {span(left())}.</p>
                  </Match>
                  <Match when={state() === "done" || state() === "running"}>
                    <div class="note good" role="status">
                      <Icon name="circleCheck" size={17} />
                      <span>
                        <b>Done.</b> {a().by.endsWith(":web") ? "It goes on where it was begun." : "The terminal goes on."}
                      </span>
                    </div>
                  </Match>
                  <Match when={state() === "expired"}>
                    <div class="note" role="status">
                      <Icon name="clock" size={17} />
                      <span>
                        <b>It waited too long.</b> Begin it again in the terminal.
                      </span>
                    </div>
                  </Match>
                </Switch>
                <Show when={fault()}>{(f) => <Fault fault={f()} />}</Show>
                <details class="act-raw">
                  <summary>
                    <Icon name="chevronRight" size={14} /> The call itself
                  </summary>
                  <pre class="cmd">
                    <ExactText text={`${a().tool} ${JSON.stringify(a().input, null, 2)}`} />
                  </pre>
                </details>
              </>
            )}
          </Match>
        </Switch>
      </div>
    </div>
  );
}

/** Above everything else: a terminal waits for a touch. */
export function ActBanner() {
  const app = useApp();
  const first = () => app.acts.waiting()[0];
  const there = () => (app.route().at === "act" ? (app.route() as { act: string }).act : "");
  return (
    <Show when={first() && first()!.act !== there()}>
      <div class="banner you" role="status">
        <Icon name="key" size={18} />
        <span class="grow trunc">
          <b>A terminal waits for your touch.</b> {capital(first()!.title)}
        </span>
        <a class="btn sm" href={`/act/${first()!.act}`}>
          Read it
        </a>
      </div>
    </Show>
  );
}
