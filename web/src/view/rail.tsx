import { Match, Show, Switch } from "solid-js";
import { useApp } from "../state/app";
import { Icon, Mark } from "./icons";

export function Rail(props: { waiting: number }) {
  const app = useApp();
  const word = () => (app.line().is === "live" ? "Live" : app.line().is === "lost" ? "Off" : "Wait");
  return (
    <nav class="rail" aria-label="Pages">
      <Mark size={30} waits={props.waiting > 0} />
      <a class="nav" href="/" aria-current={!["new", "devices", "act"].includes(app.route().at) ? "page" : undefined}>
        <Icon name="home" size={19} />
        Home
        <Show when={props.waiting}>
          <span class="badge">
            {props.waiting}
            <span class="sr"> waiting for you</span>
          </span>
        </Show>
      </a>
      <a class="nav" href="/new" aria-current={app.route().at === "new" ? "page" : undefined}>
        <Icon name="plus" size={19} />
        New
      </a>
      <a class="nav" href="/devices" aria-current={app.route().at === "devices" ? "page" : undefined}>
        <Icon name="key" size={19} />
        Devices
      </a>
      <span class="grow" />
      <span class="conn">
        <Switch fallback={<i class="lamp" />}>
          <Match when={app.line().is !== "live"}>
            <i class="lamp none" />
          </Match>
        </Switch>
        {word()}
      </span>
    </nav>
  );
}
