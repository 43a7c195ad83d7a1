import { createSignal, For, onMount, Show } from "solid-js";
import { asApiError } from "../api/call";
import type { Queued } from "../model/world";
import { useApp } from "../state/app";
import { Icon } from "./icons";

/** Messages that wait, on the composer's back: what joins this turn, and what comes after it. */
export function Queue(props: { thread: string }) {
  const app = useApp();
  const [fault, setFault] = createSignal("");
  const list = () => app.world.queues[props.thread] ?? [];
  const steering = () => (app.world.steering[props.thread] ?? []).filter((q) => q.text);
  const state = () => app.world.threads[props.thread]?.state ?? "";
  const when = () => {
    if (["running", "waiting"].includes(state())) return "After this turn";
    return state() === "starting" || state() === "idle" ? "When the agent has started" : "With your next message";
  };

  /** Any act on a row may come too late: the agent has it then, and that is said. */
  function act(tool: string, message: string, more: object = {}) {
    setFault("");
    void app.act(tool, { thread: props.thread, message, ...more }).catch((e) => {
      const err = asApiError(e);
      setFault(err.code === "conflict" ? "It had already been sent." : err.message);
      void app.loader.queue(props.thread).catch(() => {});
    });
  }

  function move(i: number, by: -1 | 1) {
    const to = i + by;
    if (to < 0 || to >= list().length) return;
    const before = by < 0 ? list()[to] : list()[to + 1];
    act("threads.move", list()[i]!.message, before && { before: before.message });
  }

  return (
    <Show when={list().length + steering().length || fault()}>
      <section class="queue" aria-label="Messages that wait">
        <Show when={fault()}>
          <p class="q-fault bad-t" role="alert">
            <Icon name="alert" size={14} /> {fault()}
            <button type="button" class="link" onClick={() => setFault("")}>
              Dismiss
            </button>
          </p>
        </Show>
        <Show when={steering().length}>
          <h2>
            <span class="spin" aria-hidden="true" /> Joins this turn
            <span class="dim3">· at the agent’s next step</span>
          </h2>
          <ol>
            <For each={steering()}>
              {(q) => (
                <li class="q">
                  <span class="trunc">{q.text}</span>
                </li>
              )}
            </For>
          </ol>
        </Show>
        <Show when={list().length}>
          <h2>
            <Icon name="queue" size={15} /> {when()}
            <span class="dim3">· {list().length} waiting{list().length > 1 ? ", in this order" : ""}</span>
          </h2>
          <ol>
            <For each={list()}>{(q, i) => <Row message={q} at={i()} act={act} move={move} />}</For>
          </ol>
        </Show>
      </section>
    </Show>
  );
}

function Row(props: {
  message: Queued;
  at: number;
  act(tool: string, message: string, more?: object): void;
  move(i: number, by: -1 | 1): void;
}) {
  const app = useApp();
  const [editing, setEditing] = createSignal(false);
  const id = () => props.message.message;

  function onKeyDown(e: KeyboardEvent) {
    if (!e.altKey || editing() || (e.key !== "ArrowUp" && e.key !== "ArrowDown")) return;
    e.preventDefault();
    props.move(props.at, e.key === "ArrowUp" ? -1 : 1);
  }

  return (
    <li class="q" onKeyDown={onKeyDown}>
      <span class="pos num" aria-hidden="true">{props.at + 1}</span>
      <Show
        when={!editing()}
        fallback={
          <Edit
            text={props.message.text}
            keep={(text) => {
              setEditing(false);
              if (text && text !== props.message.text) props.act("threads.edit", id(), { text });
            }}
          />
        }
      >
        <span class="trunc grow">{props.message.text}</span>
        <span class="q-acts">
          <Show when={props.at > 0}>
            <Act label="Move up" icon="chevronUp" off={app.offline()} act={() => props.move(props.at, -1)} />
          </Show>
          <Act label="Send now" icon="up" off={app.offline()} act={() => props.act("threads.send_now", id())} />
          <Act label="Edit" icon="pencil" off={app.offline()} act={() => setEditing(true)} />
          <Act label="Take back" icon="x" off={app.offline()} act={() => props.act("threads.unqueue", id())} />
        </span>
      </Show>
    </li>
  );
}

function Act(props: { label: string; icon: Parameters<typeof Icon>[0]["name"]; off: boolean; act(): void }) {
  return (
    <button type="button" class="q-act" aria-label={props.label} title={props.label} disabled={props.off} onClick={() => props.act()}>
      <Icon name={props.icon} size={15} />
    </button>
  );
}

/** The words of a row as a field. Enter and leaving it keep them, Esc does not. */
function Edit(props: { text: string; keep(text: string): void }) {
  let field!: HTMLTextAreaElement;
  let over = false;
  onMount(() => {
    field.focus();
    field.select();
  });
  function end(text: string) {
    if (over) return;
    over = true;
    props.keep(text.trim());
  }
  return (
    <textarea
      class="q-edit grow"
      rows="1"
      ref={field}
      aria-label="Words of the message"
      value={props.text}
      onBlur={() => end(field.value)}
      onKeyDown={(e) => {
        if (e.key === "Enter" && !e.shiftKey && !e.isComposing) end(field.value);
        else if (e.key === "Escape") end(props.text);
        else return;
        e.preventDefault();
        e.stopPropagation();
      }}
    />
  );
}
