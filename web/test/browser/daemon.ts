// A real daemon of its own home for tests that a scripted peer can't stand in for,
// and a page with a virtual authenticator (CDP) in a real browser.

import { execFile, spawn, type ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, BrowserContext, CDPSession, Page } from "playwright-core";
// @ts-expect-error plain JavaScript, run by node alone too
import { sizes } from "./open.mjs";

const program = fileURLToPath(new URL("../../../bin/vyre", import.meta.url));

export interface Daemon {
  url: string;
  /** Runs a command; the exit code and both streams. */
  vyre(...args: string[]): Promise<{ code: number; out: string; err: string }>;
  /** An address that signs one browser in. */
  open(): Promise<string>;
  stop(): Promise<void>;
}

async function freePort(): Promise<number> {
  const s = createServer();
  await new Promise<void>((r) => s.listen(0, "127.0.0.1", r));
  const { port } = s.address() as AddressInfo;
  await new Promise((r) => s.close(r));
  return port;
}

export async function startDaemon(config = ""): Promise<Daemon> {
  if (!existsSync(program)) throw new Error("bin/vyre is not there: run `make build` first");
  const home = await mkdtemp(join(tmpdir(), "vyre-web-"));
  await writeFile(join(home, "config.toml"), config);
  const port = await freePort();
  const env = { ...process.env, VYRE_HOME: home, VYRE_LISTEN: `127.0.0.1:${port}`, XDG_RUNTIME_DIR: home };
  const child: ChildProcess = spawn(program, ["daemon"], { env, stdio: ["ignore", "ignore", "pipe"] });
  const url = `http://localhost:${port}`;
  await ready(child);

  const vyre: Daemon["vyre"] = (...args) =>
    new Promise((resolve) => {
      execFile(program, args, { env }, (e, out, err) => resolve({ code: typeof e?.code === "number" ? e.code : e ? 1 : 0, out, err }));
    });
  return {
    url,
    vyre,
    async open() {
      return JSON.parse((await vyre("call", "sign_in.code")).out).url;
    },
    async stop() {
      const ended = new Promise((r) => child.once("exit", r));
      child.kill("SIGTERM");
      await ended;
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** Resolves once the daemon says that it is ready. */
function ready(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = "";
    child.stderr!.on("data", (b) => {
      said += b;
      if (said.includes("the daemon is ready")) resolve();
    });
    child.once("exit", () => reject(new Error(`the daemon ended: ${said}`)));
  });
}

export interface Keyed extends Page {
  faults: string[];
  cdp: CDPSession;
  authenticator: string;
  context(): BrowserContext;
}

/** A page with an authenticator that touches by itself, with the user verified. */
export async function keyedPage(browser: Browser, o: { size?: "desktop" | "phone"; theme?: "light" | "dark"; verified?: boolean } = {}): Promise<Keyed> {
  const context = await browser.newContext({
    viewport: sizes[o.size ?? "desktop"], colorScheme: o.theme ?? "light", hasTouch: o.size === "phone", isMobile: o.size === "phone",
  });
  const page = (await context.newPage()) as Keyed;
  page.setDefaultTimeout(10_000); // so that what is missing is named before the test's own bound
  page.faults = [];
  page.on("pageerror", (e) => page.faults.push(String(e)));
  page.on("console", (m) => {
    if (m.type() === "error" && !/Failed to load resource|ERR_/.test(m.text())) page.faults.push(m.text());
  });
  page.cdp = await context.newCDPSession(page);
  await page.cdp.send("WebAuthn.enable");
  const made = await page.cdp.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true,
      isUserVerified: o.verified ?? true, automaticPresenceSimulation: true,
    },
  });
  page.authenticator = made.authenticatorId;
  return page;
}
