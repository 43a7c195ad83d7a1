import { Show } from "solid-js";
import type { Ask } from "../../api/types";
import { useApp } from "../../state/app";
import type { Sent } from "../../state/answers";
import { callerWords } from "../../words/agents";
import { ExactText } from "../command";
import { Icon } from "../icons";

const str = (v: unknown) => (typeof v === "string" ? v : "");

function time(iso: string): string {
  return new Date(iso).toLocaleTimeString("en-GB");
}

/** Two answers: who decided what, when, and that the first one stands. */
export function ConflictCard(props: { ask: Ask; sent: Sent }) {
  const app = useApp();
  const d = () => props.sent.details ?? {};
  const decision = () => str(d().decision) || props.ask.decision;
  const by = () => str(d().by) || props.ask.by;
  const at = () => str(d().at) || props.ask.at || "";
  const did = () => (decision() === "deny" ? "denied" : "allowed");
  const running = () => ["running", "waiting"].includes(app.world.threads[props.ask.thread]?.state ?? "");
  const here = () => app.route().at === "ask";
  const capital = (s: string) => s[0]!.toUpperCase() + s.slice(1);

  return (
    <section class="ask clash" role="alert">
      <header class="hd">
        <Icon name="alert" size={18} />
        <div class="grow">
          <h2 class="h">Your “{props.sent.label}” came second</h2>
          <div class="d">
            <Show when={decision() && by()} fallback={props.sent.error}>
              {capital(callerWords(by()))} {did()} this{at() ? ` at ${time(at())}` : ""}.
            </Show>{" "}
            The first answer stands.
          </div>
        </div>
      </header>
      <div class="bd">
        <Show when={props.ask.display && props.ask.kind === "tool"}>
          <pre class="cmd" tabindex="0" role="group" aria-label="What was asked">
            <ExactText text={props.ask.display} />
          </pre>
        </Show>
        <div class="row">
          <Show when={running() && decision() !== "deny"}>
            <button type="button" class="btn pri" onClick={() => void app.act("threads.interrupt", { thread: props.ask.thread }).catch(() => {})}>
              <span class="stop-square" aria-hidden="true" /> Interrupt the turn
            </button>
          </Show>
          <Show when={here()}>
            <a class="btn" href={`/t/${props.ask.thread}`}>
              Open the thread
            </a>
          </Show>
          <button type="button" class="btn gho" onClick={() => app.answers.clear(props.ask.ask)}>
            Dismiss
          </button>
        </div>
      </div>
    </section>
  );
}
