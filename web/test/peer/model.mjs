// What the peer knows of threads, and the tools that change it.

import { Log } from "./log.mjs";

let counter = 0;
const newId = (p) => `${p}-${++counter}`;

function refuse(status, code, message, details) {
  return Object.assign(new Error(message), { status, code, details });
}

export class Model {
  log = new Log();
  threads = new Map();
  items = new Map();
  asks = new Map();
  gate = new Map();
  queues = new Map();
  steering = new Map();
  providers = [];
  calls = [];
  /** What the next call of a tool answers instead: {tool: () => output or throw}. */
  script = {};
  pageSize = 60;

  async call(tool, input) {
    if (this.script[tool]) return this.script[tool](input);
    const act = tools[tool];
    if (!act) throw refuse(404, "not_found", `no tool "${tool}"`);
    return act(this, input);
  }

  thread(fields = {}) {
    const now = new Date().toISOString();
    const t = {
      thread: newId("th"), provider: "claude", driver: "claude", model: "claude-opus-5", mode: "ask", state: "idle",
      purpose: "", cwd: "/srv/ledger", project: "ledger", agent: "", auth: "login", name: "A thread", source: "",
      node: "box", worktree: "", parent: "", archived: false, created: now, updated: now, ...fields,
    };
    this.threads.set(t.thread, t);
    this.items.set(t.thread, []);
    return t;
  }

  item(thread, fields) {
    const it = {
      item: newId("it"), thread, turn: `${thread}:1`, kind: "text", status: "completed", text: "", body: null, parent: "",
      rev: this.log.head, created: new Date().toISOString(), ...fields,
    };
    this.items.get(thread).push(it);
    return it;
  }

  ask(thread, fields) {
    const a = {
      ask: newId("ask"), thread, turn: `${thread}:1`, kind: "tool", tool: "Bash", title: "", display: "", input: {},
      digest: "00", source: "builtin", agent_path: [], blocked: "", why: "", state: "open", decision: "", by: "", at: null,
      options: [
        { id: "allow_once", label: "Allow once", kind: "allow", scope: "once" },
        { id: "deny", label: "Deny", kind: "deny" },
      ],
      created: new Date().toISOString(), ...fields,
    };
    this.asks.set(a.ask, a);
    return a;
  }

  raise(thread, fields) {
    const a = this.ask(thread, fields);
    this.log.add("ask.raised", thread, { ask: a.ask, kind: a.kind, tool: a.tool, title: a.title }, a.turn);
    this.state(thread, "waiting");
    return a;
  }

  state(thread, to, reason = "") {
    const t = this.threads.get(thread);
    const from = t.state;
    Object.assign(t, { state: to, reason, updated: new Date().toISOString() });
    this.log.add("thread.state", thread, { from, to, reason });
  }

  /** Changes an item and tells so, as the engine does in one transaction. */
  change(thread, it, fields, kind = "thread.item") {
    const data = { item: it.item, kind: it.kind, status: fields.status ?? it.status, title: "", parent: it.parent };
    if (kind === "thread.tool") Object.assign(data, { call: it.body.call, tool: it.body.tool, title: it.body.title });
    it.rev = this.log.head + 1;
    Object.assign(it, fields);
    this.log.add(kind, thread, data, it.turn);
  }

  /** An act that waits at the gate. */
  act(fields) {
    const a = {
      act: newId("act"), state: "waiting", kind: "http", target: "https://chat.example.com/api/messages",
      options: { method: "POST", headers: { "Content-Type": "application/json" }, secret: { item: "chat-token", header: "Authorization", prefix: "Bearer " } },
      payload: '{"channel":"builds","text":"green again"}', encoding: "text", bytes: 41, cut: false, hash: "5d41402abc4b2a76b9719d911017c592",
      idempotent: false, summary: "Tells the team that the build is green", caller: "thread:th-1", thread: "th-1",
      warnings: ["The value of the vault item chat-token goes with it, in the header Authorization. Whoever receives it has that value.", "It is attempted once. If no clear answer comes, nobody here can tell whether it was done."],
      created: new Date().toISOString(), expires: new Date(Date.now() + 864e5).toISOString(), decided: null, by: "", proof: "", level: "", message: "",
      attempts: 0, status: 0, outcome: "", answer: "", ended: null, ...fields,
    };
    this.gate.set(a.act, a);
    this.log.add("gate.requested", "", { act: a.act, kind: a.kind, summary: a.summary });
    return a;
  }

  mustAct(id) {
    const a = this.gate.get(id);
    if (!a) throw refuse(404, "not_found", `no act at the gate "${id}"`);
    return a;
  }

  moveAct(id, state, kind, fields = {}) {
    const a = this.mustAct(id);
    this.gate.set(id, { ...a, state, ...fields });
    this.log.add(kind, "", { act: id });
    return this.gate.get(id);
  }

