import { expect, test } from "vitest";
import { overflowing, useKit, violations } from "./kit";

const kit = useKit();
const sends = () => kit.model.calls.filter((c: any) => c.tool === "threads.send").map((c: any) => c.input);

// 5,000 deltas of Markdown: the text is whole, nothing jumps, and what stood is never drawn again.
test("streams 5,000 deltas without a layout shift", async () => {
  const { model } = kit;
  const t = model.thread({ name: "Stream", state: "running" });
  model.item(t.thread, { kind: "user", text: "Tell me everything." });
  const page = await kit.open({ path: `/t/${t.thread}` });
  await page.waitForSelector(".me");
  await page.waitForTimeout(400);
  await page.evaluate(() => {
    const w = window as any;
    w.shift = 0;
    w.moved = [];
    new PerformanceObserver((l) => l.getEntries().forEach((e: any) => {
        w.shift += e.value;
        w.moved.push(...e.sources.map((s: any) => `${s.node?.outerHTML?.slice(0, 80) ?? s.node?.textContent} ${JSON.stringify(s.previousRect)} → ${JSON.stringify(s.currentRect)}`));
      })).observe({ type: "layout-shift", buffered: false });
  });
  const it = model.textItem(t.thread, `${t.thread}:1`);
  const block = "Some words about **ring** number N and `code`, then more.\n\n- one item\n- another item\n\n```go\nfunc f() {}\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n";
  const source = Array.from({ length: 125 }, (_, i) => block.replace("N", String(i))).join("");
  const size = Math.ceil(source.length / 5000);
  let sent = 0;
  while (sent < 5000) {
    for (let i = 0; i < 50 && sent < 5000; i++, sent++) {
      const piece = source.slice(sent * size, (sent + 1) * size);
      if (piece) model.say(it, piece);
    }
    if (sent === 2500) await page.evaluate(() => ((window as any).kept = document.querySelector(".md p")));
    await new Promise((r) => setTimeout(r, 8));
  }
  model.change(t.thread, it, { status: "completed" });
  model.log.add("thread.finished", t.thread, { turn: it.turn, status: "completed" }, it.turn);
  await page.waitForSelector(".md:not(.live)");
  await expect.poll(() => page.locator(".md table").count()).toBe(125);
  const end = await page.evaluate(() => {
    const w = window as any;
    const s = document.querySelector(".tl .scroll")!;
    return { moved: w.moved, shift: w.shift, kept: w.kept.isConnected, gap: s.scrollHeight - s.scrollTop - s.clientHeight };
  });
  expect(end.moved).toEqual([]);
  expect(end.shift).toBe(0);
  expect(end.kept).toBe(true);
  expect(end.gap).toBeLessThan(2); // it stayed at its end
});

// A person who scrolled up is left where they are, and told that there is more below.
test("lets go of the end when somebody scrolls up", async () => {
  const page = await kit.open({ path: `/t/${kit.all.replay!.thread}` });
  await page.waitForSelector(".md table");
  const it = [...kit.model.items.get(kit.all.replay!.thread)].at(-1)!;
  await page.locator(".tl .scroll").hover();
  await page.mouse.wheel(0, -400);
  await page.waitForTimeout(200);
  const top = () => page.locator(".tl .scroll").evaluate((s) => s.scrollTop);
  const before = await top();
  for (let i = 0; i < 40; i++) kit.model.say(it, " and some more words that make new lines");
  await page.waitForSelector("text=New below");
  expect(Math.abs((await top()) - before)).toBeLessThan(2);
  await page.click("text=New below");
  await expect.poll(() => page.locator("text=New below").count()).toBe(0);
});

// Markdown makes no script, no image and no link to anywhere but the web.
test("agent text can't act", async () => {
  const t = kit.model.thread({ name: "Hostile" });
  kit.model.item(t.thread, {
    text: '<script>window.bad=1</script><img src=x onerror="window.bad=1">\n\n[a](javascript:window.bad=1) [b](https://go.dev) ![c](https://evil.example/p.png)\n\n<b>bold</b>\n',
  });
  const page = await kit.open({ path: `/t/${t.thread}` });
  const asked: string[] = [];
  page.on("request", (r) => asked.push(r.url()));
  await page.waitForSelector(".md a[href]");
  expect(await page.locator(".md [href]").evaluateAll((as) => as.map((a) => a.getAttribute("href")))).toEqual(["https://go.dev/"]);
  expect(await page.locator(".md script, .md img, .md b").count()).toBe(0);
  expect(await page.evaluate(() => (window as any).bad)).toBeUndefined();
  expect(asked.filter((u) => !u.startsWith(kit.peer.url))).toEqual([]);
});

