import { createMemo, createUniqueId, For, Show } from "solid-js";
import { createStore } from "solid-js/store";
import type { Ask } from "../../api/types";
import { useApp } from "../../state/app";
import { denyWith } from "./options";

interface Question {
  question: string;
  header?: string;
  options?: { label: string; description?: string }[];
  multiSelect?: boolean;
}

interface Picked {
  labels: string[];
  note: string;
}

export function questionsOf(a: Ask): Question[] {
  const qs = (a.input as { questions?: Question[] } | null)?.questions;
  return Array.isArray(qs) && qs.length ? qs : [{ question: a.title || a.display }];
}

/** The answer to one question as the agent reads it: labels, then the person's own words. */
export function answerText(p: Picked): string {
  const note = p.note.trim();
  const labels = p.labels.join(", ");
  return labels && note ? `${labels}. ${note}` : labels || note;
}

/** One or more questions with their choices; answers are keyed by the full question. */
export function QuestionAsk(props: { ask: Ask }) {
  const app = useApp();
  const questions = createMemo(() => questionsOf(props.ask));
  const [picked, setPicked] = createStore<Picked[]>(questions().map(() => ({ labels: [], note: "" })));
  const complete = () => picked.every((p) => answerText(p) !== "");
  const only = () => (picked.length === 1 ? picked[0]! : undefined);

  function choose(i: number, label: string) {
    const many = questions()[i]!.multiSelect;
    setPicked(i, "labels", (had) => {
      if (!many) return [label];
      return had.includes(label) ? had.filter((l) => l !== label) : [...had, label];
    });
  }

  const label = () => {
    const p = only();
    if (!p || !answerText(p)) return "Answer";
    if (!p.labels.length) return "Answer";
    return `Answer “${p.labels.join(", ")}”${p.note.trim() ? " with a note" : ""}`;
  };

  function answer() {
    if (!complete() || app.offline()) return;
    const answers: Record<string, string> = {};
    questions().forEach((q, i) => (answers[q.question] = answerText(picked[i]!)));
    void app.answers.answer({ ask: props.ask.ask, digest: props.ask.digest, decision: "allow", answers }, label());
  }

  return (
    <form
      class="questions"
      onSubmit={(e) => {
        e.preventDefault();
        answer();
      }}
      onKeyDown={(e) => (e.metaKey || e.ctrlKey) && e.key === "Enter" && answer()}
    >
      <For each={questions()}>
        {(q, i) => (
          <OneQuestion
            q={q}
            picked={picked[i()]!}
            keys={questions().length === 1}
            onChoose={(l) => choose(i(), l)}
            onNote={(n) => setPicked(i(), "note", n)}
          />
        )}
      </For>
      <div class="row">
        <button type="submit" class="btn pri tall" disabled={!complete() || app.offline()}>
          {label()}
        </button>
        <button type="button" class="btn gho tall" disabled={app.offline()} onClick={() => void app.answers.answer(denyWith(props.ask, ""), "Skip")}>
          Skip
        </button>
      </div>
    </form>
  );
}

function OneQuestion(props: { q: Question; picked: Picked; keys: boolean; onChoose(label: string): void; onNote(note: string): void }) {
  const group = createUniqueId();
  const many = () => props.q.multiSelect === true;
  return (
    <fieldset class="question">
      <legend>{props.q.question}</legend>
      <div class="opts">
        <For each={props.q.options ?? []}>
          {(o, i) => (
            <label class="opt2" classList={{ on: props.picked.labels.includes(o.label) }}>
              <input
                type={many() ? "checkbox" : "radio"}
                name={group}
                checked={props.picked.labels.includes(o.label)}
                onChange={() => props.onChoose(o.label)}
              />
              <span class="rb" classList={{ square: many() }} aria-hidden="true" />
              <span class="t">{o.label}</span>
              <Show when={props.keys && i() < 9}>
                <button type="button" class="keycap" tabindex="-1" aria-hidden="true" data-key={String(i() + 1)} onClick={() => props.onChoose(o.label)}>
                  <kbd>{i() + 1}</kbd>
                </button>
              </Show>
              <Show when={o.description}>
                <span class="d">{o.description}</span>
              </Show>
            </label>
          )}
        </For>
      </div>
      <input
        class="field"
        aria-label={(props.q.options?.length ?? 0) > 0 ? "Your own words" : props.q.question}
        placeholder={(props.q.options?.length ?? 0) > 0 ? "Or say it in your own words" : "Your answer"}
        value={props.picked.note}
        onInput={(e) => props.onNote(e.currentTarget.value)}
      />
    </fieldset>
  );
}