  answer(ask, by, decision, scope = "") {
    const a = this.asks.get(ask);
    Object.assign(a, { state: "answered", decision, scope, by, at: new Date().toISOString() });
    this.log.add("ask.answered", a.thread, { ask, decision, scope, by, proof: "session", level: "L2" }, a.turn);
    this.state(a.thread, "running");
  }

  withdraw(ask, why) {
    const a = this.asks.get(ask);
    Object.assign(a, { state: "cancelled", at: new Date().toISOString() });
    this.log.add("ask.cancelled", a.thread, { ask, why }, a.turn);
  }

  /** Streams words into a new text item, one event a piece. */
  textItem(thread, turn) {
    const it = this.item(thread, { turn, status: "running" });
    it.rev = this.log.head + 1;
    return it;
  }

  say(it, text) {
    const offset = Buffer.byteLength(it.text);
    it.text += text;
    this.log.add("thread.text", it.thread, { item: it.item, kind: it.kind, offset, text }, it.turn);
  }

  /** The first message that waits begins a turn. */
  deliver(thread) {
    const [first, ...rest] = this.queues.get(thread);
    this.queues.set(thread, rest);
    this.log.add("thread.sent", thread, { message: first.message, via: "turn", turn: `${thread}:3`, by: "person:owner:web" });
  }

  /** The agent takes the first message that is on its way into the turn. */
  take(thread) {
    const [first, ...rest] = this.steering.get(thread);
    this.steering.set(thread, rest);
    this.log.add("thread.steered", thread, { message: first.message }, `${thread}:1`);
    this.change(thread, this.item(thread, { kind: "user", text: first.text, body: { message: first.message } }), {});
  }

  /** An interrupt gives back what was on its way, before the rest of the queue. */
  giveBack(thread) {
    const back = this.steering.get(thread);
    this.steering.set(thread, []);
    this.queues.set(thread, [...back, ...(this.queues.get(thread) ?? [])]);
    for (const q of back) this.log.add("thread.queued", thread, { message: q.message, text: q.text, by: "person:owner:web" });
  }

  /** A message that waits, or the refusal. */
  mustWait(thread, message) {
    const q = (this.queues.get(thread) ?? []).find((x) => x.message === message);
    if (!q) throw refuse(409, "conflict", "the message does not wait any more: the agent has it");
    return q;
  }

  mustThread(id) {
    const t = this.threads.get(id);
    if (!t) throw refuse(404, "not_found", `no thread "${id}"`);
    return t;
  }
}

