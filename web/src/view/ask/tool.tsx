import { createMemo, For, Show } from "solid-js";
import type { Ask, AskOption, Thread } from "../../api/types";
import { marks, pieces } from "../../lib/hidden";
import { useApp } from "../../state/app";
import { Exact } from "../command";
import { CopyButton } from "../copy";
import { Icon } from "../icons";
import type { Reading } from "./answering";
import { Facts } from "./facts";
import { allowOptions, allowWith, denyWith, optionWords } from "./options";

/** A call that waits: the whole of it, what is unusual, where, why, and the answers. */
export function ToolAsk(props: { ask: Ask; thread?: Thread; bar?: boolean; reading: Reading }) {
  const app = useApp();
  const note = () => props.reading.note();
  const shown = () => props.ask.display || JSON.stringify(props.ask.input, null, 2);
  const parts = createMemo(() => pieces(shown()));
  const hidden = () => marks(parts());
  const conceals = () => parts().some((p) => p.kind === "text" && p.concealed);
  const options = () => allowOptions(props.ask);
  // What a folder brings is our question: no agent waits for the answer.
  const waits = () => props.ask.kind !== "trust";
  const widest = () => (hidden() ? "deny" : "allow");
  const answer = (a: Parameters<typeof app.answers.answer>[0], label: string) => void app.answers.answer(a, label);

  return (
    <>
      <div class="cmdbox">
        <pre class="cmd" tabindex="0" role="group" aria-label="What would be done">
          <span class="cmd-start" ref={props.reading.watchStart} />
          <Exact pieces={parts()} />
          <span class="cmd-end" tabindex="0" ref={props.reading.watchEnd}>
            <span class="sr">End of it</span>
          </span>
        </pre>
        <CopyButton text={shown()} label="Copy it exactly" />
      </div>
      <Show when={hidden()}>
        <div class="note bad">
          <Icon name="alert" size={17} />
          <span>
            <b>{hidden() === 1 ? "1 character here doesn’t print as itself." : `${hidden()} characters here don’t print as themselves.`}</b>{" "}
            {conceals() ? "A terminal would hide the underlined part, and it would still run. " : ""}
            They are shown as boxes.
          </span>
        </div>
      </Show>
      <Facts ask={props.ask} thread={props.thread} />
      <div class="opts" classList={{ three: options().length === 3, two: options().length === 2 }}>
        <For each={options()}>
          {(o, i) => (
            <AllowButton
              ask={props.ask}
              option={o}
              keyName={String(i() + 1)}
              primary={i() === 0 && widest() === "allow"}
              off={hidden() > 0 && o.scope !== undefined && o.scope !== "once"}
              ready={props.reading.ready() && !app.offline()}
              inBar={props.bar && i() === 0}
              onChoose={() => answer(allowWith(props.ask, o), o.label)}
            />
          )}
        </For>
      </div>
      <Show when={!props.reading.seen()}>
        <p class="hint">Allowing is possible when all of it has been on the screen.</p>
      </Show>
      <div class="deny">
        <Show when={waits()}>
          <input
            class="field"
            aria-label="Why not, or what to do instead"
            placeholder="Tell the agent why, or what to do instead"
            value={note()}
            onInput={(e) => props.reading.setNote(e.currentTarget.value)}
            onKeyDown={(e) => {
              if (e.key !== "Enter" || !note().trim() || app.offline()) return;
              e.preventDefault();
              answer(denyWith(props.ask, note()), "Deny");
            }}
          />
        </Show>
        <button
          type="button"
          class="btn bad"
          classList={{ pri: widest() === "deny", inbar: props.bar }}
          data-key={String(options().length + 1)}
          disabled={app.offline()}
          onClick={() => answer(denyWith(props.ask, note()), "Deny")}
        >
          Deny <kbd aria-hidden="true">{options().length + 1}</kbd>
        </button>
        <Show when={waits()}>
          <button type="button" class="btn gho" disabled={app.offline()} onClick={() => answer(denyWith(props.ask, note(), true), "Deny and stop")}>
            Deny and stop
          </button>
        </Show>
      </div>
    </>
  );
}

function AllowButton(props: {
  ask: Ask;
  option: AskOption;
  keyName: string;
  primary: boolean;
  off: boolean;
  ready: boolean;
  inBar?: boolean;
  onChoose(): void;
}) {
  const words = () => optionWords(props.ask, props.option);
  return (
    <Show
      when={!props.off}
      fallback={
        <div class="opt off">
          <span class="t">{words().label}</span>
          <span class="d">Not offered for this command</span>
        </div>
      }
    >
      <button
        type="button"
        class="opt"
        classList={{ pri: props.primary, inbar: props.inBar }}
        data-key={props.keyName}
        disabled={!props.ready}
        onClick={props.onChoose}
      >
        <span class="t">{words().label}</span>
        <kbd aria-hidden="true">{props.keyName}</kbd>
        <span class="d">
          {words().says}
          <Show when={words().rule}>
            {" "}
            <code>{words().rule}</code>
          </Show>
        </span>
      </button>
    </Show>
  );
}
