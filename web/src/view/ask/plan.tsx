import { createEffect, createSignal, onMount, Show } from "solid-js";
import type { Ask } from "../../api/types";
import { markdownInto } from "../../lib/markdown";
import { useApp } from "../../state/app";
import type { Reading } from "./answering";
import { approveWith, denyWith } from "./options";

const approvals: { mode: "edits" | "ask"; label: string; says: string }[] = [
  { mode: "edits", label: "Approve, and ask before each command", says: "Edits files in the folder freely, asks before it runs anything" },
  { mode: "ask", label: "Approve, and ask before each edit", says: "You see every change first" },
];

/** A plan to approve: how far to trust it from here, or what should be different. */
export function PlanAsk(props: { ask: Ask; reading: Reading }) {
  const app = useApp();
  const [note, setNote] = createSignal("");
  const plan = () => (props.ask.input as { plan?: string } | null)?.plan || props.ask.display;
  let root!: HTMLDivElement;

  onMount(() => {
    const show = markdownInto(root);
    createEffect(() => show(plan(), true));
  });

  const keep = () => void app.answers.answer(denyWith(props.ask, note()), "Keep planning");

  return (
    <>
      <Show when={!plan()}>
        <p class="dim">The agent wrote no plan into its question. What it said stands in the conversation.</p>
      </Show>
      <span class="cmd-start" ref={props.reading.watchStart} />
      <div class="md" ref={root} />
      <span class="cmd-end" tabindex="0" ref={props.reading.watchEnd}>
        <span class="sr">End of the plan</span>
      </span>
      <div class="opts plan">
        {approvals.map((a, i) => (
          <button
            type="button"
            class="opt"
            classList={{ pri: i === 0 }}
            data-key={String(i + 1)}
            disabled={!props.reading.ready() || app.offline()}
            onClick={() => void app.answers.answer(approveWith(props.ask, a.mode), a.label)}
          >
            <span class="t">{a.label}</span>
            <kbd aria-hidden="true">{i + 1}</kbd>
            <span class="d">{a.says}</span>
          </button>
        ))}
        <button type="button" class="opt" data-key="3" disabled={app.offline()} onClick={keep}>
          <span class="t">Keep planning</span>
          <kbd aria-hidden="true">3</kbd>
          <span class="d">{note().trim() ? "Sends your note, nothing is changed yet" : "Nothing is changed yet"}</span>
        </button>
      </div>
      <input
        class="field"
        aria-label="What should be different"
        placeholder="What should be different?"
        value={note()}
        onInput={(e) => setNote(e.currentTarget.value)}
        onKeyDown={(e) => {
          if (e.key !== "Enter" || !note().trim() || app.offline()) return;
          e.preventDefault();
          keep();
        }}
      />
    </>
  );
}