const tools = {
  "gate.list": (m) => ({ acts: [...m.gate.values()].filter((a) => ["waiting", "approved", "sending", "unknown"].includes(a.state)) }),
  "gate.get": (m, { act }) => m.mustAct(act),
  "gate.approve": (m, { act, hash }) => {
    const a = m.mustAct(act);
    if (a.hash !== hash || a.state !== "waiting") throw refuse(409, "conflict", `this act is ${a.state} already`);
    return m.moveAct(act, "approved", "gate.approved");
  },
  "gate.deny": (m, { act }) => m.moveAct(act, "denied", "gate.denied"),
  "gate.cancel": (m, { act }) => m.moveAct(act, "cancelled", "gate.cancelled"),
  "gate.settle": (m, { act, outcome }) => m.moveAct(act, outcome, outcome === "sent" ? "gate.sent" : "gate.failed"),
  "providers.list": (m) => ({ providers: m.providers }),
  "threads.list": (m, { limit = 50, next }) => {
    const all = [...m.threads.values()].filter((t) => !t.archived).sort((a, b) => b.updated.localeCompare(a.updated));
    const from = Number(next ?? 0);
    return { threads: all.slice(from, from + limit), next: from + limit < all.length ? String(from + limit) : "" };
  },
  "threads.get": (m, { thread }) => m.mustThread(thread),
  "threads.asks": (m, { ask, thread, state }) => {
    if (ask) return { asks: [m.asks.get(ask)].filter(Boolean), next: "" };
    const wanted = (a) => (state ? a.state === state : a.state === "open" || a.state === "answering");
    return { asks: [...m.asks.values()].filter((a) => wanted(a) && (!thread || a.thread === thread)), next: "" };
  },
  "threads.items": (m, { thread, before, since_rev }) => {
    m.mustThread(thread);
    const all = m.items.get(thread);
    if (since_rev !== undefined) return { items: all.filter((i) => i.rev > since_rev), next: "" };
    const end = before ? all.findIndex((i) => i.item === before) : all.length;
    const start = Math.max(0, end - m.pageSize);
    return { items: all.slice(start, end), next: start > 0 ? all[start].item : "" };
  },
  "threads.send": (m, { thread, text, key, mode }) => {
    const t = m.mustThread(thread);
    const busy = t.state === "running" || t.state === "waiting";
    if (busy && mode !== "queue") {
      m.steering.set(thread, [...(m.steering.get(thread) ?? []), { message: key, thread, text, state: "sent", turn: `${thread}:1`, via: "steer" }]);
      m.log.add("thread.sent", thread, { message: key, via: "steer", turn: `${thread}:1`, by: "person:owner:web" });
      return { message: key, via: "steer", turn: `${thread}:1` };
    }
    if (busy) {
      m.queues.set(thread, [...(m.queues.get(thread) ?? []), { message: key, thread, text, state: "queued", turn: null, via: "queue" }]);
      m.log.add("thread.queued", thread, { message: key, text, by: "person:owner:web" });
      return { message: key, via: "queue", turn: null };
    }
    const turn = `${thread}:2`;
    m.log.add("thread.sent", thread, { message: key, via: "turn", turn, by: "person:owner:web" });
    m.log.add("thread.turn", thread, { status: "started", origin: "person", messages: [key] }, turn);
    m.state(thread, "running");
    m.change(thread, m.item(thread, { kind: "user", text, turn }), {});
    return { message: key, via: "turn", turn };
  },
  "threads.queue": (m, { thread }) => {
    m.mustThread(thread);
    return { messages: m.queues.get(thread) ?? [], steering: m.steering.get(thread) ?? [] };
  },
  "threads.edit": (m, { thread, message, text }) => {
    const q = m.mustWait(thread, message);
    q.text = text;
    m.log.add("thread.edited", thread, { message, text, by: "person:owner:web" });
    return q;
  },
  "threads.unqueue": (m, { thread, message }) => {
    const q = m.mustWait(thread, message);
    m.queues.set(thread, m.queues.get(thread).filter((x) => x !== q));
    m.log.add("thread.unqueued", thread, { message, by: "person:owner:web" });
    return q;
  },
  "threads.move": (m, { thread, message, before }) => {
    const q = m.mustWait(thread, message);
    const rest = m.queues.get(thread).filter((x) => x !== q);
    const at = rest.findIndex((x) => x.message === before);
    rest.splice(at < 0 ? rest.length : at, 0, q);
    m.queues.set(thread, rest);
    m.log.add("thread.moved", thread, { message, before: before ?? "", by: "person:owner:web" });
    return { messages: rest, steering: [] };
  },
  "threads.send_now": (m, { thread, message }) => {
    const q = m.mustWait(thread, message);
    m.queues.set(thread, m.queues.get(thread).filter((x) => x !== q));
    m.steering.set(thread, [...(m.steering.get(thread) ?? []), q]);
    m.log.add("thread.sent", thread, { message, via: "steer", turn: `${thread}:1`, by: "person:owner:web" });
    return { message, via: "steer", turn: `${thread}:1` };
  },
  "threads.answer": (m, input) => {
    const a = m.asks.get(input.ask);
    if (!a) throw refuse(404, "not_found", `no ask "${input.ask}"`);
    if (a.state !== "open") {
      const { decision, by, at } = a;
      throw refuse(409, "conflict", "This was decided before.", { decision, by, at });
    }
    m.answer(input.ask, "person:owner:web", input.decision, input.scope ?? "");
    return { ask: input.ask, state: "answered", decision: input.decision };
  },
  "threads.start": (m, { provider, prompt, cwd, mode }) => {
    if (!cwd.startsWith("/")) throw refuse(400, "invalid", "cwd: must be an absolute path", { field: "cwd" });
    const t = m.thread({ provider, cwd, mode, project: cwd.split("/").pop(), name: prompt.slice(0, 60), state: "running" });
    const turn = `${t.thread}:1`;
    m.log.add("thread.started", t.thread, { provider, driver: provider, model: t.model, mode, purpose: "", source: "", project: t.project, auth: "login", resumed: false });
    m.log.add("thread.turn", t.thread, { status: "started", origin: "person", messages: [] }, turn);
    m.item(t.thread, { kind: "user", text: prompt });
    return { thread: t.thread, turn };
  },
  "threads.mode": (m, { thread, mode }) => {
    m.mustThread(thread).mode = mode;
    m.log.add("thread.mode", thread, { mode, by: "person:owner:web" });
    return {};
  },
  "threads.interrupt": (m, { thread }) => {
    const turn = `${thread}:1`;
    m.log.add("thread.turn", thread, { status: "canceled", origin: "person", messages: [] }, turn);
    m.log.add("thread.finished", thread, { turn, status: "canceled" }, turn);
    m.state(thread, "idle");
    return {};
  },
  "threads.stop": (m, { thread }) => {
    m.state(thread, "stopped", "person");
    m.log.add("thread.stopped", thread, { reason: "person", detail: "" });
    return {};
  },
  "threads.rename": (m, { thread, name }) => {
    m.mustThread(thread).name = name;
    m.log.add("thread.renamed", thread, { name, by: "person:owner:web" });
    return {};
  },
  "threads.archive": (m, { thread }) => {
    m.mustThread(thread).archived = true;
    m.log.add("thread.archived", thread, { archived: true, by: "person:owner:web" });
    return {};
  },
};
