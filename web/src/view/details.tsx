import { createMemo, For, Show, type JSX } from "solid-js";
import { clock } from "../lib/clock";
import { useApp } from "../state/app";
import { agentName, modeLabel } from "../words/agents";
import { Icon } from "./icons";
import { CopyButton } from "./copy";
import { planSteps, Steps } from "./items/plan";

const short = (n: number) => (n < 1000 ? String(n) : n < 1e6 ? `${(n / 1000).toFixed(n < 1e4 ? 1 : 0)}k` : `${(n / 1e6).toFixed(1)}M`);

function Fact(props: { name: string; children: JSX.Element }) {
  return (
    <>
      <dt>{props.name}</dt>
      <dd>{props.children}</dd>
    </>
  );
}

/** What is worth knowing about a thread beside its words. */
export function Details(props: { thread: string; onClose(): void }) {
  const app = useApp();
  const t = () => app.world.threads[props.thread]!;
  const known = () => app.providers().find((p) => p.provider === t().provider);
  const usage = () => app.world.usage[props.thread];
  const queue = () => app.world.queues[props.thread] ?? [];
  const plan = createMemo(() => {
    const line = app.world.timelines[props.thread];
    const id = line?.order.findLast((i) => line.items[i]!.kind === "plan" && !line.items[i]!.parent);
    return id ? planSteps(line!.items[id]!) : [];
  });

  return (
    <aside class="side" aria-label="Details">
      <div class="th-head">
        <h2 class="grow">Details</h2>
        <button type="button" class="icb" aria-label="Hide details" onClick={props.onClose}>
          <Icon name="x" />
        </button>
      </div>
      <div class="scroll" tabindex="0" role="group" aria-label="Details of the thread">
        <Show when={plan().length}>
          <section class="sec">
            <h3>
              Plan <span class="rt num">{plan().filter((s) => s.state === "done").length} of {plan().length}</span>
            </h3>
            <Steps steps={plan()} live={t().state === "running"} />
          </section>
        </Show>
        <Show when={usage()}>
          {(u) => (
            <section class="sec">
              <h3>Usage</h3>
              <dl class="kv">
                <Fact name="This turn">
                  {short(u().input_tokens + u().cache_read_tokens + u().cache_write_tokens)} in · {short(u().output_tokens)} out
                </Fact>
                <Show when={u().cost_micros >= 5000}>
                  <Fact name="Cost">${(u().cost_micros / 1e6).toFixed(2)}</Fact>
                </Show>
              </dl>
            </section>
          )}
        </Show>
        <section class="sec">
          <h3>
            Queue <Show when={queue().length}><span class="rt num">{queue().length} waiting</span></Show>
          </h3>
          <Show when={queue().length} fallback={<p class="dim3">Nothing waits. A message sent while the agent works waits here.</p>}>
            <ol class="queue-list">
              <For each={queue()}>{(q) => <li class="trunc">{q.text}</li>}</For>
            </ol>
          </Show>
        </section>
        <section class="sec">
          <h3>Session</h3>
          <dl class="kv">
            <Fact name="Agent">{agentName(t().provider, app.providers())} {known()?.version ?? ""}</Fact>
            <Show when={t().model}>
              <Fact name="Model">{t().model}</Fact>
            </Show>
            <Fact name="Mode">{modeLabel(t().mode)}</Fact>
            <Fact name="Folder"><span class="mono">{t().cwd}</span></Fact>
            <Fact name="Begun">{new Date(t().created).toLocaleDateString("en-GB", { day: "numeric", month: "short" })}, {clock(t().created)}</Fact>
          </dl>
          <div class="attach">
            <span class="dim3 grow">In a terminal</span>
            <span class="mono trunc">vyre attach</span>
            <CopyButton text={`vyre attach ${props.thread}`} label="Copy the command" />
          </div>
        </section>
      </div>
    </aside>
  );
}
