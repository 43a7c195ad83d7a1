import { Match, Switch } from "solid-js";
import { useApp } from "../state/app";
import { PairPage } from "./paired";
import { Shell } from "./shell";
import { SignIn } from "./signin";

/** The sign-in page and nothing else, or the whole app. */
export function Page() {
  const app = useApp();
  if (app.route().at !== "sign-in" && app.route().at !== "pair") app.start();
  return (
    <Switch fallback={<Shell />}>
      <Match when={app.route().at === "pair"}>
        <PairPage />
      </Match>
      <Match when={app.route().at === "sign-in" || app.signedOut()}>
        <SignIn />
      </Match>
    </Switch>
  );
}
