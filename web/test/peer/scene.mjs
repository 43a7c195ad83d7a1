// The example scene: what the deck's pictures show, as far as this page has it.

const minutes = (n) => new Date(Date.now() - n * 60_000).toISOString();

export const command = `cd /srv/ledger && psql "$STAGING_URL" -X -v ON_ERROR_STOP=1 <<'SQL'
select e.code, max(i.number) as highest, count(*) as invoices
  from invoice i join entity e on e.id = i.entity_id
 group by e.code order by e.code;
create sequence if not exists invoice_no_de start with 48213;
create sequence if not exists invoice_no_fr start with 11907;
select setval('invoice_no_de', 48213, false),
       setval('invoice_no_fr', 11907, false);
SQL`;

const toolOptions = [
  { id: "allow_once", label: "Allow once", kind: "allow", scope: "once" },
  { id: "allow_session", label: "Allow for this session", kind: "allow", scope: "session", rule: "Bash(psql:*)" },
  { id: "deny", label: "Deny", kind: "deny" },
  { id: "deny_stop", label: "Deny and stop the turn", kind: "deny" },
];

const planOptions = [
  { id: "approve", label: "Approve, ask before each change", kind: "allow" },
  { id: "approve_edits", label: "Approve, edit files unasked", kind: "allow" },
  { id: "deny", label: "Keep planning", kind: "deny" },
];

const providers = [
  {
    provider: "claude", driver: "claude", label: "Claude Code", available: true, version: "2.1.332", warning: "", error: "", hint: "",
    modes: [{ mode: "ask", native: "default", label: "" }, { mode: "edits", native: "acceptEdits", label: "" }, { mode: "plan", native: "plan", label: "" }],
    models: [],
  },
  { provider: "codex", driver: "codex", label: "Codex", available: true, version: "0.91.0", error: "", hint: "", modes: [{ mode: "ask", native: "on-request", label: "" }], models: [] },
];

function tool(m, thread, name, input, more = {}) {
  const { output, title = "", by, ...fields } = more;
  return m.item(thread, { kind: "tool", body: { call: "c", tool: name, title, source: "builtin", input, output, by }, ...fields });
}

function invoices(m) {
  const t = m.thread({ name: "Move invoice numbering to a sequence", state: "waiting", created: minutes(41), updated: minutes(2) });
  const id = t.thread;
  m.item(id, { kind: "user", text: "Two imports at once gave the same invoice number twice. Move numbering to a sequence per entity, and keep the numbers without holes.", created: minutes(41) });
  m.item(id, { kind: "reasoning", text: "The lock is taken per process, not per database.\n\nSo two machines race.", created: minutes(40) });
  tool(m, id, "Grep", { pattern: "max(number)" }, { created: minutes(39), output: "invoice/alloc.go:41\nimport/nightly.go:88" });
  tool(m, id, "Edit", { file_path: "/srv/ledger/migrations/0042_invoice_sequences.sql", old_string: "-- none\n", new_string: "create sequence invoice_no_de;\ncreate sequence invoice_no_fr;\n" }, { created: minutes(38), by: "mode", output: "ok" });
  tool(m, id, "Bash", { command: "go test ./invoice/... ./import/..." }, { created: minutes(37), by: "person", output: "ok  \tledger/invoice\t4.1s\nok  \tledger/import\t8.3s" });
  m.item(id, { text: "Tests pass. Before the migration goes further I want to see, on staging, that each sequence starts above the highest number already used.", created: minutes(3) });
  m.ask(id, { display: command, input: { command }, title: "Check start values on staging", why: "psql isn’t in this project’s rules, and it reaches another host", options: toolOptions, created: minutes(2) });
  return t;
}

function webhooks(m) {
  const t = m.thread({ name: "Retry webhooks with jitter", provider: "codex", model: "gpt-6", state: "waiting", created: minutes(90), updated: minutes(9) });
  m.item(t.thread, { kind: "user", text: "Retries come in waves. Add jitter.", created: minutes(90) });
  m.ask(t.thread, {
    kind: "question", tool: "AskUserQuestion", title: "which back-off cap?", created: minutes(9), options: [],
    input: {
      questions: [{
        question: "How long may a retry wait at most? The partner’s queue drops events after 24 hours, and a longer cap means fewer calls while they are down.",
        header: "Cap", multiSelect: false,
        options: [
          { label: "15 minutes", description: "About 96 calls a day for an endpoint that is down" },
          { label: "1 hour", description: "About 28 calls a day. Codex would pick this" },
          { label: "6 hours", description: "About 9 calls a day, slow to notice they are back" },
        ],
      }],
    },
  });
  return t;
}

const plan = `**Replace the password form with passkeys, keep one way back in.**

1. Add a \`credential\` table and two endpoints, \`/webauthn/begin\` and \`/webauthn/finish\`.
2. Ask for a passkey at the next sign-in; the password still works for 14 days.
3. Then delete the password column. **This can’t be undone** once the migration has run.
4. One recovery code for each admin, shown once.

Touches 9 files in \`admin-web\`. No new dependency besides \`@simplewebauthn/browser\`.
`;

