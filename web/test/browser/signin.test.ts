import { expect, test } from "vitest";
import { useKit } from "./kit";

const kit = useKit();

// A code in the fragment signs in once; it leaves the address bar and the history at once.
test("signs in with a code", async () => {
  const context = await kit.browser.newContext();
  const page = await context.newPage();
  await page.goto(`${kit.peer.url}/sign-in#code=good-code`);
  await page.waitForSelector(".trow");
  expect(page.url()).toBe(`${kit.peer.url}/`);
  expect(await page.evaluate(() => history.length)).toBeLessThanOrEqual(2);

  const other = await (await kit.browser.newContext()).newPage();
  await other.goto(`${kit.peer.url}/sign-in#code=good-code`);
  await other.waitForSelector("text=This address was used or is too old");
  expect(other.url()).not.toContain("code");
  await other.context().close();
  await context.close();
});

// Without a session there is the sign-in page and nothing else, on every address.
test("shows nothing without a session", async () => {
  const context = await kit.browser.newContext();
  const page = await context.newPage();
  await page.goto(`${kit.peer.url}/t/${kit.all.replay!.thread}`);
  await page.waitForSelector("text=vyre open");
  expect(await page.locator(".app").count()).toBe(0);
  await context.close();
});

// A session that ends while the page is open brings the sign-in page.
test("leaves when the session ends", async () => {
  const page = await kit.open();
  await page.waitForSelector(".trow");
  kit.peer.state.sessions.clear();
  kit.peer.cut();
  await page.waitForSelector("text=vyre open");
});
