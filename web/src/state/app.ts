// The page's state: the world, the line to the daemon, and what a person does.

import { batch, createContext, createSignal, useContext } from "solid-js";
import { createStore, produce } from "solid-js/store";
import { call, signOut, whenSignedOut } from "../api/call";
import { follow, type Follower } from "../api/follow";
import { whenProofIsGone } from "../api/proof";
import type { Provider, VyreEvent } from "../api/types";
import { createRouter } from "../lib/route";
import { applyEvent } from "../model/fold";
import { emptyWorld, noWants, type Wants, type World } from "../model/world";
import { createActs } from "./acts";
import { createAnswers } from "./answers";
import { coalesce, perFrame } from "./frames";
import { createLoader } from "./load";
import { createSending } from "./sending";

export type Line =
  | { is: "connecting" }
  | { is: "live" }
  | { is: "catching-up"; head: number; read: number; since: number }
  | { is: "lost"; since: number; nextTry: number };

export function createApp() {
  const [world, setWorld] = createStore<World>(emptyWorld());
  const [line, setLine] = createSignal<Line>({ is: "connecting" });
  const [ready, setReady] = createSignal(false);
  const [signedOut, setSignedOut] = createSignal(false);
  const [gap, setGap] = createSignal(false);
  const [providers, setProviders] = createSignal<Provider[]>([]);
  const [moreThreads, setMoreThreads] = createSignal("");
  const [said, setSaid] = createSignal("");
  const router = createRouter();
  const loader = createLoader(world, setWorld);
  const sending = createSending();
  const acts = createActs();
  const [devicesChanged, setDevicesChanged] = createSignal(0);
  const answers = createAnswers((id) => {
    const thread = world.asks[id]?.thread;
    if (thread) readAsks(thread);
  });
  let follower: Follower | undefined;

  const readItems = coalesce(async (id) => {
    await loader.changedItems(id);
    settle(id);
  });
  const readAsks = coalesce(loader.openAsks);
  const readThread = coalesce(loader.thread);
  const readQueue = coalesce(loader.queue);
  // The act that is open is read whole; lists have beginnings of payloads.
  const readGate = coalesce(async (open) => {
    await loader.gate(open);
    if (open) await loader.gateAct(open);
  });

  function settle(id: string) {
    const items = world.timelines[id]?.items;
    if (items) sending.settle(id, Object.values(items));
  }

  let inbox: VyreEvent[] = [];
  const drain = perFrame(() => {
    const evs = inbox;
    inbox = [];
    const wants: Wants = noWants();
    batch(() => {
      setWorld(produce((w) => evs.forEach((e) => applyEvent(w, e, wants))));
      const at = line();
      if (at.is !== "catching-up") return;
      const there = (evs[evs.length - 1]?.seq ?? 0) >= at.head;
      setLine(there ? { is: "live" } : { ...at, read: at.read + evs.length });
    });
    settleLine();
    if (evs.some((e) => e.kind.startsWith("act."))) void acts.read();
    if (evs.some((e) => e.kind === "passkey.changed" || e.kind === "sign_in.changed")) setDevicesChanged((n) => n + 1);
    wants.items.forEach(readItems);
    wants.asks.forEach(readAsks);
    wants.threads.forEach(readThread);
    const at = router.route();
    if (wants.gate.size) readGate(at.at === "gate" ? at.act : "");
    wants.queues.forEach((id) => world.timelines[id] && readQueue(id));
  });

  // Numbers jump where a daemon restarted, and the head's own event may be gone:
  // when nothing came for a second, that was all.
  let quiet: ReturnType<typeof setTimeout> | undefined;
  function settleLine() {
    clearTimeout(quiet);
    if (line().is !== "catching-up") return;
    quiet = setTimeout(() => line().is === "catching-up" && setLine({ is: "live" }), 1000);
  }

  function onLive(cursor: number, head: number) {
    setLine(head > cursor ? { is: "catching-up", head, read: 0, since: Date.now() } : { is: "live" });
    settleLine();
  }

  async function snapshot() {
    inbox = [];
    const [next, , list] = await Promise.all([loader.threads(), loader.openAsks(), loader.providers(), acts.read(), loader.gate()]);
    // Timelines that were open are read afresh; the others when they are opened again.
    const r = router.route();
    const open = Object.keys(world.timelines);
    const keep = r.at === "thread" ? [r.thread] : open.slice(-1);
    const old = keep.filter((id) => open.includes(id));
    await Promise.all([...old.map(loader.timeline), ...old.map(loader.queue), ...old.filter((id) => !world.threads[id]).map(loader.thread)]);
    batch(() => {
      setWorld(produce((w) => {
        for (const id of open) if (!keep.includes(id)) delete w.timelines[id];
        for (const id of Object.keys(w.queues)) if (!old.includes(id)) delete w.queues[id];
        for (const id of Object.keys(w.steering)) if (!old.includes(id)) delete w.steering[id];
      }));
      setMoreThreads(next);
      setProviders(list);
      setReady(true);
    });
  }

  function start() {
    setSignedOut(false);
    follower = follow({
      snapshot,
      onLive,
      onEvents(evs) {
        inbox.push(...evs);
        drain();
      },
      onLost(nextTry) {
        const at = line();
        setLine({ is: "lost", since: at.is === "lost" ? at.since : Date.now(), nextTry });
      },
      onGap: () => setGap(true),
      onSignedOut: leave,
    });
  }

  function leave() {
    follower?.stop();
    follower = undefined;
    setSignedOut(true);
  }

  /** Ends the session and begins anew, so that nothing of it is left in memory. */
  async function endSession() {
    await signOut();
    location.replace("/sign-in");
  }

  whenSignedOut(leave);
  whenProofIsGone(() => location.replace("/sign-in"));
  window.addEventListener("online", () => follower?.tryNow());
  document.addEventListener("visibilitychange", () => document.hidden || follower?.tryNow());

  return {
    world, line, ready, signedOut, gap, providers, moreThreads, said,
    route: router.route, go: router.go,
    loader, sending, answers, acts, devicesChanged, start, settle, endSession,
    /** Says it once to a screen reader, politely. */
    say: setSaid,
    dismissGap: () => setGap(false),
    tryNow: () => follower?.tryNow(),
    offline: () => line().is === "lost" || line().is === "connecting",
    async moreOfList() {
      setMoreThreads(await loader.threads(moreThreads()));
    },
    act: (tool: string, input: object) => call(tool, input),
  };
}

export type App = ReturnType<typeof createApp>;

export const AppContext = createContext<App>();

export function useApp(): App {
  const app = useContext(AppContext);
  if (!app) throw new Error("no app above this component");
  return app;
}
