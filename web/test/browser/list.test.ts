import { expect, test } from "vitest";
import { useKit } from "./kit";

const kit = useKit();

// What needs a person stands first, then what runs, then the rest; the state is in each name.
test("groups threads and says how they stand", async () => {
  const page = await kit.open();
  await page.waitForSelector(".trow");
  expect(await page.locator(".grp > h2").allInnerTexts()).toEqual(["Needs you\n3", "Running\n3", "Recent"].map((t) => expect.stringContaining(t.split("\n")[0]!)));
  const names = await page.locator(".trow").evaluateAll((rows) => rows.map((r) => r.textContent!));
  expect(names[0]).toMatch(/^Needs you, Move invoice numbering to a sequence/);
  expect(names.some((n) => n.startsWith("At its limit, Rename Customer"))).toBe(true);
  expect(names.some((n) => n.startsWith("Failed, Cache the CI"))).toBe(true);
});

// A thread that another surface starts, asks in or renames shows up by events alone.
test("follows the log", async () => {
  const page = await kit.open();
  await page.waitForSelector(".trow");
  const { model } = kit;
  const t = model.thread({ name: "From the terminal", state: "running" });
  model.log.add("thread.started", t.thread, { provider: "claude", mode: "ask", model: "" });
  await page.waitForSelector(".grp:has-text('Running') .trow:has-text('From the terminal')");
  model.raise(t.thread, { display: "make" });
  await page.waitForSelector(".grp:has-text('Needs you') .trow:has-text('From the terminal')");
  await model.call("threads.rename", { thread: t.thread, name: "Renamed" });
  await page.waitForSelector(".trow:has-text('Renamed')");
});

// The keys of the list work, and are off while somebody types.
test("keyboard", async () => {
  const page = await kit.open({ path: `/t/${kit.all.replay!.thread}` });
  await page.waitForSelector(".trow");
  await page.keyboard.press("/");
  await page.keyboard.type("back");
  expect(await page.locator(".trow").count()).toBe(1);
  await page.keyboard.press("Escape");
  await page.keyboard.press("a");
  await page.waitForURL("**/ask/*");
  const first = page.url();
  await page.keyboard.press("j");
  await page.waitForURL((u) => u.href !== first);
  await page.keyboard.press("c");
  await page.waitForURL("**/new");
});

// Starting a thread carries folder, agent, mode and a key; a refusal is shown and a retry has the same key.
test("starts a thread", async () => {
  const page = await kit.open({ path: "/new" });
  await page.getByLabel("Folder").fill("relative");
  await page.getByLabel("First message").fill("Say hello");
  await page.keyboard.press("Enter");
  await page.waitForSelector("text=must be an absolute path");
  await page.getByLabel("Folder").fill("/srv/ops");
  await page.getByLabel("First message").press("Enter");
  await page.waitForURL("**/t/*");
  await page.waitForSelector(".me:has-text('Say hello')");
  const starts = kit.model.calls.filter((c: any) => c.tool === "threads.start");
  expect(starts[1].input).toMatchObject({ provider: "claude", prompt: "Say hello", cwd: "/srv/ops", mode: "ask" });
  expect(starts[1].input.key).toMatch(/^[0-9a-f-]{36}$/);
});
