import { createMemo, createSignal, For, Show } from "solid-js";
import { asApiError, call } from "../api/call";
import type { Mode } from "../api/types";
import { load, save } from "../lib/storage";
import { isPhone } from "../lib/media";
import { useApp } from "../state/app";
import { agentName, modeLabel } from "../words/agents";
import { Icon } from "./icons";
import { Menu } from "./menu";
import { Monogram } from "./meta";
import { modeChoices } from "./mode";
import { ProviderRows, usable } from "./providers";

/** A new thread: folder, agent, first message, mode. */
export function NewPane(props: { first: boolean }) {
  const app = useApp();
  const usual = () => Object.values(app.world.threads).sort((a, b) => b.updated.localeCompare(a.updated));
  const folders = createMemo(() => [...new Set(usual().map((t) => t.cwd))].slice(0, 20));
  const [cwd, setCwd] = createSignal(load("new.cwd", ""));
  const [text, setText] = createSignal(load("draft.new", ""));
  const [provider, setProvider] = createSignal(load("new.provider", ""));
  const [mode, setMode] = createSignal<Mode>("ask");
  const [busy, setBusy] = createSignal(false);
  const [fault, setFault] = createSignal<{ message: string; hint: string }>();
  let key = { said: "", id: "" };

  const ready = createMemo(() => app.providers().filter(usable));
  const chosen = () => ready().find((p) => p.provider === provider()) ?? ready()[0];
  const folder = () => cwd() || folders()[0] || "";
  const can = () => text().trim() !== "" && folder() !== "" && chosen() && !busy() && !app.offline();

  async function start() {
    if (!can()) return;
    const input = { provider: chosen()!.provider, prompt: text().trim(), cwd: folder(), mode: mode() };
    const said = JSON.stringify(input);
    if (key.said !== said) key = { said, id: crypto.randomUUID() }; // the same again is the same start
    setBusy(true);
    setFault(undefined);
    try {
      const got = await call<{ thread: string }>("threads.start", { ...input, key: key.id });
      save("new.cwd", folder());
      save("new.provider", input.provider);
      save("draft.new", "");
      await app.loader.thread(got.thread).catch(() => {});
      app.go(`/t/${got.thread}`);
    } catch (e) {
      const err = asApiError(e);
      setFault({ message: err.message, hint: err.hint });
    } finally {
      setBusy(false);
    }
  }

  return (
    <div class="page" tabindex="0" role="group" aria-label="New thread">
      <div class="page-in new">
        <Show when={isPhone() && !props.first}>
          <a class="icb back" href="/" aria-label="Back to all threads">
            <Icon name="back" size={21} />
          </a>
        </Show>
        <h1>{props.first ? "Start your first thread" : "New thread"}</h1>
        <p class="lead">Vyre runs your coding agents on this machine and keeps them running when you leave.</p>
        <div class="step">
          <span class="step-n" classList={{ done: ready().length > 0 }} aria-hidden="true">
            <Show when={ready().length > 0} fallback="1">
              <Icon name="check" size={15} />
            </Show>
          </span>
          <div>
            <h2>Your agents</h2>
            <p class="d">Found on this machine. Vyre uses your own sign-in, no new account.</p>
            <ProviderRows providers={app.providers()} chosen={chosen()?.provider ?? ""} onChoose={setProvider} />
          </div>
        </div>
        <div class="step">
          <span class="step-n" aria-hidden="true">2</span>
          <div>
            <h2>Say what you want done</h2>
            <p class="d">Name a folder and write one sentence. It asks before it changes anything.</p>
            <form class="comp" onSubmit={(e) => (e.preventDefault(), void start())}>
              <div class="folder">
                <Icon name="folder" size={15} />
                <input
                  class="mono"
                  aria-label="Folder, as an absolute path"
                  placeholder="/absolute/path/of/the/folder"
                  list="folders"
                  spellcheck={false}
                  autocapitalize="off"
                  autocomplete="off"
                  value={folder()}
                  onInput={(e) => setCwd(e.currentTarget.value)}
                />
                <datalist id="folders">
                  <For each={folders()}>{(f) => <option value={f} />}</For>
                </datalist>
              </div>
              <textarea
                id="composer"
                class="ta"
                rows="2"
                aria-label="First message"
                placeholder="What should be done?"
                value={text()}
                onInput={(e) => {
                  setText(e.currentTarget.value);
                  save("draft.new", text());
                }}
                onKeyDown={(e) => {
                  if (e.key === "Enter" && !e.shiftKey && !e.isComposing && !isPhone()) {
                    e.preventDefault();
                    void start();
                  }
                }}
              />
              <div class="bar">
                <span class="grow row">
                  <Show when={chosen()}>
                    <Monogram provider={chosen()!.provider} /> <span class="dim3 trunc">{agentName(chosen()!.provider, app.providers())}</span>
                  </Show>
                </span>
                <Menu
                  up
                  label={`Mode: ${modeLabel(mode())}`}
                  title="What the agent may do without asking"
                  class="pick"
                  chosen={mode()}
                  choices={modeChoices(chosen())}
                  onChoose={(m) => setMode(m as Mode)}
                >
                  <Icon name="shield" size={15} /> {modeLabel(mode())}
                </Menu>
                <button type="submit" class="send round" disabled={!can()} aria-label="Start the thread">
                  <Show when={!busy()} fallback={<span class="spin" />}>
                    <Icon name="up" size={18} />
                  </Show>
                </button>
              </div>
            </form>
            <Show when={fault()}>
              <div class="err" role="alert">
                <Icon name="circleX" size={17} />
                <div class="h">{fault()!.message}</div>
                <div class="p">{fault()!.hint}</div>
              </div>
            </Show>
          </div>
        </div>
      </div>
    </div>
  );
}
