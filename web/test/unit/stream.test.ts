import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { sseParser, type Message } from "../../src/api/sse";
import { readStream, silenceMs, type Resume } from "../../src/api/stream";
import { follow } from "../../src/api/follow";

// The stream may be cut anywhere, and its lines may end in LF, CR or CRLF.
test("messages are the same however the stream is cut", () => {
  const raw = 'event: resume\ndata: {"a":1}\n\n: beat\n\nid: 4\r\ndata: one\r\ndata: two\r\n\r\ndata:x\r\rdata: lost';
  const whole: Message[] = [];
  sseParser((m) => whole.push(m))(raw);
  expect(whole).toEqual([
    { event: "resume", data: '{"a":1}' },
    { event: "message", data: "one\ntwo" },
    { event: "message", data: "x" },
  ]);
  for (let size = 1; size < raw.length; size++) {
    const got: Message[] = [];
    const feed = sseParser((m) => got.push(m));
    for (let i = 0; i < raw.length; i += size) feed(raw.slice(i, i + size));
    expect(got).toEqual(whole);
  }
});

interface Served {
  after: number;
  say(text: string): void;
  close(): void;
}

let served: Served[] = [];

beforeEach(() => {
  served = [];
  vi.useFakeTimers();
  vi.stubGlobal("fetch", (url: string, init: RequestInit) => {
    let control!: ReadableStreamDefaultController<Uint8Array>;
    const body = new ReadableStream<Uint8Array>({ start: (c) => void (control = c) });
    init.signal!.addEventListener("abort", () => {
      try {
        control.error(new Error("aborted"));
      } catch {
        // it had ended
      }
    });
    served.push({
      after: Number(new URL(url, "http://x").searchParams.get("after")),
      say: (text) => control.enqueue(new TextEncoder().encode(text)),
      close: () => control.close(),
    });
    return Promise.resolve(new Response(body, { status: 200 }));
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const resume = (r: Partial<Resume>) => `event: resume\ndata: ${JSON.stringify({ status: "ok", head: 0, floor: 0, ...r })}\n\n`;
const ev = (seq: number) => `id: ${seq}\ndata: ${JSON.stringify({ seq, ts: "", kind: "x", data: {} })}\n\n`;
const soon = () => vi.advanceTimersByTimeAsync(5);

// A line that says nothing for 40 s, not even a heartbeat, is dead and is let go.
test("silence ends the stream, heartbeats keep it", async () => {
  const end = readStream(3, { onResume() {}, onEvents() {} }, new AbortController().signal);
  await soon();
  for (let i = 0; i < 5; i++) {
    await vi.advanceTimersByTimeAsync(silenceMs - 1000);
    served[0]!.say(": heartbeat\n\n");
    await soon();
  }
  await vi.advanceTimersByTimeAsync(silenceMs + 100);
  expect(await end).toBe("silent");
});

function watch() {
  const log: string[] = [];
  const seqs: number[] = [];
  const f = follow({
    snapshot: async () => void log.push("snapshot"),
    onLive: (cursor, head) => log.push(`live ${head - cursor}`),
    onEvents: (evs) => seqs.push(...evs.map((e) => e.seq)),
    onLost: () => log.push("lost"),
    onGap: () => log.push("gap"),
    onSignedOut: () => log.push("signed out"),
  });
  return { log, seqs, f };
}

// The head is read first, then the snapshot, then the log from that head: nothing falls between.
// A cut is resumed from the last event read, and what comes twice is taken once.
test("reads on from its own cursor after a cut", async () => {
  const { log, seqs, f } = watch();
  await soon();
  served[0]!.say(resume({ head: 7 }));
  await soon();
  expect(served.map((s) => s.after)).toEqual([0, 7]);
  served[1]!.say(resume({ head: 7 }) + ev(8) + ev(9));
  await soon();
  served[1]!.close();
  await vi.advanceTimersByTimeAsync(1000);
  expect(served[2]!.after).toBe(9);
  served[2]!.say(resume({ head: 11 }) + ev(9) + ev(10) + ev(11));
  await soon();
  expect(seqs).toEqual([8, 9, 10, 11]);
  expect(log).toEqual(["snapshot", "live 0", "lost", "live 2"]);
  f.stop();
});

// A cursor that can't be served leads to a fresh snapshot and the log from the new head.
test("a gap loads the state afresh", async () => {
  const { log, seqs, f } = watch();
  await soon();
  served[0]!.say(resume({ head: 7 }));
  await soon();
  served[1]!.say(resume({ status: "gap", head: 900, floor: 500 }));
  served[1]!.close();
  await soon();
  served[2]!.say(resume({ head: 900, floor: 500 }));
  await soon();
  expect(served[3]!.after).toBe(900);
  served[3]!.say(resume({ head: 900 }) + ev(901));
  await soon();
  expect(seqs).toEqual([901]);
  expect(log).toEqual(["snapshot", "gap", "snapshot", "live 0"]);
  f.stop();
});
