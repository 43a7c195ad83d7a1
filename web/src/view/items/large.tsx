import { createSignal, Show } from "solid-js";
import { call } from "../../api/call";
import type { OutputRef } from "../../api/types";
import { size } from "../../words/size";
import { Output } from "./output";

const piece = 256 * 1024;

/** An output too large for the timeline: its beginning, and more of it on request. */
export function LargeOutput(props: { thread: string; output: OutputRef; head: string; failed: boolean }) {
  const [text, setText] = createSignal<string>();
  const [next, setNext] = createSignal(0);
  const [note, setNote] = createSignal("");
  const [busy, setBusy] = createSignal(false);

  const more = async () => {
    setBusy(true);
    setNote("");
    try {
      const got = await call<{ text: string; next: number }>("threads.output", {
        thread: props.thread, item: props.output.ref, offset: next(), limit: piece,
      });
      setText((text() ?? "") + got.text);
      setNext(got.next);
    } catch (e) {
      setNote(e instanceof Error ? e.message : String(e));
    } finally {
      setBusy(false);
    }
  };

  return (
    <>
      <Output text={text() ?? props.head} failed={props.failed} />
      <div class="foot" role="status">
        <Show when={text() !== undefined} fallback={`The beginning of ${size(props.output.bytes)}.`}>
          {size(next())} of {size(props.output.bytes)}.
        </Show>{" "}
        <Show when={next() < props.output.bytes}>
          <button type="button" class="link" disabled={busy()} onClick={() => void more()}>
            {text() === undefined ? `${size(props.output.bytes)}, open` : "Read on"}
          </button>
        </Show>{" "}
        {note()}
      </div>
    </>
  );
}
