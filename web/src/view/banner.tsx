import { Match, Show, Switch } from "solid-js";
import { clock, now } from "../lib/clock";
import { useApp, type Line } from "../state/app";
import { Icon } from "./icons";

type Lost = Extract<Line, { is: "lost" }>;
type Behind = Extract<Line, { is: "catching-up" }>;

/** One slot above the thread for how the page is connected. */
export function Banner() {
  const app = useApp();
  const lost = () => (app.line().is === "lost" ? (app.line() as Lost) : undefined);
  // A short catch-up is not worth a word.
  const behind = () => {
    const l = app.line();
    return l.is === "catching-up" && now() - (l as Behind).since > 1000 ? (l as Behind) : undefined;
  };
  const wait = (l: Lost) => Math.max(0, Math.ceil((l.nextTry - now()) / 1000));
  const some = () => lost() || behind() || app.gap();

  return (
    <div role="status">
      <Show when={some()}>
        <div class="banner">
          <Switch>
            <Match when={lost()}>
              {(l) => (
                <>
                  <Icon name="off" size={18} />
                  <span class="grow">
                    <b>Not connected.</b>{" "}
                    <Show when={app.ready()}>This is how it was at {clock(l().since)}. </Show>
                    <span class="dim num">{wait(l()) ? `Next try in ${wait(l())} s.` : "Trying now."}</span>
                  </span>
                  <button type="button" class="btn sm" onClick={app.tryNow}>
                    Try now
                  </button>
                </>
              )}
            </Match>
            <Match when={behind()}>
              {(b) => (
                <>
                  <span class="spin" />
                  <span class="grow num">
                    <b>Catching up.</b> {b().read} events read.
                  </span>
                </>
              )}
            </Match>
            <Match when={app.gap()}>
              <Icon name="history" size={18} />
              <span class="grow">
                <b>Loaded afresh.</b> Older steps weren’t replayed. Nothing is lost.
              </span>
              <button type="button" class="btn sm gho" onClick={app.dismissGap}>
                Dismiss
              </button>
            </Match>
          </Switch>
        </div>
      </Show>
    </div>
  );
}
