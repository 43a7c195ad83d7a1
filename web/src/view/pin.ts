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

  const sizes = new ResizeObserver(() => {
    const grown = column.offsetHeight > height;
    height = column.offsetHeight;
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
