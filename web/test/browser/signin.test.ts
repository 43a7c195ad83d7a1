import { createServer } from "node:http";
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

// Another server on localhost, such as one that an agent runs, gets the cookie from
// the browser. It has nothing of the page's storage, and the cookie alone is nobody's
// with whatever headers it is sent.
test("a cookie that another port got is worth nothing", async () => {
  const page = await kit.open();
  await page.waitForSelector(".trow");
  let cookie = "";
  const other = createServer((req, res) => {
    cookie = req.headers.cookie ?? cookie;
    res.setHeader("content-type", "text/html").end("<!doctype html><title>dev</title>");
  });
  await new Promise<void>((r) => other.listen(0, "127.0.0.1", r));
  try {
    await page.goto(`http://localhost:${(other.address() as { port: number }).port}/`);
    expect(cookie).toContain("vyre=test"); // browsers do that; else this test proves nothing
    expect(await page.evaluate(() => localStorage.length)).toBe(0);
  } finally {
    other.closeAllConnections();
    await new Promise((r) => other.close(r));
  }
  const replay = (headers: object) =>
    fetch(`${kit.peer.url}/v1/tools/threads.list`, {
      method: "POST", body: "{}", headers: { cookie, "content-type": "application/json", origin: kit.peer.url, "sec-fetch-site": "same-origin", ...headers },
    });
  expect((await replay({})).status).toBe(401);
  expect((await replay({ "vyre-proof": "test" })).status).toBe(401);
  expect((await replay({ "vyre-proof": "test-proof" })).status).toBe(200); // what the page sends
});

// A page that has lost its proof is not signed in, whatever cookie the browser holds.
test("a cookie without the proof brings the sign-in page", async () => {
  const page = await kit.open();
  await page.waitForSelector(".trow");
  await page.evaluate(() => localStorage.removeItem("vyre.proof"));
  await page.reload();
  await page.waitForSelector("text=vyre open");
  expect(await page.locator(".app").count()).toBe(0);
});

// Signing out ends the session and drops both secrets, in every tab.
for (const size of ["desktop", "phone"] as const) {
  test(`signs out at ${size}`, async () => {
    const page = await kit.open({ size });
    await page.waitForSelector(".list-head");
    const tab = await page.context().newPage();
    await tab.goto(kit.peer.url);
    await tab.waitForSelector(".list-head");
    await page.getByRole("button", { name: "Account" }).click();
    await page.getByRole("menuitem", { name: /Sign out/ }).click();
    await page.waitForURL(`${kit.peer.url}/sign-in`);
    expect(kit.peer.state.sessions.size).toBe(0);
    expect(await page.context().cookies()).toEqual([]);
    expect(await page.evaluate(() => localStorage.getItem("vyre.proof"))).toBe(null);
    await tab.waitForSelector("text=vyre open");
    await page.goto(kit.peer.url);
    await page.waitForSelector("text=vyre open");
  });
}
