import { expect, test } from "vitest";
import { useKit } from "./kit";

const kit = useKit();

// A lost line is said, nothing pretends to move, answers are off; then it goes on from its cursor.
test("loses the line and catches up", async () => {
  const page = await kit.open({ path: `/t/${kit.all.invoices!.thread}` });
  await page.waitForSelector(".ask .opt:enabled");
  kit.peer.cut(true);
  await page.waitForSelector(".banner:has-text('Not connected.')");
  expect(await page.locator(".opt").first().isDisabled()).toBe(true);
  expect(await page.evaluate(() => [...document.querySelectorAll(".spin")].flatMap((e) => e.getAnimations()).length)).toBe(0);
  kit.model.answer([...kit.model.asks.values()][0].ask, "person:owner:cli", "deny");
  kit.model.log.head += 10_000; // a restarted daemon leaves numbers out, and names no event by this one
  kit.peer.up();
  await page.getByRole("button", { name: "Try now" }).click();
  await page.waitForSelector(".one:has-text('Denied by you in a terminal')");
  await expect.poll(() => page.locator(".banner").count()).toBe(0);
});

// A cursor that can't be served: the page loads the state afresh and says so.
test("a gap loads the page afresh", async () => {
  const page = await kit.open({ path: `/t/${kit.all.replay!.thread}` });
  await page.waitForSelector(".md table");
  kit.peer.cut(true);
  await page.waitForSelector(".banner:has-text('Not connected.')");
  const { model } = kit;
  await model.call("threads.rename", { thread: kit.all.replay!.thread, name: "While you were away" });
  model.item(kit.all.replay!.thread, { text: "Said in the gap.\n" });
  for (let i = 0; i < 3; i++) model.log.add("x", undefined, {});
  model.log.prune();
  kit.peer.up();
  await page.getByRole("button", { name: "Try now" }).click();
  await page.waitForSelector(".banner:has-text('Loaded afresh.')");
  await page.waitForSelector(".th-head h1:has-text('While you were away')");
  await page.waitForSelector("text=Said in the gap.");
  await page.getByRole("button", { name: "Dismiss" }).click();
  expect(await page.locator(".banner").count()).toBe(0);
});

// Cut off again and again in the middle of a stream, the page has the text once and whole.
test("a stream that is cut many times", async () => {
  const t = kit.model.thread({ name: "Cuts", state: "running" });
  const page = await kit.open({ path: `/t/${t.thread}` });
  await page.waitForSelector(".nowbar");
  const it = kit.model.textItem(t.thread, `${t.thread}:1`);
  let want = "";
  for (let i = 0; i < 12; i++) {
    for (let k = 0; k < 20; k++) {
      const piece = `w${i * 20 + k} `;
      want += piece;
      kit.model.say(it, piece);
    }
    kit.peer.cut();
    await page.evaluate(() => new Promise((r) => setTimeout(r, 30)));
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange"))); // wakes the next try
  }
  kit.model.change(t.thread, it, { status: "completed" });
  await expect.poll(() => page.locator(".md").innerText(), { timeout: 10_000 }).toBe(want.trim());
});
