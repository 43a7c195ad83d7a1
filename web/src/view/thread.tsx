import { createEffect, createSignal, on, onMount, Show } from "solid-js";
import { asApiError } from "../api/call";
import { isPhone } from "../lib/media";
import { useApp } from "../state/app";
import { askOf } from "../state/select";
import { agentName } from "../words/agents";
import { askWants, threadTitle } from "../words/threads";
import { Composer } from "./composer";
import { Icon } from "./icons";
import { Menu } from "./menu";
import { ThreadMeta } from "./meta";
import { NowBar } from "./nowbar";
import { Queue } from "./queue";
import { Rename } from "./rename";
import { Timeline } from "./timeline";

/** One thread: its head, its timeline, and where one says something to it. */
export function ThreadPane(props: { thread: string; onDetails(): void }) {
  const app = useApp();
  const [fault, setFault] = createSignal("");
  const t = () => app.world.threads[props.thread];
  const name = () => agentName(t()?.provider ?? "", app.providers());

  onMount(() => {
    app.sending.restore(props.thread);
    createEffect(
      on([app.ready, () => Boolean(app.world.timelines[props.thread])], ([ready, have]) => {
        if (ready && !have) void read();
      }),
    );
  });

  async function read() {
    try {
      if (!t()) await app.loader.thread(props.thread);
      await Promise.all([app.loader.timeline(props.thread), app.loader.queue(props.thread)]);
      app.settle(props.thread);
    } catch (e) {
      const err = asApiError(e);
      if (err.code === "not_found") setFault("There is no such thread here.");
      else if (err.code !== "offline") setFault(err.message);
    }
  }

  // What a screen reader hears instead of the stream.
  createEffect(
    on(
      () => t()?.state,
      (state, before) => {
        if (!state || !before || state === before) return;
        const ask = askOf(app.world, props.thread);
        if (ask) app.say(`${name()} ${askWants(ask)}`);
        else if (state === "running") app.say(`${name()} is working`);
        else if (state === "idle") app.say(`${name()} is finished`);
        else if (state === "stopped" || state === "failed") app.say(`${name()} stopped`);
      },
    ),
  );

  return (
    <div class="thread">
      <Show when={!fault()} fallback={<Missing says={fault()} />}>
        <Show when={t()}>
          <Head thread={props.thread} onDetails={props.onDetails} />
        </Show>
        <Timeline thread={props.thread} />
        <div class="dock">
          <Show when={t()}>
            <NowBar thread={props.thread} />
            <Queue thread={props.thread} />
            <Composer thread={props.thread} />
          </Show>
        </div>
      </Show>
    </div>
  );
}

function Missing(props: { says: string }) {
  return (
    <div class="empty">
      <p class="h">{props.says}</p>
      <p>
        <a href="/">Go to all threads</a>
      </p>
    </div>
  );
}

function Head(props: { thread: string; onDetails(): void }) {
  const app = useApp();
  const [renaming, setRenaming] = createSignal(false);
  const t = () => app.world.threads[props.thread]!;
  const live = () => ["starting", "idle", "running", "waiting"].includes(t().state);

  function choose(id: string) {
    if (id === "rename") setRenaming(true);
    else if (id === "stop") void app.act("threads.stop", { thread: props.thread }).catch(() => {});
    else if (id === "archive") {
      void app.act("threads.archive", { thread: props.thread }).then(() => app.go("/"), () => {});
    }
  }

  return (
    <header class="th-head">
      <Show when={isPhone()}>
        <a class="icb" href="/" aria-label="Back to all threads">
          <Icon name="back" size={21} />
        </a>
      </Show>
      <div class="grow">
        <Show when={!renaming()} fallback={<Rename thread={t()} onDone={() => setRenaming(false)} />}>
          <h1 class="trunc">{threadTitle(t())}</h1>
        </Show>
        <div class="meta">
          <ThreadMeta thread={t()} name />
        </div>
      </div>
      <button type="button" class="icb desk wide" aria-label="Details" title="Details (E)" onClick={props.onDetails}>
        <Icon name="panel" />
      </button>
      <Menu
        label="More"
        title="This thread"
        class="icb"
        disabled={app.offline()}
        onChoose={choose}
        choices={[
          { id: "rename", label: "Rename" },
          ...(live() ? [{ id: "stop", label: "Stop", says: "Ends the agent’s process. A message starts it again.", bad: true }] : []),
          { id: "archive", label: "Archive", says: "Puts the thread away. Nothing is deleted." },
        ]}
      >
        <Icon name="more" />
      </Menu>
    </header>
  );
}
