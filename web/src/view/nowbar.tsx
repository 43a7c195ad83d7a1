import { createEffect, createSignal, on, onCleanup, onMount, Show } from "solid-js";
import { clock, elapsed, now } from "../lib/clock";
import { isPhone } from "../lib/media";
import { useApp, type Line } from "../state/app";

/** What the agent does now, and the way to interrupt it. */
export function NowBar(props: { thread: string }) {
  const app = useApp();
  const [pressed, setPressed] = createSignal(0);
  const [armed, setArmed] = createSignal(false);
  const t = () => app.world.threads[props.thread]!;
  const act = () => app.world.activity[props.thread];
  const busy = () => t().state === "running" || t().state === "waiting";
  const harder = () => pressed() > 0 && now() - pressed() > 3000;

  createEffect(on(busy, (is) => is || setPressed(0)));

  function interrupt() {
    const tool = harder() ? "threads.stop" : "threads.interrupt";
    if (!pressed()) setPressed(Date.now());
    void app.act(tool, { thread: props.thread }).catch(() => setPressed(0));
  }

  // Esc twice within a second, so that a stray one ends nothing.
  onMount(() => {
    let timer = 0;
    const onKey = (e: KeyboardEvent) => {
      if (e.key !== "Escape" || e.defaultPrevented || !busy() || app.offline() || pressed()) return;
      if (armed()) {
        setArmed(false);
        interrupt();
        return;
      }
      setArmed(true);
      clearTimeout(timer);
      timer = window.setTimeout(() => setArmed(false), 1000);
    };
    document.addEventListener("keydown", onKey);
    onCleanup(() => document.removeEventListener("keydown", onKey));
  });

  return (
    <Show when={busy() || t().state === "starting"}>
      <div class="nowbar">
        <Show when={t().state !== "waiting"} fallback={<span class="dot-you" aria-hidden="true" />}>
          <span class="spin" aria-hidden="true" />
        </Show>
        <span class="grow trunc num">
          <Show when={!app.offline()} fallback={<>Was working at {clock((app.line() as Extract<Line, { is: "lost" }>).since ?? Date.now())}. The agent goes on without you.</>}>
            <b>{pressed() ? "Interrupting" : t().state === "waiting" ? "Waits for your answer" : t().state === "starting" ? "Starting" : "Working"}</b>
            <Show when={act()}> {elapsed(now() - Date.parse(act()!.since))}</Show>
            <Show when={act()?.step}> · step {act()!.step}</Show>
            <Show when={t().state === "running" && act()?.title}>
              {" "}· <span class="mono">{act()!.title}</span>
            </Show>
          </Show>
        </span>
        <Show when={busy() && !app.offline()}>
          <button type="button" class="btn" classList={{ bad: harder() }} disabled={pressed() > 0 && !harder()} onClick={interrupt}>
            <span class="stop-square" aria-hidden="true" />
            {harder() ? "Stop harder" : armed() ? "Esc again" : "Interrupt"}
            <Show when={!isPhone()}>
              <kbd aria-hidden="true">Esc</kbd>
            </Show>
          </button>
        </Show>
      </div>
    </Show>
  );
}
