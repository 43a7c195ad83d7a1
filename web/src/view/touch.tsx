// The sheet over whatever asked for a touch on this page.

import { createResource, createSignal, onCleanup, onMount, Show } from "solid-js";
import { ApiError, asApiError, call } from "../api/call";
import type { Act } from "../api/types";
import { useApp } from "../state/app";
import { ActText, Elsewhere, Fault, TouchButton } from "./act";
import { Icon } from "./icons";

const capital = (s: string) => s[0]!.toUpperCase() + s.slice(1);

export function TouchSheet() {
  const app = useApp();
  return (
    <Show when={app.acts.mine()} keyed>
      {(mine) => {
        let dialog!: HTMLDialogElement;
        let open = true;
        const [busy, setBusy] = createSignal(false);
        const [fault, setFault] = createSignal<ApiError>();
        const [act] = createResource(() => call<Act>("acts.get", { act: mine.act }));
        const here = () => mine.sites.includes(location.origin);
        const leave = () => mine.fail(new ApiError("not_touched", "No passkey was touched.", "You can try again."));

        onMount(() => {
          dialog.showModal();
          if (!here()) app.acts.elsewhere(mine, () => open).then(mine.done, (e) => open && mine.fail(asApiError(e)));
        });
        onCleanup(() => (open = false));

        async function touch() {
          setBusy(true);
          setFault(undefined);
          try {
            mine.done(await app.acts.touch(mine.act));
          } catch (e) {
            const err = asApiError(e);
            // What was never touched can be tried again; all else is the act's own answer.
            if (["not_touched", "denied", "no_passkeys"].includes(err.code)) setFault(err);
            else mine.fail(err);
          } finally {
            setBusy(false);
          }
        }

        return (
          <dialog class="sheet" ref={dialog} aria-labelledby="touch-h" onCancel={(e) => (e.preventDefault(), leave())}>
            <div class="sheet-in">
              <span class="seal" aria-hidden="true">
                <Icon name="key" size={20} />
              </span>
              <h2 id="touch-h">{act() ? capital(act()!.title) : "One touch more"}</h2>
              <p class="dim">This needs a touch of your passkey. The touch counts for exactly this, once.</p>
              <Show when={act()}>{(a) => <ActText act={a()} />}</Show>
              <Show when={act() && !here()}>
                <Elsewhere act={act()!} />
              </Show>
              <Show when={fault()}>{(f) => <Fault fault={f()} />}</Show>
              <div class="row sheet-do">
                <Show when={here()}>
                  <TouchButton busy={busy() || !act()} onTouch={() => void touch()} />
                </Show>
                <button type="button" class="btn tall gho" onClick={leave}>
                  Not now
                </button>
              </div>
            </div>
          </dialog>
        );
      }}
    </Show>
  );
}
