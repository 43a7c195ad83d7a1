// Keeps a scrolled column at its end while words come, until the person scrolls
// up. The size observers run after layout and before paint, so nothing jumps.

const near = 48;

export function keepAtEnd(scroller: HTMLElement, column: HTMLElement, onBelow: (isBelow: boolean) => void) {
  let pinned = true;
  let height = column.offsetHeight;

  const atEnd = () => scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < near;
  const toEnd = () => {
    pinned = true;
    scroller.scrollTop = scroller.scrollHeight;
    onBelow(false);
  };

  let lastTop = 0;
  const onScroll = () => {
    const up = scroller.scrollTop < lastTop - 2;
    lastTop = scroller.scrollTop;
    if (atEnd()) {
      pinned = true;
      onBelow(false);
    } else if (up) pinned = false;
  };
  scroller.addEventListener("scroll", onScroll, { passive: true });

  // An ask taller than the screen is shown from its beginning, once: the end of
  // something to decide on is not the place to begin reading.
  const begun = new WeakSet<Element>();
  function toTallAsk(): boolean {
    const ask = column.querySelector<HTMLElement>(".entry-ask .ask[data-ask]");
    if (!ask || begun.has(ask) || ask.offsetHeight <= scroller.clientHeight) return false;
    begun.add(ask);
    pinned = false;
    scroller.scrollTop += ask.getBoundingClientRect().top - scroller.getBoundingClientRect().top - 12;
    return true;
  }

  const sizes = new ResizeObserver(() => {
    const grown = column.offsetHeight > height;
    height = column.offsetHeight;
    if (pinned && toTallAsk()) return;
    if (pinned) scroller.scrollTop = scroller.scrollHeight;
    else if (grown && !atEnd()) onBelow(true);
  });
  sizes.observe(column);
  sizes.observe(scroller);

  return {
    toEnd,
    stop() {
      sizes.disconnect();
      scroller.removeEventListener("scroll", onScroll);
    },
  };
}
