import { createMemo, createSignal, For, Match, Show, Switch } from "solid-js";
import { asApiError } from "../api/call";
import { isPhone } from "../lib/media";
import { useApp } from "../state/app";
import { groupThreads } from "../state/select";
import { GateGroup } from "./gate";
import { Icon } from "./icons";
import { Menu } from "./menu";
import { NeedsCard } from "./needs";
import { ThreadRow } from "./row";

/** All threads: what needs a person first, then what runs, then the rest. */
export function ListPane(props: { shown: string }) {
  const app = useApp();
  const [search, setSearch] = createSignal("");
  const [fault, setFault] = createSignal("");
  const groups = createMemo(() => {
    const g = groupThreads(app.world, search());
    const ids = (ts: { thread: string }[]) => ts.map((t) => t.thread);
    return { needsYou: ids(g.needsYou), running: ids(g.running), recent: ids(g.recent) };
  });
  const nothing = () => !groups().needsYou.length && !groups().running.length && !groups().recent.length;

  return (
    <section class="list" aria-label="Threads">
      <div class="list-head">
        <div class="row">
          <h1 class="grow">Home</h1>
          <Show
            when={isPhone()}
            fallback={
              <a class="btn" href="/new">
                <Icon name="plus" size={16} /> New <kbd aria-hidden="true">C</kbd>
              </a>
            }
          >
            <a class="newb" href="/new" aria-label="New thread">
              <Icon name="plus" size={22} />
            </a>
          </Show>
          <Menu
            label="Account"
            title="This browser"
            class="icb"
            disabled={app.offline()}
            onChoose={(id) => (id === "devices" ? app.go("/devices") : void app.endSession().catch((e) => setFault(`Not signed out. ${asApiError(e).message}`)))}
            choices={[
              { id: "devices", label: "Devices", says: "Passkeys, signed-in browsers, pair a phone" },
              { id: "sign-out", label: "Sign out", says: "Agents go on. `vyre open` signs in again." },
            ]}
          >
            <Icon name="more" />
          </Menu>
        </div>
        <Show when={fault()}>
          <p class="bad-t" role="alert">{fault()}</p>
        </Show>
        <label class="searchbox">
          <Icon name="search" size={16} />
          <input
            id="search"
            type="search"
            placeholder="Search threads"
            aria-label="Search threads"
            value={search()}
            onInput={(e) => setSearch(e.currentTarget.value)}
            onKeyDown={(e) => e.key === "Escape" && (setSearch(""), e.currentTarget.blur())}
          />
          <kbd aria-hidden="true">/</kbd>
        </label>
      </div>
      <div class="scroll">
        <Switch>
          <Match when={!app.ready()}>
            <p class="quiet">Loading threads</p>
          </Match>
          <Match when={nothing() && search()}>
            <p class="quiet">No thread is called “{search()}”.</p>
          </Match>
        </Switch>
        <GateGroup />
        <Group name="Needs you" ids={groups().needsYou} shown={props.shown} needs />
        <Group name="Running" ids={groups().running} shown={props.shown} />
        <Group name="Recent" ids={groups().recent} shown={props.shown} />
        <Show when={app.moreThreads()}>
          <button type="button" class="btn gho more" onClick={() => void app.moreOfList()}>
            Show older threads
          </button>
        </Show>
      </div>
    </section>
  );
}

function Group(props: { name: string; ids: string[]; shown: string; needs?: boolean }) {
  return (
    <Show when={props.ids.length}>
      <div class="grp">
        <h2>
          {props.name}
          <span classList={{ badge: props.needs, n: !props.needs }} class="num">
            {props.name === "Recent" ? "" : props.ids.length}
          </span>
        </h2>
        <ul>
          <For each={props.ids}>
            {(id) => (
              <li>
                <Show when={props.needs && isPhone()} fallback={<ThreadRow thread={id} current={props.shown === id} />}>
                  <NeedsCard thread={id} />
                </Show>
              </li>
            )}
          </For>
        </ul>
      </div>
    </Show>
  );
}