// A call opens to its input and output; a failed one is open and shows the line that matters.
test("tool rows", async () => {
  const page = await kit.open({ path: `/t/${kit.all.replay!.thread}` });
  await page.waitForSelector(".out b:has-text('FAIL: TestReplay')");
  const first = page.locator(".tool").first();
  await first.locator("summary").click();
  expect(await first.locator(".in").innerText()).toBe("go test ./feed -run TestReplay -count=400");
  expect(await first.locator(".out").innerText()).toContain("ok");
  // The same row closes by an event without being drawn anew.
  const running = kit.model.items.get(kit.all.replay!.thread).find((i: any) => i.kind === "tool" && i.status === "running");
  kit.model.change(kit.all.replay!.thread, running, { status: "completed" }, "thread.tool");
  await page.waitForSelector(`[data-item="${running.item}"] [aria-label=Completed]`);
});

// A send has a key and becomes the timeline's own item; while a turn runs it joins the turn, or waits for its end.
test("sends, steers and queues", async () => {
  const t = kit.model.thread({ name: "Send" });
  const page = await kit.open({ path: `/t/${t.thread}` });
  const field = page.getByRole("textbox", { name: "Message Claude Code" });
  await field.fill("line one");
  await field.press("Shift+Enter");
  await field.type("line two");
  await field.press("Enter");
  await page.waitForSelector(".entry[data-item] .me:has-text('line one')");
  await expect.poll(() => page.locator(".me").count()).toBe(1);
  await page.waitForSelector("text=Joins this turn at the next step.");
  await field.fill("and by the way");
  await field.press("Enter");
  await page.waitForSelector(".queue h2:has-text('Joins this turn')");
  await field.fill("and then this");
  await page.getByRole("button", { name: "After this turn" }).click();
  await page.waitForSelector(".queue .q:has-text('and then this')");
  expect(sends().map((s: any) => [s.text, s.mode])).toEqual([
    ["line one\nline two", undefined], ["and by the way", undefined], ["and then this", "queue"],
  ]);
  kit.model.take(t.thread);
  await page.waitForSelector(".entry[data-item] .me:has-text('and by the way')");
  await expect.poll(() => page.locator(".queue h2:has-text('Joins this turn')").count()).toBe(0);
  // What waits is there again after a reload, and what left meanwhile is not.
  await field.fill("and that");
  await field.press("Alt+Enter");
  await page.waitForSelector(".queue:has-text('and that')");
  await page.reload();
  const queued = () => page.locator(".queue .q .trunc").allInnerTexts();
  await expect.poll(queued).toEqual(["and then this", "and that"]);
  kit.model.deliver(t.thread);
  await expect.poll(queued).toEqual(["and that"]);
  kit.peer.cut(true);
  kit.model.deliver(t.thread);
  kit.model.log.add("thread.renamed", t.thread, { name: "Send", by: "person:owner:web" });
  kit.model.log.prune(); // the event that told so is gone
  kit.peer.up();
  await page.waitForSelector("text=Loaded afresh");
  await expect.poll(() => page.locator(".queue").count()).toBe(0);
});

for (const size of ["desktop", "phone"] as const) {
  // What waits can be edited, moved, sent now and taken back, and fits the screen; too late is said.
  test(`changes what waits, ${size}`, async () => {
    const t = kit.model.thread({ name: "Queue", state: "running" });
    kit.model.steering.set(t.thread, [{ message: "s", thread: t.thread, text: "use the other branch, the one with the longer name" }]);
    kit.model.queues.set(t.thread, ["one", "two", "three and some more words that do not fit into a row"].map((text, i) => ({ message: `m${i}`, thread: t.thread, text })));
    const page = await kit.open({ path: `/t/${t.thread}`, size });
    const rows = () => page.locator(".queue ol").last().locator(".q .trunc").allInnerTexts();
    const row = (n: number) => page.locator(".queue ol").last().locator(".q").nth(n);
    await page.waitForSelector(".queue .q");
    expect(await violations(page)).toEqual([]);
    expect(await overflowing(page)).toEqual([]);
    if (process.env.VYRE_PICTURES) await page.screenshot({ path: `${process.env.VYRE_PICTURES}/queue-${size}.png` });
    await row(1).getByRole("button", { name: "Edit" }).click();
    const edit = page.getByRole("textbox", { name: "Words of the message" });
    await edit.fill("zwei");
    await edit.press("Enter");
    await expect.poll(async () => (await rows())[1]).toBe("zwei");
    await row(1).getByRole("button", { name: "Move up" }).click();
    await expect.poll(async () => (await rows()).slice(0, 2)).toEqual(["zwei", "one"]);
    await row(0).getByRole("button", { name: "Edit" }).focus();
    await page.keyboard.press("Alt+ArrowDown");
    await expect.poll(async () => (await rows()).slice(0, 2)).toEqual(["one", "zwei"]);
    await row(1).getByRole("button", { name: "Send now" }).click();
    await page.waitForSelector(".queue ol:first-of-type .q:has-text('zwei')");
    await row(0).getByRole("button", { name: "Take back" }).click();
    await expect.poll(async () => (await rows()).length).toBe(1);
    // An interrupt gives back what was not taken, before the rest.
    kit.model.giveBack(t.thread);
    await expect.poll(async () => (await rows()).map((s) => s.slice(0, 5))).toEqual(["use t", "zwei", "three"]);
    kit.model.script["threads.unqueue"] = () => {
      throw Object.assign(new Error("the message does not wait any more"), { status: 409, code: "conflict" });
    };
    await row(0).getByRole("button", { name: "Take back" }).click();
    await page.waitForSelector("text=It had already been sent.");
  });
}

