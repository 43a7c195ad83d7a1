import { createSignal, Match, onMount, Show, Switch } from "solid-js";
import { asApiError, signIn } from "../api/call";
import { signInByPasskey } from "../api/passkey";
import { canPasskeys } from "../lib/webauthn";
import { useApp } from "../state/app";
import { CopyButton } from "./copy";
import { Icon, Mark } from "./icons";

/** Takes the code out of the address at once, so that it stays in no history. */
function takeCode(): string {
  const code = new URLSearchParams(location.hash.slice(1)).get("code") ?? "";
  if (location.hash) history.replaceState(null, "", location.pathname);
  return code;
}

export function SignIn() {
  const app = useApp();
  const [busy, setBusy] = createSignal(false);
  const [fault, setFault] = createSignal("");

  onMount(async () => {
    document.title = "Sign in · Vyre";
    const code = takeCode();
    if (!code) return;
    setBusy(true);
    try {
      await signIn(code);
      app.go("/", true);
      app.start();
    } catch (e) {
      const err = asApiError(e);
      setFault(err.code === "offline" ? err.message : "This address was used or is too old. Each one works once, for 10 minutes.");
    } finally {
      setBusy(false);
    }
  });

  async function byPasskey() {
    setBusy(true);
    setFault("");
    try {
      await signInByPasskey();
      if (app.route().at === "sign-in") app.go("/", true); // else where the person was going
      app.start();
    } catch (e) {
      const err = asApiError(e);
      setFault(err.code === "denied" ? "This passkey isn’t known here. It may have been revoked." : err.message);
    } finally {
      setBusy(false);
    }
  }

  return (
    <main class="signin">
      <div class="signin-in">
        <Mark size={46} waits={true} />
        <h1>Sign in to Vyre</h1>
        <p class="lead">
          Your agents are working behind this page.
          <br />
          Nothing is shown until you’re signed in.
        </p>
        <div class="signin-state" role="status">
          <Switch>
            <Match when={busy()}>
              <span class="spin" /> Signing in
            </Match>
            <Match when={fault()}>
              <span class="bad-t">{fault()}</span>
            </Match>
          </Switch>
        </div>
        <Show when={canPasskeys()}>
          <button type="button" class="btn pri lg full" disabled={busy()} onClick={() => void byPasskey()}>
            <Icon name="key" size={18} /> Sign in with a passkey
          </button>
        </Show>
        <Show when={!busy()}>
          <div class="signin-how">
            <p>The first time, in a terminal on this machine, run this and open the address it gives:</p>
            <div class="field-copy">
              <code class="grow">vyre open</code>
              <CopyButton text="vyre open" label="Copy the command" />
            </div>
          </div>
        </Show>
        <p class="signin-host mono">{location.host}</p>
      </div>
    </main>
  );
}
