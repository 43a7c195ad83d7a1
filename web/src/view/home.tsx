import { createMemo } from "solid-js";
import { useApp } from "../state/app";
import { groupThreads } from "../state/select";

/** What a desktop shows at home while nothing waits. */
export function HomePane() {
  const app = useApp();
  const g = createMemo(() => groupThreads(app.world, ""));
  const running = () => g().running.length;
  const says = () => {
    if (!app.ready()) return "";
    if (running() === 0) return "Nothing runs.";
    return running() === 1 ? "1 thread runs." : `${running()} threads run.`;
  };
  return (
    <div class="empty">
      <p class="h">{app.ready() ? "Nothing waits for you." : ""}</p>
      <p class="dim3">{says()}</p>
    </div>
  );
}
