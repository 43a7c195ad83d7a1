// What can act as the person: passkeys, browsers that are signed in, a phone to pair.

import { createEffect, createResource, createSignal, For, on, onMount, Show } from "solid-js";
import { asApiError, call, type ApiError } from "../api/call";
import type { Device, WebSession } from "../api/types";
import { now, span } from "../lib/clock";
import { isPhone } from "../lib/media";
import { canPasskeys } from "../lib/webauthn";
import { useApp } from "../state/app";
import { browserName, deviceName, isPhoneAgent } from "../words/browsers";
import { enrolHere } from "./enrol";
import { Icon } from "./icons";
import { Menu } from "./menu";
import { PairPanel } from "./pair";

interface Devices {
  devices: Device[];
  sites: string[];
  proof: "gated" | "always";
}

const ago = (iso: string) => (now() - Date.parse(iso) < 60_000 ? "now" : `${span(now() - Date.parse(iso))} ago`);
const hows = { code: "by a code of the terminal", passkey: "by a passkey", pairing: "by pairing" };

export function DevicesPane() {
  const app = useApp();
  const [list, { refetch: readKeys }] = createResource(() => call<Devices>("devices.list"));
  const [sessions, { refetch: readSessions }] = createResource(async () => (await call<{ sessions: WebSession[] }>("devices.sessions")).sessions);
  const [pairing, setPairing] = createSignal(false);
  const [adding, setAdding] = createSignal(false);
  const [renaming, setRenaming] = createSignal("");
  const [fault, setFault] = createSignal<ApiError>();
  createEffect(on(app.devicesChanged, () => (void readKeys(), void readSessions()), { defer: true }));

  const keys = () => list.latest?.devices ?? [];

  /** What is given up is no fault: nothing happened. */
  async function attempt(what: () => Promise<unknown>) {
    setFault(undefined);
    try {
      await what();
      void readKeys();
      void readSessions();
    } catch (e) {
      const err = asApiError(e);
      if (err.code !== "not_touched") setFault(err);
    }
  }

  return (
    <div class="page" tabindex="0" role="group" aria-label="Devices">
      <div class="page-in devices">
        <Show when={isPhone()}>
          <a class="icb back" href="/" aria-label="Back to all threads">
            <Icon name="back" size={21} />
          </a>
        </Show>
        <h1>Devices</h1>
        <p class="lead">Whoever holds one of these can act as you. What you don’t know, end.</p>

        <div class="sec-head">
          <h2>Passkeys</h2>
          <span class="grow" />
          <button type="button" class="btn" onClick={() => setPairing(true)} disabled={pairing()}>
            <Icon name="phone" size={15} /> Pair a phone
          </button>
          <button type="button" class="btn" disabled={!canPasskeys() || adding()} onClick={() => setAdding(true)}>
            <Icon name="plus" size={15} /> Add
          </button>
        </div>
        <Show when={adding()}>
          <AddKey
            onCancel={() => setAdding(false)}
            onAdd={(name) => void attempt(() => enrolHere(name)).then(() => setAdding(false))}
          />
        </Show>
        <Show when={pairing()}>
          <PairPanel onClose={() => setPairing(false)} onPaired={() => (setTimeout(() => setPairing(false), 2500), void readSessions())} />
        </Show>
        <Show when={fault()}>
          {(f) => (
            <div class="note bad" role="alert">
              <Icon name="alert" size={16} />
              <span>
                <b>{f().message}</b> {f().hint}
              </span>
            </div>
          )}
        </Show>
        <Show
          when={keys().length}
          fallback={
            <Show when={list.latest}>
              <div class="none">
                <Icon name="key" size={20} />
                <p>
                  <b>No passkey yet.</b> With one you sign in without a terminal, and what needs proof asks for a touch of this device instead of
                  trusting the terminal.
                </p>
              </div>
            </Show>
          }
        >
          <ul class="rows">
            <For each={keys()}>
              {(d) => (
                <li class="r still">
                  <span class="dev-i" aria-hidden="true">
                    <Icon name="key" size={17} />
                  </span>
                  <span class="grow">
                    <Show when={renaming() === d.device} fallback={<span class="t">{d.name}</span>}>
                      <NameField
                        value={d.name}
                        label="Name of the passkey"
                        onDone={(name) => {
                          setRenaming("");
                          if (name && name !== d.name) void attempt(() => call("devices.rename", { device: d.device, name }));
                        }}
                      />
                    </Show>
                    <span class="d num">
                      {d.site} · {d.used ? `touched ${ago(d.used)}` : `made ${ago(d.created)}`}
                    </span>
                  </span>
                  <Menu
                    label={`More for ${d.name}`}
                    title={d.name}
                    class="icb"
                    disabled={app.offline()}
                    onChoose={(id) => (id === "rename" ? setRenaming(d.device) : void attempt(() => call("devices.revoke", { device: d.device })))}
                    choices={[
                      { id: "rename", label: "Rename" },
                      { id: "revoke", label: "Revoke", bad: true, says: "It signs nobody in any more. Its sessions end at once." },
                    ]}
                  >
                    <Icon name="more" />
                  </Menu>
                </li>
              )}
            </For>
          </ul>
          <p class="hint">
            <Show when={list.latest?.proof === "always"} fallback={<>A touch is asked for where a terminal’s word is in doubt, and for what changes who may act as you.</>}>
              Every answer needs a touch (asks.proof = always).
            </Show>
          </p>
        </Show>

        <div class="sec-head">
          <h2>Signed in</h2>
        </div>
        <ul class="rows">
          <For each={sessions.latest ?? []}>
            {(s) => (
              <li class="r still">
                <span class="dev-i" aria-hidden="true">
                  <Icon name={isPhoneAgent(s.name) ? "phone" : "monitor"} size={17} />
                </span>
                <span class="grow">
                  <span class="t">{browserName(s.name)}</span>
                  <span class="d num">
                    {s.current ? "This browser" : `Seen ${ago(s.seen)}`} · {s.site ? `${new URL(s.site).host} · ` : ""}
                    {hows[s.how]}
                  </span>
                </span>
                <button
                  type="button"
                  class="btn sm"
                  disabled={app.offline()}
                  aria-label={`Sign out ${browserName(s.name)}`}
                  onClick={() => (s.current ? void app.endSession().catch((e) => setFault(asApiError(e))) : void attempt(() => call("devices.sign_out", { session: s.session })))}
                >
                  Sign out
                </button>
              </li>
            )}
          </For>
        </ul>
      </div>
    </div>
  );
}

