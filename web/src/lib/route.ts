// The page's few routes. A path that is none of them is the list.

import { createSignal } from "solid-js";

export type Route =
  | { at: "home" }
  | { at: "thread"; thread: string }
  | { at: "ask"; ask: string }
  | { at: "gate"; act: string }
  | { at: "new" }
  | { at: "devices" }
  | { at: "act"; act: string }
  | { at: "pair" }
  | { at: "sign-in" };

const id = "([a-z0-9_-]{1,64})";

export function parseRoute(path: string): Route {
  const thread = path.match(new RegExp(`^/t/${id}$`));
  if (thread) return { at: "thread", thread: thread[1]! };
  const ask = path.match(new RegExp(`^/ask/${id}$`));
  if (ask) return { at: "ask", ask: ask[1]! };
  const act = path.match(new RegExp(`^/act/${id}$`));
  if (act) return { at: "act", act: act[1]! };
  if (path === "/devices") return { at: "devices" };
  if (path === "/pair") return { at: "pair" };
  const gate = path.match(new RegExp(`^/gate/${id}$`));
  if (gate) return { at: "gate", act: gate[1]! };
  if (path === "/new") return { at: "new" };
  if (path === "/sign-in") return { at: "sign-in" };
  return { at: "home" };
}

export function createRouter() {
  const [route, setRoute] = createSignal(parseRoute(location.pathname));
  const read = () => setRoute(parseRoute(location.pathname));
  window.addEventListener("popstate", read);

  function go(path: string, replace = false) {
    if (replace) history.replaceState(null, "", path);
    else if (path !== location.pathname) history.pushState(null, "", path);
    read();
  }

  // Plain clicks on our own links stay in the page; all others are the browser's.
  document.addEventListener("click", (e) => {
    if (e.defaultPrevented || e.button !== 0 || e.metaKey || e.ctrlKey || e.shiftKey || e.altKey) return;
    const a = (e.target as Element).closest?.("a");
    if (!a || a.target || a.origin !== location.origin || a.hasAttribute("download") || a.hash) return;
    e.preventDefault();
    go(a.pathname);
  });
  return { route, go };
}
