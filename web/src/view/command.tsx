import { createMemo, For, Show } from "solid-js";
import { pieces, type Piece } from "../lib/hidden";

/** Machine text in which every character is itself: what does not print is a box with its name. */
export function Exact(props: { pieces: Piece[] }) {
  return (
    <For each={props.pieces}>
      {(p) =>
        p.kind === "text" ? (
          <Show when={p.concealed} fallback={p.text}>
            <span class="hid">{p.text}</span>
          </Show>
        ) : (
          <span class="cc">{p.name}</span>
        )
      }
    </For>
  );
}

export function ExactText(props: { text: string }) {
  const parts = createMemo(() => pieces(props.text));
  return <Exact pieces={parts()} />;
}
