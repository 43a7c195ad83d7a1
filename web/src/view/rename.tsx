import { onMount } from "solid-js";
import type { Thread } from "../api/types";
import { useApp } from "../state/app";
import { threadTitle } from "../words/threads";

/** The thread's name as a field; Enter keeps it, Esc leaves it. */
export function Rename(props: { thread: Thread; onDone(): void }) {
  const app = useApp();
  let field!: HTMLInputElement;
  onMount(() => field.select());

  function keep() {
    const name = field.value.trim();
    if (name && name !== props.thread.name) {
      void app.act("threads.rename", { thread: props.thread.thread, name }).catch(() => {});
    }
    props.onDone();
  }
  return (
    <input
      class="rename"
      ref={field}
      aria-label="Name of the thread"
      value={threadTitle(props.thread)}
      maxlength="120"
      onBlur={keep}
      onKeyDown={(e) => {
        if (e.key === "Enter") keep();
        if (e.key === "Escape") props.onDone();
        e.stopPropagation();
      }}
    />
  );
}
