// Opens the system's Chromium for the tests.

import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

const path = process.env.VYRE_CHROMIUM ?? ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);

export async function openBrowser() {
  if (!path || !existsSync(path)) {
    throw new Error(
      "no Chromium here. On Debian: apt-get install chromium. Elsewhere set VYRE_CHROMIUM to the program’s path.",
    );
  }
  return chromium.launch({
    executablePath: path,
    args: [
      "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
      "--disable-background-networking", "--disable-component-update", "--disable-sync",
    ],
  });
}

export const sizes = { desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } };

/** A signed-in page of a size and theme. Errors of the page, CSP ones too, are collected. */
export async function openPage(browser, peer, { size = "desktop", theme = "light", path = "/" } = {}) {
  const context = await browser.newContext({
    viewport: sizes[size], colorScheme: theme, deviceScaleFactor: 1.1,
    hasTouch: size === "phone", isMobile: size === "phone", reducedMotion: "no-preference",
  });
  peer.state.sessions.add("test");
  await context.addCookies([{ name: "vyre", value: "test", url: peer.url }]);
  const page = await context.newPage();
  page.faults = [];
  page.on("pageerror", (e) => page.faults.push(String(e)));
  page.on("console", (m) => {
    if (m.type() === "error" && !/Failed to load resource|ERR_/.test(m.text())) page.faults.push(m.text());
  });
  await page.goto(peer.url + path);
  return page;
}
