// A button with a list that opens above or below it. Arrows move, Esc closes,
// focus goes back to the button.

import { createSignal, createUniqueId, For, onCleanup, Show, type JSX } from "solid-js";
import { Icon } from "./icons";

export interface Choice {
  id: string;
  label: string;
  says?: string;
  bad?: boolean;
}

export function Menu(props: {
  label: string;
  title: string;
  class: string;
  up?: boolean;
  choices: Choice[];
  chosen?: string;
  disabled?: boolean;
  onChoose(id: string): void;
  children: JSX.Element;
}) {
  const [open, setOpen] = createSignal(false);
  const id = createUniqueId();
  let root!: HTMLDivElement;
  let button!: HTMLButtonElement;

  const items = () => [...root.querySelectorAll<HTMLElement>("[role^=menuitem]")];

  function show() {
    setOpen(true);
    const at = Math.max(0, props.choices.findIndex((c) => c.id === props.chosen));
    items()[at]?.focus();
  }

  function close(refocus = true) {
    if (!open()) return;
    setOpen(false);
    if (refocus) button.focus();
  }

  function onKeyDown(e: KeyboardEvent) {
    if (!open()) return;
    const list = items();
    const at = list.indexOf(document.activeElement as HTMLElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: list.length - 1 }[e.key];
    if (to !== undefined) {
      list[(to + list.length) % list.length]?.focus();
      e.preventDefault();
    } else if (e.key === "Escape") {
      close();
      e.stopPropagation();
      e.preventDefault();
    } else if (e.key === "Tab") close(false);
  }

  const outside = (e: Event) => root.contains(e.target as Node) || close(false);
  document.addEventListener("pointerdown", outside);
  onCleanup(() => document.removeEventListener("pointerdown", outside));

  return (
    <div class="menu" ref={root} onKeyDown={onKeyDown}>
      <button
        type="button"
        class={props.class}
        ref={button}
        disabled={props.disabled}
        aria-haspopup="menu"
        aria-expanded={open()}
        aria-label={props.label}
        aria-controls={open() ? id : undefined}
        onClick={() => (open() ? close() : show())}
      >
        {props.children}
      </button>
      <Show when={open()}>
        <div class="pop" classList={{ up: props.up }} id={id} role="menu" aria-label={props.title}>
          <div class="pop-title" aria-hidden="true">{props.title}</div>
          <For each={props.choices}>
            {(c) => (
              <button
                type="button"
                class="pop-item"
                classList={{ bad: c.bad }}
                role={props.chosen === undefined ? "menuitem" : "menuitemradio"}
                aria-checked={props.chosen === undefined ? undefined : c.id === props.chosen}
                tabindex={-1}
                onClick={() => {
                  close();
                  props.onChoose(c.id);
                }}
              >
                <Show when={props.chosen !== undefined}>
                  <span class="pop-check">
                    <Show when={c.id === props.chosen}>
                      <Icon name="check" size={15} />
                    </Show>
                  </span>
                </Show>
                <span class="grow">
                  <span class="t">{c.label}</span>
                  <Show when={c.says}>
                    <span class="d">{c.says}</span>
                  </Show>
                </span>
              </button>
            )}
          </For>
        </div>
      </Show>
    </div>
  );
}
