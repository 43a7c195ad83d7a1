// Letting a phone in, on the phone: it has scanned the code and isn't signed in yet.

import { createSignal, Match, onMount, Show, Switch } from "solid-js";
import { asApiError } from "../api/call";
import { claimPairing, takePairing, waitPairing, type Claim } from "../api/passkey";
import { useApp } from "../state/app";
import { Digits, secondsLeft } from "./digits";
import { enrolHere } from "./enrol";
import { Icon, Mark } from "./icons";

export function PairPage() {
  const app = useApp();
  const [claim, setClaim] = createSignal<Claim>();
  const [at, setAt] = createSignal<"claiming" | "claimed" | "in" | "void">("claiming");
  const [fault, setFault] = createSignal("");
  const [busy, setBusy] = createSignal(false);

  onMount(async () => {
    document.title = "Pair · Vyre";
    const secret = location.hash.slice(1);
    history.replaceState(null, "", location.pathname); // it stays in no history
    try {
      if (!secret) throw new Error("There is no code in this address. Scan it again.");
      const c = await claimPairing(secret);
      setClaim(c);
      setAt("claimed");
      let state = "claimed";
      while (state === "claimed") {
        const got = await waitPairing(c.claim, "claimed");
        state = got.state;
        if (state === "burned") throw new Error(`The code is void: ${got.why}.`);
      }
      await takePairing(c.claim);
      setAt("in");
    } catch (e) {
      setFault(asApiError(e).message.replace(/^Error: /, ""));
      setAt("void");
    }
  });

  function home() {
    app.go("/", true);
    app.start();
  }

  async function enrol() {
    setBusy(true);
    setFault("");
    try {
      await enrolHere();
      home();
    } catch (e) {
      setFault(asApiError(e).message);
    } finally {
      setBusy(false);
    }
  }

  return (
    <main class="signin">
      <div class="signin-in">
        <Mark size={46} waits={true} />
        <Switch>
          <Match when={at() === "claiming"}>
            <h1>Reading the code</h1>
            <div class="signin-state" role="status">
              <span class="spin" />
            </div>
          </Match>
          <Match when={at() === "claimed"}>
            <h1>Compare the digits</h1>
            <p class="lead">The other screen must show the same six. Confirm them there.</p>
            <Digits digits={claim()!.digits} />
            <div class="signin-state num" role="status">
              <span class="spin" /> Waiting for you there, {secondsLeft(claim()!.expires)} s
            </div>
          </Match>
          <Match when={at() === "in"}>
            <h1>You’re signed in</h1>
            <p class="lead">Make a passkey on this phone: it signs you in again, and answers what needs a touch.</p>
            <div class="signin-state" role="status">
              <Show when={fault()}>
                <span class="bad-t">{fault()}</span>
              </Show>
            </div>
            <button type="button" class="btn pri lg full" disabled={busy()} onClick={() => void enrol()}>
              <Icon name="key" size={18} /> Make a passkey
            </button>
            <button type="button" class="btn gho full" onClick={home}>
              Later
            </button>
          </Match>
          <Match when={at() === "void"}>
            <h1>Not let in</h1>
            <p class="lead">Begin again on the screen that is signed in.</p>
            <div class="signin-state" role="alert">
              <span class="bad-t">{fault()}</span>
            </div>
          </Match>
        </Switch>
        <p class="signin-host mono">{location.host}</p>
      </div>
    </main>
  );
}
