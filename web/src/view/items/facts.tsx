// Entries that are neither words nor calls: what happened to the conversation.

import { createSignal, Show } from "solid-js";
import type { Item } from "../../api/types";
import { Icon } from "../icons";

const field = (item: Item, ...names: string[]) => {
  const body = (item.body ?? {}) as Record<string, unknown>;
  for (const n of names) if (typeof body[n] === "string" && body[n]) return body[n] as string;
  return "";
};

export function Compaction(props: { item: Item }) {
  return (
    <div class="mark-line">
      <Icon name="compact" size={15} />
      {props.item.text || "Context compacted"}
    </div>
  );
}

export function Notice(props: { item: Item }) {
  return (
    <div class="note">
      <Icon name="info" size={16} />
      <span class="prewrap">{props.item.text || field(props.item, "title", "message")}</span>
    </div>
  );
}

export function ErrorCard(props: { item: Item }) {
  const [head, rest] = [() => props.item.text.split("\n")[0] || "The turn failed.", () => props.item.text.split("\n").slice(1).join("\n")];
  const code = () => field(props.item, "code", "error");
  return (
    <div class="err" role="group" aria-label="Error">
      <Icon name="circleX" size={17} />
      <div class="h">{head()}</div>
      <Show when={rest()}>
        <div class="p prewrap">{rest()}</div>
      </Show>
      <Show when={code() && code() !== head()}>
        <div class="p mono">{code()}</div>
      </Show>
    </div>
  );
}

export function Raw(props: { item: Item }) {
  const [open, setOpen] = createSignal(false);
  const name = () => [field(props.item, "type"), field(props.item, "subtype")].filter(Boolean).join("/") || field(props.item, "name") || props.item.text;
  return (
    <div class="raw">
      <div class="raw-row">
        <Icon name="braces" size={15} />
        <span class="grow">
          A message Vyre doesn’t know yet: <span class="mono">{name()}</span>
        </span>
        <button type="button" class="btn gho sm" aria-expanded={open()} onClick={() => setOpen(!open())}>
          {open() ? "Hide JSON" : "Show JSON"}
        </button>
      </div>
      <Show when={open()}>
        <pre class="raw-json" tabindex="0" role="group" aria-label="JSON">{JSON.stringify(props.item.body, null, 2)}</pre>
      </Show>
    </div>
  );
}
