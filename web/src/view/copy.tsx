import { createSignal } from "solid-js";
import { Icon } from "./icons";

/** Copies the true bytes, whatever was drawn in their place. */
export function CopyButton(props: { text: string; label: string }) {
  const [done, setDone] = createSignal(false);
  async function copy() {
    try {
      await navigator.clipboard.writeText(props.text);
      setDone(true);
      setTimeout(() => setDone(false), 1500);
    } catch {
      // without permission the text can still be selected
    }
  }
  return (
    <button type="button" class="icb" aria-label={done() ? "Copied" : props.label} title={props.label} onClick={() => void copy()}>
      <Icon name={done() ? "check" : "copy"} size={16} />
    </button>
  );
}
