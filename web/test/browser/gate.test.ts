import { expect, test } from "vitest";
import { overflowing, useKit, violations } from "./kit";

const kit = useKit();
const calls = (tool: string) => kit.model.calls.filter((c: any) => c.tool === tool).map((c: any) => c.input);

// An act appears in the list as it is asked for; its card has all that goes out, and a yes names the hash of it.
test("lets an act go out", async () => {
  const page = await kit.open();
  await page.waitForSelector(".list h1");
  const a = kit.model.act({});
  await page.getByRole("link", { name: /Tells the team/ }).click();
  await page.waitForSelector(".ask");
  const text = await page.locator("[aria-label='What would go out']").innerText();
  for (const part of ["POST https://chat.example.com/api/messages", "Content-Type: application/json", "Authorization: Bearer (the vault item chat-token)", a.payload]) expect(text).toContain(part);
  await page.getByRole("button", { name: "Let it go out" }).click();
  await page.waitForSelector(".h:has-text('goes out in a moment')");
  expect(calls("gate.approve")).toEqual([{ act: a.act, hash: a.hash }]);
  kit.model.moveAct(a.act, "sent", "gate.sent", { outcome: "the other side answered 201", status: 201 });
  await page.waitForSelector(".h:has-text('was sent')");
  expect(await page.locator(".gaterow").count()).toBe(0);
});

// What can't be seen is shown as boxes, and then no is the near answer; a long payload is read to its end first.
test("hidden characters and a long payload", async () => {
  const long = Array.from({ length: 400 }, (_, i) => `line ${i}`).join("\n");
  const a = kit.model.act({ payload: `a\u202eb\n${long}`, bytes: 4000 });
  const page = await kit.open({ path: `/gate/${a.act}` });
  await page.waitForSelector(".note.bad:has-text('1 character')");
  expect(await page.locator(".cmd .cc").innerText()).toBe("U+202E");
  expect(await page.getByRole("button", { name: "Deny" }).getAttribute("class")).toContain("pri");
  expect(await page.getByRole("button", { name: "Read to the end" }).isDisabled()).toBe(true);
  await page.getByRole("button", { name: "Deny" }).click();
  await page.waitForSelector(".h:has-text('was denied')");
  expect(calls("gate.approve")).toEqual([]);
});

// An outcome that nobody knows is said to be unknown, is never sent again from here, and takes a person's word.
test("unknown outcome", async () => {
  const a = kit.model.act({ state: "unknown", attempts: 1, outcome: "no answer came in time" });
  const page = await kit.open({ path: `/gate/${a.act}` });
  await page.waitForSelector(".h:has-text('may have been sent')");
  expect(await page.getByRole("button", { name: "Let it go out" }).count()).toBe(0);
  await page.getByRole("button", { name: "It was done" }).click();
  await page.waitForSelector(".h:has-text('was sent')");
  expect(calls("gate.settle")).toEqual([{ act: a.act, outcome: "sent" }]);
});

for (const size of ["desktop", "phone"] as const) {
  // The card and the list hold in both sizes: no accessibility violation, nothing beyond the edge, targets for a thumb.
  test(`looks at ${size}`, async () => {
    const a = kit.model.act({ payload: "x".repeat(3000), bytes: 3000 });
    const page = await kit.open({ size, path: `/gate/${a.act}` });
    await page.waitForSelector(".ask");
    await page.waitForTimeout(520);
    expect(await violations(page)).toEqual([]);
    expect(await overflowing(page)).toEqual([]);
    if (size === "phone") {
      await page.goto(`${kit.peer.url}/`);
      expect((await page.locator(".gaterow").boundingBox())!.height).toBeGreaterThanOrEqual(44);
    }
    if (process.env.VYRE_PICTURES) {
      await page.goto(`${kit.peer.url}/`);
      await page.waitForSelector(".gaterow");
      await page.screenshot({ path: `${process.env.VYRE_PICTURES}/gate-list-${size}.png` });
      const b = kit.model.act({});
      await page.goto(`${kit.peer.url}/gate/${b.act}`);
      await page.waitForTimeout(600);
      await page.screenshot({ path: `${process.env.VYRE_PICTURES}/gate-card-${size}.png` });
    }
  });
}
