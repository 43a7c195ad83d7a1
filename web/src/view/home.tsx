import { createMemo } from "solid-js";
import { gateOpen } from "../model/gate";
import { useApp } from "../state/app";
import { groupThreads } from "../state/select";

/** What a desktop shows at home while nothing waits. */
export function HomePane() {
  const app = useApp();
  const g = createMemo(() => groupThreads(app.world, ""));
  const acts = createMemo(() => gateOpen(app.world).filter((a) => a.state === "waiting").length);
  const waits = () => (acts() ? `${acts()} ${acts() === 1 ? "act waits" : "acts wait"} to leave this machine.` : "Nothing waits for you.");
  const running = () => g().running.length;
  const says = () => {
    if (!app.ready()) return "";
    if (running() === 0) return "Nothing runs.";
    return running() === 1 ? "1 thread runs." : `${running()} threads run.`;
  };
  return (
    <div class="empty">
      <p class="h">{app.ready() ? waits() : ""}</p>
      <p class="dim3">{says()}</p>
    </div>
  );
}
