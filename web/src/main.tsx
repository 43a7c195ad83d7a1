import { render } from "solid-js/web";
import "./styles/tokens.css";
import "./styles/fonts.css";
import "./styles/base.css";
import "./styles/controls.css";
import "./styles/shell.css";
import "./styles/list.css";
import "./styles/thread.css";
import "./styles/markdown.css";
import "./styles/tools.css";
import "./styles/composer.css";
import "./styles/ask.css";
import "./styles/gate.css";
import "./styles/pages.css";
import "./styles/devices.css";
import { createRoot } from "solid-js";
import { AppContext, createApp } from "./state/app";
import { Page } from "./view/page";

createRoot(() => {
  const app = createApp();
  render(
    () => (
      <AppContext.Provider value={app}>
        <Page />
      </AppContext.Provider>
    ),
    document.getElementById("app")!,
  );
});
