import { For, Match, Show, Switch } from "solid-js";
import type { Item } from "../../api/types";
import { useApp } from "../../state/app";
import { Icon } from "../icons";
import { TextBlock } from "./text";

export interface Step {
  text: string;
  state: "done" | "now" | "next";
}

const states: Record<string, Step["state"]> = { completed: "done", done: "done", in_progress: "now", running: "now" };

/** The steps of a plan item, whichever of the common names its body uses. */
export function planSteps(item: Item): Step[] {
  const body = (item.body ?? {}) as Record<string, unknown>;
  const list = Array.isArray(body) ? body : (body.steps ?? body.todos ?? body.entries ?? body.items);
  if (!Array.isArray(list)) return [];
  return list.map((s: Record<string, unknown>) => ({
    text: String(s.content ?? s.text ?? s.step ?? s.title ?? ""),
    state: states[String(s.status ?? "")] ?? "next",
  }));
}

const names = { done: "Done: ", now: "Now: ", next: "" };

/** live: the agent works, so the ring of the current step may turn. */
export function Steps(props: { steps: Step[]; live: boolean }) {
  return (
    <ul class="todo">
      <For each={props.steps}>
        {(s) => (
          <li class={s.state}>
            <Switch>
              <Match when={s.state === "done"}>
                <Icon name="circleCheck" size={16} />
              </Match>
              <Match when={s.state === "now"}>
                <Show when={props.live} fallback={<Icon name="dashed" size={16} />}>
                  <span class="spin" aria-hidden="true" />
                </Show>
              </Match>
              <Match when={s.state === "next"}>
                <Icon name="circle" size={16} />
              </Match>
            </Switch>
            <span>
              <span class="sr">{names[s.state]}</span>
              {s.text}
            </span>
          </li>
        )}
      </For>
    </ul>
  );
}

export function PlanCard(props: { item: Item }) {
  const app = useApp();
  const steps = () => planSteps(props.item);
  const done = () => steps().filter((s) => s.state === "done").length;
  return (
    <section class="card" aria-label="Plan">
      <header>
        <Icon name="plan" size={17} /> Plan
        <Show when={steps().length}>
          <span class="dim3 num">{done()} of {steps().length}</span>
        </Show>
      </header>
      <Show when={steps().length} fallback={<div class="card-in"><TextBlock item={props.item} live={false} /></div>}>
        <Steps steps={steps()} live={app.world.threads[props.item.thread]?.state === "running"} />
      </Show>
    </section>
  );
}
