import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { keyedPage, startDaemon, type Daemon, type Keyed } from "./daemon";
import { overflowing, violations } from "./kit";
// @ts-expect-error plain JavaScript, run by node alone too
import { openBrowser } from "./open.mjs";

let browser: Browser;
let daemon: Daemon;
const pages: Keyed[] = [];

beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser?.close());
afterEach(async () => {
  const faults = pages.flatMap((p) => p.faults);
  await Promise.all(pages.splice(0).map((p) => p.context().close()));
  await daemon.stop();
  expect(faults).toEqual([]);
});

async function page(o: Parameters<typeof keyedPage>[1] = {}): Promise<Keyed> {
  const p = await keyedPage(browser, o);
  pages.push(p);
  return p;
}

/** A page that a terminal's code signed in, with a passkey made on it. */
async function enrolled(o: Parameters<typeof keyedPage>[1] = {}): Promise<Keyed> {
  const p = await page(o);
  await p.goto(await daemon.open());
  await p.waitForSelector(".app");
  await p.goto(`${daemon.url}/devices`);
  await p.getByText("No passkey yet.").waitFor();
  await p.getByRole("button", { name: "Add", exact: true }).click();
  await p.getByLabel("What do you call this device?").fill("Ada’s laptop");
  await p.getByRole("button", { name: "Make the passkey" }).click();
  await p.locator(".r .t", { hasText: "Ada’s laptop" }).waitFor();
  return p;
}

const shot = (p: Keyed, name: string) => (process.env.VYRE_SHOTS ? p.screenshot({ path: `${process.env.VYRE_SHOTS}/${name}.png` }) : undefined);

// The first passkey is made on the page that a terminal signed in; it signs in again
// without a terminal, and revoking it (with a touch) ends what rests on it at once.
for (const size of ["desktop", "phone"] as const) {
  test(`makes a passkey, signs in with it and revokes it at ${size}`, async () => {
    daemon = await startDaemon();
    const p = await enrolled({ size, theme: size === "phone" ? "dark" : "light" });
    expect(await violations(p)).toEqual([]);
    expect(await overflowing(p)).toEqual([]);
    await shot(p, `devices-${size}`);

    await p.getByRole("button", { name: /^Sign out/ }).first().click();
    await p.waitForURL(/sign-in$/);
    await p.getByRole("button", { name: "Sign in with a passkey" }).waitFor();
    await shot(p, `signin-${size}`);
    await p.getByRole("button", { name: "Sign in with a passkey" }).click();
    await p.waitForSelector(".app");
    await p.goto(`${daemon.url}/devices`);
    await p.getByText("by a passkey").waitFor();

    await p.getByRole("button", { name: "More for Ada’s laptop" }).click();
    await p.getByRole("menuitem", { name: /Revoke/ }).click();
    await p.getByText("The passkey “Ada’s laptop”").waitFor();
    await p.waitForTimeout(150);
    expect(await violations(p)).toEqual([]);
    expect(await overflowing(p)).toEqual([]);
    await shot(p, `sheet-${size}`);
    await p.getByRole("button", { name: "Touch your passkey" }).click();
    await p.getByText("vyre open").waitFor(); // its own session rested on it
    await p.getByRole("button", { name: "Sign in with a passkey" }).click();
    await p.getByText("This passkey isn’t known here").waitFor();
  });
}

// A user who is present but not verified is not let in.
test("needs the user to be verified", async () => {
  daemon = await startDaemon();
  const p = await enrolled();
  await p.context().clearCookies();
  await p.cdp.send("WebAuthn.setUserVerified", { authenticatorId: p.authenticator, isUserVerified: false });
  await p.goto(`${daemon.url}/sign-in`);
  await p.getByRole("button", { name: "Sign in with a passkey" }).click();
  await p.locator(".bad-t").waitFor();
  expect(await p.locator(".app").count()).toBe(0);
});