function AddKey(props: { onAdd(name: string): void; onCancel(): void }) {
  const [name, setName] = createSignal(deviceName(navigator.userAgent));
  const [busy, setBusy] = createSignal(false);
  let field!: HTMLInputElement;
  onMount(() => field.select());
  return (
    <form
      class="addkey"
      onSubmit={(e) => {
        e.preventDefault();
        setBusy(true);
        props.onAdd(name().trim());
      }}
    >
      <label class="grow">
        <span class="hint">What do you call this device?</span>
        <input class="field" ref={field} maxlength="64" value={name()} onInput={(e) => setName(e.currentTarget.value)} />
      </label>
      <button type="submit" class="btn pri tall" disabled={busy() || !name().trim()}>
        <Show when={!busy()} fallback={<span class="spin" />}>
          <Icon name="key" size={16} />
        </Show>
        Make the passkey
      </button>
      <button type="button" class="btn gho tall" onClick={props.onCancel}>
        Cancel
      </button>
    </form>
  );
}

function NameField(props: { value: string; label: string; onDone(name: string): void }) {
  let field!: HTMLInputElement;
  let done = false;
  const end = (name: string) => {
    if (done) return;
    done = true;
    props.onDone(name.trim());
  };
  onMount(() => field.select());
  return (
    <input
      class="rename"
      ref={field}
      aria-label={props.label}
      value={props.value}
      maxlength="64"
      onBlur={() => end(field.value)}
      onKeyDown={(e) => {
        if (e.key === "Enter") end(field.value);
        if (e.key === "Escape") end("");
        e.stopPropagation();
      }}
    />
  );
}
