import { Match, Show, Switch } from "solid-js";
import type { Ask } from "../../api/types";
import { clock } from "../../lib/clock";
import { useApp } from "../../state/app";
import { callerWords } from "../../words/agents";
import { ExactText } from "../command";
import { Icon } from "../icons";

const scopes: Record<string, string> = { session: "Allowed for this session", project: "Always allowed in this project" };

/** What was decided, as a subject for "by you". */
export function verdict(a: Ask): string {
  if (a.kind === "question") return a.decision === "deny" ? "Skipped" : "Answered";
  if (a.kind === "plan") return a.decision === "deny" ? "Sent back" : "Approved";
  if (a.decision === "deny") return "Denied";
  return scopes[a.scope ?? ""] ?? "Allowed once";
}

/** An ask that is over, folded to who decided what, or why it ended. */
export function ClosedAsk(props: { ask: Ask }) {
  const app = useApp();
  const by = () => (app.answers.isMine(props.ask.ask) ? "you, here" : callerWords(props.ask.by));
  const why = () => app.world.closings[props.ask.ask]?.why ?? "";
  const gone = () => props.ask.state === "cancelled";
  return (
    <div class="card one" data-ask={props.ask.ask}>
      <Switch>
        <Match when={gone()}>
          <Icon name="undo" size={17} />
        </Match>
        <Match when={props.ask.decision === "deny"}>
          <Icon name="ban" size={17} class="bad-t" />
        </Match>
        <Match when={true}>
          <Icon name="circleCheck" size={17} class="add-t" />
        </Match>
      </Switch>
      <div class="grow">
        <Show
          when={gone()}
          fallback={
            <div>
              <b>{verdict(props.ask)}</b> by {by()}
            </div>
          }
        >
          <div>
            <b>Withdrawn</b>
            {why() ? `: ${why()}` : ""}. Nothing ran.
          </div>
        </Show>
        <Show when={props.ask.kind === "tool" && props.ask.display}>
          <div class="d mono trunc">
            <ExactText text={props.ask.display.split("\n")[0]!} />
          </div>
        </Show>
        <Show when={props.ask.kind === "question" && props.ask.title}>
          <div class="d trunc">{props.ask.title}</div>
        </Show>
      </div>
      <Show when={props.ask.at}>
        <span class="dim3 num">{clock(props.ask.at!)}</span>
      </Show>
    </div>
  );
}
