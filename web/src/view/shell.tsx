import { createEffect, createMemo, createSignal, Match, onCleanup, Show, Switch } from "solid-js";
import { hasDetails, isPhone } from "../lib/media";
import { load, save } from "../lib/storage";
import { gateOpen } from "../model/gate";
import { useApp } from "../state/app";
import { openAsks } from "../state/select";
import { ActBanner, ActPane } from "./act";
import { AskPane } from "./ask/pane";
import { Banner } from "./banner";
import { Details } from "./details";
import { DevicesPane } from "./devices";
import { GatePane } from "./gate";
import { HomePane } from "./home";
import { listenKeys } from "./keys";
import { ListPane } from "./list";
import { NewPane } from "./new";
import { Rail } from "./rail";
import { ThreadPane } from "./thread";
import { TouchSheet } from "./touch";

/** Rail, list, the thread or ask, and its details; one pane at a time on a phone. */
export function Shell() {
  const app = useApp();
  const [details, setDetails] = createSignal(load("details", true));
  const waiting = createMemo(() => openAsks(app.world).length + gateOpen(app.world).filter((a) => a.state === "waiting").length);
  const none = () => app.ready() && Object.keys(app.world.threads).length === 0;
  const first = createMemo(() => none() && (app.route().at === "home" || app.route().at === "new"));

  function toggleDetails() {
    setDetails(!details());
    save("details", details());
  }
  onCleanup(listenKeys(app, toggleDetails));
  createEffect(() => {
    document.title = waiting() ? `(${waiting()}) Vyre` : "Vyre";
  });

  /** At home a desktop opens the first ask's thread, and stays with it. */
  const homeThread = createMemo<string>((had) => {
    if (app.route().at !== "home" || isPhone() || !app.ready()) return "";
    return had || (openAsks(app.world)[0]?.thread ?? "");
  }, "");
  const shown = () => {
    const r = app.route();
    if (r.at === "thread") return r.thread;
    if (r.at === "ask") return app.world.asks[r.ask]?.thread ?? "";
    return homeThread();
  };
  const side = () => hasDetails() && details() && shown() !== "" && app.world.threads[shown()];

  return (
    <div
      class="app"
      classList={{ off: app.offline(), two: first(), side: Boolean(side()) }}
      data-view={app.route().at === "home" && !first() ? "list" : "pane"}
    >
      <a class="skip" href="#composer" onClick={(e) => (e.preventDefault(), document.getElementById("composer")?.focus())}>
        Skip to composer
      </a>
      <Rail waiting={waiting()} />
      <Show when={!first()}>
        <ListPane shown={shown()} />
      </Show>
      <main class="pane" aria-label={{ ask: "Question", devices: "Devices", act: "Act" }[app.route().at as string] ?? "Thread"}>
        <Banner />
        <ActBanner />
        <Switch fallback={<HomePane />}>
          <Match when={app.route().at === "devices"}>
            <DevicesPane />
          </Match>
          <Match when={app.route().at === "act" && (app.route() as { act: string }).act} keyed>
            {(act) => <ActPane act={act} />}
          </Match>
          <Match when={first() || app.route().at === "new"}>
            <NewPane first={none()} />
          </Match>
          <Match when={app.route().at === "ask" && (app.route() as { ask: string }).ask} keyed>
            {(ask) => <AskPane ask={ask} />}
          </Match>
          <Match when={app.route().at === "gate" && (app.route() as { act: string }).act} keyed>
            {(act) => <GatePane act={act} />}
          </Match>
          <Match when={(app.route().at === "thread" || homeThread()) && shown()} keyed>
            {(thread) => <ThreadPane thread={thread} onDetails={toggleDetails} />}
          </Match>
        </Switch>
      </main>
      <Show when={side()}>
        <Details thread={shown()} onClose={toggleDetails} />
      </Show>
      <TouchSheet />
      <div class="sr" role="status" aria-live="polite">
        {app.said()}
      </div>
    </div>
  );
}
