// What every browser test needs: a peer, a browser, and checks of any page.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
// @ts-expect-error plain JavaScript, run by node alone too
import { openBrowser, openPage } from "./open.mjs";
// @ts-expect-error plain JavaScript, run by node alone too
import { startPeer } from "../peer.mjs";
// @ts-expect-error plain JavaScript, run by node alone too
import { Model } from "../peer/model.mjs";
// @ts-expect-error plain JavaScript, run by node alone too
import { scene } from "../peer/scene.mjs";

export interface Opened extends Page {
  faults: string[];
}

export interface Kit {
  browser: Browser;
  // The peer is JavaScript; its shape is in test/peer.
  peer: any;
  model: any;
  all: Record<string, { thread: string }>;
  open(o?: { size?: "desktop" | "phone"; theme?: "light" | "dark"; path?: string }): Promise<Opened>;
}

/** A fresh peer with the example scene for each test, one browser for all of a file. */
export function useKit(): Kit {
  const kit = {} as Kit;
  const opened: Opened[] = [];
  beforeAll(async () => {
    kit.browser = await openBrowser();
  });
  afterAll(() => kit.browser?.close());
  beforeEach(async () => {
    kit.model = new Model();
    kit.all = scene(kit.model);
    kit.peer = await startPeer({ model: kit.model });
    kit.open = async (o = {}) => {
      const page = await openPage(kit.browser, kit.peer, o);
      opened.push(page);
      return page;
    };
  });
  afterEach(async () => {
    const faults = opened.flatMap((p) => p.faults);
    await Promise.all(opened.splice(0).map((p) => p.context().close()));
    await kit.peer.stop();
    expect(faults).toEqual([]); // no exception, no refused style or script in any test
  });
  return kit;
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Violations of WCAG 2.0 to 2.2, A and AA, as axe-core finds them. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const found = await page.evaluate(async () => {
    const run = (window as unknown as { axe: any }).axe.run;
    return run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] });
  });
  return found.violations.map((v: any) => `${v.id}: ${v.nodes.map((n: any) => n.html.slice(0, 120)).join(" | ")}`);
}

/** Elements that make the page wider than the screen. */
export function overflowing(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const width = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth > width) return ["the page itself"];
    const scrolls = (el: Element | null): boolean =>
      el !== null && (/auto|scroll|hidden|clip/.test(getComputedStyle(el).overflowX) || scrolls(el.parentElement));
    return [...document.querySelectorAll("body *")]
      .filter((el) => {
        const r = el.getBoundingClientRect();
        return r.width > 0 && (r.right > width + 1 || r.left < -1) && !scrolls(el.parentElement);
      })
      .map((el) => el.outerHTML.slice(0, 120));
  });
}
