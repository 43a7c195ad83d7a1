// The shapes of the HTTP door, as the tools and events reference gives them.

export type State = "starting" | "idle" | "running" | "waiting" | "stopped" | "failed";
export type Mode = "ask" | "edits" | "plan";
export type ItemStatus = "running" | "completed" | "failed" | "canceled";
export type ItemKind =
  | "user" | "text" | "reasoning" | "tool" | "plan"
  | "compaction" | "notice" | "error" | "subagent" | "raw";
export type AskKind = "tool" | "plan" | "question" | "mode" | "trust";
export type AskState = "open" | "answering" | "answered" | "cancelled";
export type Decision = "allow" | "deny";
export type Scope = "once" | "session" | "project";

export interface Thread {
  thread: string;
  provider: string;
  driver: string;
  model: string;
  mode: Mode;
  state: State;
  reason?: string;
  purpose: string;
  cwd: string;
  project: string;
  auth: string;
  name: string;
  node: string;
  archived: boolean;
  created: string;
  updated: string;
}

export interface Item {
  item: string;
  thread: string;
  turn: string | null;
  kind: ItemKind;
  status: ItemStatus;
  text: string;
  body: unknown;
  parent: string;
  rev: number;
  /** The conversation went back before it. */
  rewound?: boolean;
  created: string;
}

/** A large output: `output` is its beginning, `threads.output` reads the whole. */
export interface OutputRef {
  ref: string;
  bytes: number;
  form: "text" | "json";
  truncated: boolean;
}

export interface ToolBody {
  call: string;
  tool: string;
  title: string;
  source: string;
  input?: unknown;
  output?: unknown;
  output_ref?: OutputRef;
  by?: string;
}

export interface AskOption {
  id: string;
  label: string;
  kind: Decision;
  scope?: Scope;
  rule?: string;
}

export interface Ask {
  ask: string;
  thread: string;
  turn: string | null;
  kind: AskKind;
  tool: string;
  title: string;
  display: string;
  input: unknown;
  digest: string;
  source: string;
  agent_path: string[] | null;
  blocked: string;
  why: string;
  options: AskOption[] | null;
  state: AskState;
  decision: Decision | "";
  scope?: Scope | "";
  message?: string;
  by: string;
  at: string | null;
  created: string;
}

export interface Answer {
  ask: string;
  decision: Decision;
  option?: string;
  scope?: Scope;
  message?: string;
  answers?: Record<string, string>;
  mode?: Mode;
  interrupt?: boolean;
  digest?: string;
}

export interface Provider {
  provider: string;
  label?: string;
  version?: string;
  warning?: string;
  available?: boolean;
  /** Why it can't serve, and what helps. */
  error?: string;
  hint?: string;
  modes?: { mode: Mode; native: string; label: string }[] | null;
  models?: { id: string; label: string }[] | null;
  capabilities?: { steer?: boolean };
}

export interface VyreEvent {
  seq: number;
  ts: string;
  kind: string;
  thread?: string;
  turn?: string | null;
  /** null once the thread was deleted: such events are skipped. */
  data: Record<string, unknown>;
}

export interface Usage {
  input_tokens: number;
  output_tokens: number;
  cache_read_tokens: number;
  cache_write_tokens: number;
  cost_micros: number;
  context_window?: number;
}

/** A passkey that a person enrolled. */
export interface Device {
  device: string;
  name: string;
  site: string;
  created: string;
  used: string | null;
}

/** A browser that is signed in. */
export interface WebSession {
  session: string;
  name: string;
  site: string;
  how: "code" | "passkey" | "pairing";
  device: string;
  created: string;
  seen: string;
  current: boolean;
}

/** A call that waits for a touch of a passkey. */
export interface Act {
  act: string;
  tool: string;
  title: string;
  text: string;
  input: unknown;
  by: string;
  doubt: string;
  state: "waiting" | "running" | "done" | "expired";
  created: string;
  expires: string;
  sites: string[];
}

export interface Pair {
  pair: string;
  url: string;
  qr: string[];
  expires: string;
}

export interface PairState {
  pair: string;
  state: "waiting" | "claimed" | "confirmed" | "taken" | "burned";
  digits: string;
  device: string;
  why: string;
  expires: string;
}

export type GateState = "waiting" | "approved" | "sending" | "sent" | "failed" | "unknown" | "denied" | "expired" | "cancelled";

/** An act that leaves the machine, as gate.list and gate.get give it. */
export interface GateAct {
  act: string;
  state: GateState;
  kind: "http" | "git.push";
  target: string;
  options: {
    method?: string;
    headers?: Record<string, string>;
    secret?: { item: string; header: string; prefix?: string };
    private?: boolean;
    repo?: string;
    ref?: string;
    commit?: string;
    expected?: string;
  };
  payload: string;
  encoding: "text" | "base64";
  bytes: number;
  cut: boolean;
  hash: string;
  idempotent: boolean;
  summary: string;
  warnings: string[];
  caller: string;
  thread: string;
  created: string;
  expires: string;
  by: string;
  attempts: number;
  status: number;
  outcome: string;
  answer: string;
}
