// Letting a phone in, on the side that is signed in; paired.tsx is the phone's.

import { createSignal, Match, onCleanup, onMount, Show, Switch } from "solid-js";
import { asApiError, call, type ApiError } from "../api/call";
import type { Pair, PairState } from "../api/types";
import { browserName } from "../words/browsers";
import { Digits, secondsLeft } from "./digits";
import { Icon } from "./icons";

/** The code: black squares on white in every theme, as cameras want it. */
function Code(props: { rows: string[] }) {
  const size = () => props.rows.length + 8;
  const path = () => {
    let d = "";
    props.rows.forEach((row, y) => {
      for (const run of row.matchAll(/1+/g)) d += `M${run.index + 4} ${y + 4}h${run[0].length}v1h-${run[0].length}z`;
    });
    return d;
  };
  return (
    <svg class="qr" viewBox={`0 0 ${size()} ${size()}`} role="img" aria-label="The code for your phone" shape-rendering="crispEdges">
      <rect class="qr-bg" width={size()} height={size()} />
      <path class="qr-fg" d={path()} />
    </svg>
  );
}

/** The side that is signed in. */
export function PairPanel(props: { onClose(): void; onPaired(): void }) {
  const [pair, setPair] = createSignal<Pair>();
  const [state, setState] = createSignal<PairState>();
  const [fault, setFault] = createSignal<ApiError>();
  let open = true;
  onCleanup(() => {
    open = false;
    const p = pair();
    if (p && !["taken", "burned"].includes(state()?.state ?? "")) void call("devices.pair.cancel", { pair: p.pair }).catch(() => {});
  });

  async function begin() {
    setFault(undefined);
    setState(undefined);
    setPair(undefined);
    try {
      const p = await call<Pair>("devices.pair.begin", {});
      if (!open) return;
      setPair(p);
      let since = "waiting";
      while (open && pair() === p) {
        const s = await call<PairState>("devices.pair.get", { pair: p.pair, since });
        if (!open || pair() !== p) return;
        setState(s);
        since = s.state;
        if (s.state === "taken") return props.onPaired();
        if (s.state === "burned") return;
      }
    } catch (e) {
      if (open) setFault(asApiError(e));
    }
  }
  onMount(() => void begin());

  const at = () => state()?.state ?? "waiting";
  const confirm = () =>
    void call<PairState>("devices.pair.confirm", { pair: pair()!.pair, digits: state()!.digits }).catch((e) => setFault(asApiError(e)));
  const refuse = () => void call("devices.pair.cancel", { pair: pair()!.pair }).catch((e) => setFault(asApiError(e)));
  const local = () => pair() && new URL(pair()!.url).hostname === "localhost";

  return (
    <section class="pairing" aria-label="Pair a phone">
      <Switch>
        <Match when={fault()}>
          {(f) => (
            <div class="note bad" role="alert">
              <Icon name="alert" size={16} />
              <span>
                <b>{f().message}</b> {f().hint}
              </span>
            </div>
          )}
        </Match>
        <Match when={at() === "burned"}>
          <h3>Nothing was let in</h3>
          <p class="dim">The code is void: {state()!.why}.</p>
          <div class="row">
            <button type="button" class="btn pri" onClick={() => void begin()}>
              New code
            </button>
            <button type="button" class="btn gho" onClick={props.onClose}>
              Close
            </button>
          </div>
        </Match>
        <Match when={at() === "claimed"}>
          <h3>Does your phone show these digits?</h3>
          <Digits digits={state()!.digits} />
          <p class="dim">
            {browserName(state()!.device)} scanned the code. If your phone shows anything else, somebody else did: say no.
          </p>
          <div class="row">
            <button type="button" class="btn pri tall" onClick={confirm}>
              They are the same
            </button>
            <button type="button" class="btn bad tall" onClick={refuse}>
              No, refuse it
            </button>
          </div>
        </Match>
        <Match when={at() === "confirmed" || at() === "taken"}>
          <h3>Your phone is let in</h3>
          <p class="dim">It can make a passkey of its own now.</p>
        </Match>
        <Match when={pair()}>
          {(p) => (
            <div class="pair-show">
              <Code rows={p().qr} />
              <div>
                <h3>Scan this with your phone</h3>
                <p class="dim">
                  It works once, for <span class="num">{secondsLeft(p().expires)} s</span> more. Then both show six digits, and you confirm them here.
                </p>
                <Show when={local()}>
                  <p class="dim">
                    This code is for a browser on this machine: give the page an https name for a phone (<code>web.names</code> in config.toml).
                  </p>
                </Show>
                <button type="button" class="btn gho" onClick={props.onClose}>
                  Cancel
                </button>
              </div>
            </div>
          )}
        </Match>
        <Match when={true}>
          <p class="dim" role="status">
            <span class="spin" /> Making a code
          </p>
        </Match>
      </Switch>
    </section>
  );
}