function passkeys(m) {
  const t = m.thread({ name: "Passkey sign-in for the admin", project: "admin-web", cwd: "/home/ada/src/admin-web", node: "laptop", state: "waiting", mode: "plan", created: minutes(31), updated: minutes(24) });
  m.ask(t.thread, { kind: "plan", tool: "ExitPlanMode", title: "Passkeys", display: plan, input: { plan }, options: planOptions, created: minutes(24) });
  return t;
}

function replay(m) {
  const t = m.thread({ name: "Flaky TestReplay on arm64", project: "feed", cwd: "/srv/feed", state: "running", created: minutes(1500), updated: minutes(3) });
  const id = t.thread;
  m.item(id, { kind: "user", text: "TestReplay fails about once in 40 runs, only on the arm64 runner. Find out why before you change anything.", created: minutes(1500) });
  m.item(id, { kind: "reasoning", text: "Only on arm64: an ordering question.", created: minutes(1499) });
  m.item(id, {
    created: minutes(1498),
    text: "The failure is a lost wake-up, not a slow machine. The writer publishes `head` before the event is in its slot:\n\n```go\nfunc (r *ring) Since(after uint64) ([]Event, bool) {\n  r.mu.RLock()\n  defer r.mu.RUnlock()\n  if after+1 < r.first { // older than the ring: the table serves it\n    return nil, false\n  }\n```\n\nOn amd64 the stores can’t be seen in another order. On arm64 they can, so a reader that wakes in between:\n\n- sees the new `head`,\n- reads the slot’s *previous* event, and\n- skips it because its `seq` is already behind the cursor.\n\n| run | amd64 | arm64 |\n|---|---|---|\n| before | 0 | 11 |\n| after | 0 | 0 |\n\nSee [the memory model](https://go.dev/ref/mem) and [not this](javascript:alert(1)).\n",
  });
  tool(m, id, "Bash", { command: "go test ./feed -run TestReplay -count=400" }, { created: minutes(1490), output: "ok" });
  tool(m, id, "Bash", { command: "GOARCH=arm64 go test ./feed -run TestReplay -count=400" }, { created: minutes(1489), status: "failed", output: "--- FAIL: TestReplay (0.31s)\n    replay_test.go:88: cursor 4117: missed seq 4118\nFAIL  ledger.dev/feed 61.902s" });
  tool(m, id, "Bash", { command: "perf record -g ./feed.test" }, { created: minutes(1488), status: "canceled" });
  m.item(id, { kind: "compaction", text: "Context compacted: 148k to 31k tokens", created: minutes(1487) });
  m.item(id, { kind: "user", text: "Good. Fix it, and prove it on both.", created: minutes(20) });
  m.item(id, {
    kind: "plan", created: minutes(19),
    body: { entries: [
      { text: "Store the event before publishing head", status: "completed" },
      { text: "Use atomic.Uint64 for the publish", status: "completed" },
      { text: "Say in a comment why the order matters", status: "completed" },
      { text: "200 runs with the race detector, both architectures", status: "in_progress" },
      { text: "Note it in the changelog", status: "pending" },
    ] },
  });
  const sub = m.item(id, { kind: "subagent", body: { call: "s", tool: "Agent", title: "Look for the same pattern elsewhere", source: "builtin", input: {} }, created: minutes(10) });
  m.item(id, { parent: sub.item, text: "Found one more in spool/tail.go, harmless there.", created: minutes(9) });
  m.item(id, { kind: "error", text: "The model was overloaded and the step failed.\nClaude Code tried 3 times in 40 s and then went on by itself. Nothing was lost.", body: { code: "overloaded_error" }, created: minutes(8) });
  m.item(id, { kind: "raw", text: "system/cache_hint", body: { type: "system", subtype: "cache_hint", hint: 1 }, created: minutes(7) });
  m.item(id, { kind: "user", text: "Run it on the laptop’s M3 as well if you can.", created: minutes(4) });
  tool(m, id, "Bash", { command: "go test ./feed -race -count=200" }, { created: minutes(2), status: "running" });
  const it = m.textItem(id, `${id}:1`);
  it.text = "131 of 200 runs are clean with the race detector on. The box is amd64, so this alone proves little; the arm64 job has started on the";
  m.log.add("thread.turn", id, { status: "started", origin: "person", messages: [] }, `${id}:1`);
  return t;
}

export function scene(m) {
  m.providers = providers;
  const all = { invoices: invoices(m), webhooks: webhooks(m), passkeys: passkeys(m), replay: replay(m) };
  m.thread({ name: "Changelog for 2.4", provider: "codex", state: "running", updated: minutes(1) });
  m.thread({ name: "German texts for the error catalogue", provider: "gemini", project: "docs", state: "starting", updated: minutes(1) });
  m.thread({ name: "Why does the backup take 40 minutes?", project: "ops", updated: minutes(66) });
  m.thread({ name: "Rename Customer to Account", state: "stopped", reason: "limit", updated: minutes(99) });
  m.thread({ name: "Go 1.26 and the new vet checks", provider: "codex", project: "feed", node: "laptop", updated: minutes(204) });
  m.thread({ name: "Outbox: SQLite or Postgres?", provider: "native", project: "notes", node: "laptop", state: "stopped", reason: "idle", updated: minutes(3000) });
  m.thread({ name: "Cache the CI image layers", provider: "opencode", project: "infra", state: "stopped", reason: "crash", updated: minutes(3100) });
  return all;
}
