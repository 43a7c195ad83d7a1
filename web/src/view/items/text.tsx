import { createEffect, onMount } from "solid-js";
import type { Item } from "../../api/types";
import { markdownInto } from "../../lib/markdown";

/** Markdown that grows in place: what stands is never drawn again. */
export function TextBlock(props: { item: Item; live: boolean }) {
  let root!: HTMLDivElement;
  onMount(() => {
    const show = markdownInto(root);
    createEffect(() => show(props.item.text, props.item.status !== "running"));
  });
  return <div class="md" classList={{ live: props.live }} ref={root} />;
}