// A page that is signed in but has no touch can't enrol a second passkey.
test("a second passkey needs a touch of the first", async () => {
  daemon = await startDaemon();
  await enrolled();
  const other = await page();
  await other.goto(await daemon.open());
  await other.waitForSelector(".app");
  await other.goto(`${daemon.url}/devices`);
  await other.getByText("Ada’s laptop").waitFor();
  await other.getByRole("button", { name: "Add", exact: true }).click();
  await other.getByRole("button", { name: "Make the passkey" }).click();
  await other.getByText("Enrol a passkey").waitFor();
  await other.getByRole("button", { name: "Touch your passkey" }).click();
  await other.locator(".sheet .note.bad").waitFor(); // its authenticator has none of this home
  await other.getByRole("button", { name: "Not now" }).click();
  await other.waitForSelector(".sheet", { state: "detached" });
  expect(await other.locator(".devices .rows").first().locator(".t").allTextContents()).toEqual(["Ada’s laptop"]);
});

// What a terminal may not decide by its word alone is shown on the page, done by a
// touch there, and then goes on in the terminal, once.
for (const size of ["desktop", "phone"] as const) {
  test(`touches a terminal's act at ${size}`, async () => {
    daemon = await startDaemon('[asks]\nproof = "always"\n');
    const p = await enrolled({ size, theme: size === "phone" ? "dark" : "light" });
    const input = '{"purpose":"chat","model":"large"}';
    const refused = await daemon.vyre("call", "sessions.models.set", input);
    const error = JSON.parse(refused.err).error;
    expect([refused.code, error.code]).toEqual([3, "presence_required"]);
    expect(error.hint).toContain(error.details.url);

    await p.getByText("A terminal waits for your touch.").waitFor();
    await p.getByRole("link", { name: "Read it" }).click();
    await p.waitForURL(error.details.url);
    await p.getByText("The call itself").waitFor();
    expect(await violations(p)).toEqual([]);
    expect(await overflowing(p)).toEqual([]);
    await shot(p, `act-${size}`);
    const waits = daemon.vyre("call", "acts.wait", JSON.stringify({ ticket: error.details.ticket }));
    await p.getByRole("button", { name: "Touch your passkey" }).click();
    await p.getByText("The terminal goes on.").waitFor();
    await shot(p, `act-done-${size}`);
    const done = JSON.parse((await waits).out);
    expect(done.state).toBe("done");
    expect(done.error).toBeUndefined();
    const log = (await daemon.vyre("events")).out.split("\n").filter(Boolean).map((l) => JSON.parse(l));
    const touched = log.filter((e) => e.kind === "act.touched");
    expect(touched.map((e) => e.data.by)).toEqual(["person:owner:cli"]);
  });
}

// A phone scans the code, both show the same digits, the person confirms on the side
// that is signed in, and the phone makes a passkey of its own without a touch elsewhere.
test("pairs a phone", async () => {
  daemon = await startDaemon();
  const p = await enrolled();
  await p.getByRole("button", { name: "Pair a phone" }).click();
  const begun = p.waitForResponse((r) => r.url().endsWith("acts.touch"));
  await p.getByRole("button", { name: "Touch your passkey" }).click(); // letting a device in needs one
  const { output } = await (await begun).json();
  await p.locator(".qr").waitFor();
  expect(await violations(p)).toEqual([]);
  await shot(p, "pair-code-desktop");

  const phone = await page({ size: "phone" });
  await phone.goto(output.url);
  await phone.locator(".digits").waitFor();
  expect(phone.url()).not.toContain("#");
  const digits = (await phone.locator(".digits span").allTextContents()).join("");
  await p.locator(".digits").waitFor();
  expect((await p.locator(".digits span").allTextContents()).join("")).toBe(digits);
  expect(await violations(phone)).toEqual([]);
  expect(await overflowing(phone)).toEqual([]);
  await shot(phone, "pair-digits-phone");
  await shot(p, "pair-digits-desktop");

  const photographed = await page({ size: "phone" });
  await p.getByRole("button", { name: "They are the same" }).click();
  await phone.getByText("You’re signed in").waitFor();
  await shot(phone, "pair-in-phone");
  await photographed.goto(output.url);
  await photographed.getByText("Not let in").waitFor();
  await shot(photographed, "pair-void-phone");

  await phone.getByRole("button", { name: "Make a passkey" }).click();
  await phone.waitForSelector(".app");
  await phone.goto(`${daemon.url}/devices`);
  await phone.locator(".devices .rows").first().locator(".t").nth(1).waitFor();
  expect(await phone.locator(".devices .rows").first().locator(".t").count()).toBe(2);
  await p.getByText("by pairing").waitFor(); // the other page hears of it by itself
  await shot(p, "devices-two-desktop");
});
