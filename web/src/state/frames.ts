// Collects work and does it once per frame; in a hidden tab, where frames stop,
// four times a second.

export function perFrame(work: () => void): () => void {
  let waiting = false;
  const run = () => {
    waiting = false;
    work();
  };
  return () => {
    if (waiting) return;
    waiting = true;
    if (document.hidden) setTimeout(run, 250);
    else requestAnimationFrame(run);
  };
}

/** Runs one at a time per key; a call that comes meanwhile makes it run once more. */
export function coalesce(work: (key: string) => Promise<void>): (key: string) => void {
  const busy = new Map<string, boolean>();
  return function run(key: string) {
    if (busy.has(key)) {
      busy.set(key, true);
      return;
    }
    busy.set(key, false);
    void work(key)
      .catch(() => {}) // a lost line is shown by the connection; it is read again then
      .finally(() => {
        const again = busy.get(key);
        busy.delete(key);
        if (again) run(key);
      });
  };
}
