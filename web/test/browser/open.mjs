// Opens a Chromium for the tests: the one that VYRE_CHROMIUM names, else the one
// that tools/chromium.sh fetched, else the system's.

import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const fetched = fileURLToPath(new URL("../../../.cache/chromium/chromium", import.meta.url));

function programs() {
  const folders = (process.env.PATH ?? "").split(delimiter).filter(Boolean);
  const named = (name) => (name.includes("/") ? [name] : folders.map((folder) => join(folder, name)));
  if (process.env.VYRE_CHROMIUM) return named(process.env.VYRE_CHROMIUM);
  return [fetched, ...["chromium", "chromium-browser", "google-chrome"].flatMap(named)];
}

export async function openBrowser() {
  const path = programs().find(existsSync);
  if (!path) {
    throw new Error("no Chromium here. `make chromium` fetches it on Debian. Elsewhere set VYRE_CHROMIUM to the program’s path.");
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
    storageState: {
      cookies: [{ name: "vyre", value: "test", domain: "localhost", path: "/", expires: -1, httpOnly: true, secure: false, sameSite: "Strict" }],
      origins: [{ origin: peer.url, localStorage: [{ name: "vyre.proof", value: JSON.stringify("test-proof") }] }],
    },
  });
  peer.state.sessions.set("test", "test-proof");
  const page = await context.newPage();
  page.faults = [];
  page.on("pageerror", (e) => page.faults.push(String(e)));
  page.on("console", (m) => {
    if (m.type() === "error" && !/Failed to load resource|ERR_/.test(m.text())) page.faults.push(m.text());
  });
  await page.goto(peer.url + path);
  return page;
}
