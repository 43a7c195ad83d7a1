// Opens the event stream once, from a cursor, and reads it until it ends.

import { proofHeader } from "./proof";
import { sseParser } from "./sse";
import type { VyreEvent } from "./types";

/** What the stream says first: whether it can go on from our cursor. */
export interface Resume {
  status: "ok" | "gap";
  head: number;
  floor: number;
}

export type End = "closed" | "silent" | "gap" | "signed-out" | "aborted";

export interface StreamHandlers {
  onResume(r: Resume): void;
  onEvents(evs: VyreEvent[]): void;
}

/** The daemon sends a comment every 15 s; silence of this length means a dead line. */
export const silenceMs = 40_000;

export async function readStream(after: number, on: StreamHandlers, outer: AbortSignal): Promise<End> {
  const abort = new AbortController();
  let end: End = "closed";
  const stop = (why: End) => {
    end = why;
    abort.abort();
  };
  const onOuter = () => stop("aborted");
  outer.addEventListener("abort", onOuter);
  let timer = setTimeout(stop, silenceMs, "silent");
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(stop, silenceMs, "silent");
  };
  try {
    if (outer.aborted) return "aborted";
    const res = await fetch(`/v1/events?after=${after}`, {
      headers: { accept: "text/event-stream", ...proofHeader() },
      credentials: "same-origin",
      cache: "no-store",
      signal: abort.signal,
    });
    if (res.status === 401) return "signed-out";
    if (res.status === 410) return "gap";
    if (!res.ok || !res.body) return "closed";
    await drain(res.body, on, heard);
    return end;
  } catch {
    return end; // the line broke, or we let go of it
  } finally {
    clearTimeout(timer);
    outer.removeEventListener("abort", onOuter);
    abort.abort();
  }
}

async function drain(body: ReadableStream<Uint8Array>, on: StreamHandlers, heard: () => void) {
  let batch: VyreEvent[] = [];
  const feed = sseParser((m) => {
    if (m.event === "resume") on.onResume(JSON.parse(m.data) as Resume);
    else if (m.event === "message") batch.push(JSON.parse(m.data) as VyreEvent);
  });
  const reader = body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    heard();
    feed(value);
    if (batch.length) {
      on.onEvents(batch);
      batch = [];
    }
  }
}

/**
 * Where the log stands now. From 0 nothing is ever a gap, and the first message
 * names the head; the stream is let go at once.
 */
export async function readHead(signal: AbortSignal): Promise<number | End> {
  const abort = new AbortController();
  const onOuter = () => abort.abort();
  signal.addEventListener("abort", onOuter);
  let head: number | undefined;
  const end = await readStream(
    0,
    {
      onResume(r) {
        head = r.head;
        abort.abort();
      },
      onEvents() {},
    },
    abort.signal,
  );
  signal.removeEventListener("abort", onOuter);
  return head ?? end;
}