// A failed send is kept, also over a reload, and goes out again under the same key.
test("tries again with the same key", async () => {
  const t = kit.model.thread({ name: "Retry" });
  const page = await kit.open({ path: `/t/${t.thread}` });
  kit.model.script["threads.send"] = () => {
    throw Object.assign(new Error("The disk is full."), { status: 503, code: "no_space" });
  };
  await page.waitForSelector("text=Live"); // before, Enter keeps a draft and sends nothing
  await page.getByRole("textbox", { name: "Message Claude Code" }).fill("keep me");
  await page.keyboard.press("Enter");
  await page.waitForSelector("text=Not sent. The disk is full.");
  delete kit.model.script["threads.send"];
  await page.reload();
  await page.getByRole("button", { name: "Try again" }).click();
  await page.waitForSelector(".entry[data-item] .me:has-text('keep me')");
  await expect.poll(() => page.locator(".me").count()).toBe(1);
  expect(new Set(sends().map((s: any) => s.key)).size).toBe(1);
});

// A draft belongs to its thread and outlives a reload; it is never sent by itself.
test("drafts", async () => {
  const page = await kit.open({ path: `/t/${kit.all.replay!.thread}` });
  const field = page.getByRole("textbox", { name: "Message Claude Code" });
  await field.fill("half a thought");
  await page.reload();
  await page.waitForSelector(".md table");
  expect(await field.inputValue()).toBe("half a thought");
  await page.click(".trow:has-text('Why does the backup')");
  await page.waitForSelector(".th-head h1:has-text('Why does the backup')");
  expect(await field.inputValue()).toBe("");
  expect(sends()).toEqual([]);
});

// Esc needs two presses; Interrupt says what it does; the mode follows the log.
test("interrupts, stops and sets the mode", async () => {
  const page = await kit.open({ path: `/t/${kit.all.replay!.thread}` });
  await page.waitForSelector(".nowbar");
  await page.keyboard.press("Escape");
  await page.waitForSelector("text=Esc again");
  expect(kit.model.calls.some((c: any) => c.tool === "threads.interrupt")).toBe(false);
  await page.keyboard.press("Escape");
  await expect.poll(() => page.locator(".nowbar").count()).toBe(0);
  await page.getByRole("button", { name: "Mode: Ask first" }).click();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForSelector("[aria-label='Mode: Edit freely']");
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: /Stop/ }).click();
  await page.waitForSelector("text=Stopped by you.");
});

// Older items come in pages, in front, and the words one reads stay where they are.
test("shows earlier items", async () => {
  const t = kit.model.thread({ name: "Long" });
  for (let i = 0; i < 130; i++) kit.model.item(t.thread, { text: `Paragraph number ${i}.\n` });
  const page = await kit.open({ path: `/t/${t.thread}` });
  await page.waitForSelector("text=Paragraph number 129.");
  expect(await page.locator(".md").count()).toBe(60);
  await page.locator("text=Show earlier").click();
  await expect.poll(() => page.locator(".md").count()).toBe(120);
  await page.locator("text=Show earlier").click();
  await expect.poll(() => page.locator(".md").count()).toBe(130);
  expect((await page.locator(".md").allInnerTexts()).map((s) => s.trim())).toEqual(Array.from({ length: 130 }, (_, i) => `Paragraph number ${i}.`));
});
